"""The command ``trex validate``."""

from __future__ import annotations

import json

import pytest

from trex.simulator.real_engines import REFERENCE_ENGINES
from trex.simulator.structure import kept_structure
from trex.simulator.validation import kept_figures


def test_without_a_folder_the_figures_that_come_with_trex(trex):
    out = trex("validate").out
    assert out.startswith("Predicted and real engines")
    assert all(f"\n{each.engine} " in out for each in REFERENCE_ENGINES)
    assert "rank correlation of layer times" in out
    assert f"figures of {kept_figures()['judged']}" in out


def test_json_and_markdown(trex):
    assert json.loads(trex("validate", "--json").out)["sections"]["engines"]["data"] == kept_figures()
    out = trex("validate", "-f", "markdown").out
    assert out.startswith("# Predicted and real engines\n\n| engine | layers |")
    assert "\n| trt8.4-resnet18-a100-fp32 | 24 of 24 |" in out


def test_the_structure_against_real_builds_comes_with_trex(trex):
    out = trex("validate").out
    kept = kept_structure()
    assert f"real: built by {kept['builder']} on a CPU on {kept['judged']}" in out
    assert "held out: they were not" in out and "published networks (onnx)" in out
    assert json.loads(trex("validate", "--json").out)["sections"]["structure"]["data"] == kept


def test_a_folder_that_is_not_there(trex, tmp_path):
    done = trex("validate", str(tmp_path / "engines"))
    assert done.code == 2
    assert "there are no real engines at" in done.err


def test_a_folder_without_engines_that_can_be_rebuilt(trex, tmp_path):
    done = trex("validate", str(tmp_path))
    assert done.code == 2
    assert "none of the engines" in done.err and "trt8.4-resnet18-a100-fp32" in done.err


def test_what_needs_a_folder_says_so(trex, tmp_path):
    done = trex("validate", "--save", str(tmp_path / "x.json"))
    assert (done.code, list(tmp_path.iterdir())) == (2, [])
    assert "--save needs a folder of real engines" in done.err


@pytest.mark.slow
def test_real_engines(trex, shared_engines, tmp_path):
    pytest.importorskip("onnx")
    file = tmp_path / "figures.json"
    done = trex("validate", str(shared_engines), "--save", str(file))
    assert done.code == 0
    assert "trt8.6-controlnet-a10: not validated, trex cannot rebuild its model" in done.out
    made, kept = json.loads(file.read_text()), kept_figures()
    assert [each["engine"] for each in made["engines"]] == [each["engine"] for each in kept["engines"]]
    for fresh, told in zip(made["engines"], kept["engines"], strict=True):
        for key in ("layers", "copies", "groups_equal"):
            assert fresh[key] == told[key], f"{fresh['engine']}: {key} is stale: trex validate FOLDER --save …"

"""The command ``trex validate``."""

from __future__ import annotations

import json
import re

import pytest

from tests.simulated_examples import SIMULATED
from trex.simulator import published, real_engines
from trex.simulator.real_engines import REFERENCE_ENGINES
from trex.simulator.structure import kept_structure
from trex.simulator.validation import kept_figures


def test_without_a_folder_the_figures_that_come_with_trex(trex):
    out = trex("validate").out
    assert out.startswith("Predicted and real engines")
    assert all(f"\n{each.engine} " in out for each in REFERENCE_ENGINES)
    assert "rank correlation of layer times" in out
    assert f"figures of {kept_figures()['judged']}" in out
    assert re.search(r"\nBERT +FP16 +A100", out) and "of published times in the error bar, family left out" in out
    assert "demo/BERT/README.md" in out


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


def test_a_pair_of_ones_own(trex, shared_engines, tmp_path):
    pytest.importorskip("onnx")
    model = tmp_path / "model.onnx"
    assert trex("examples", "--model", "mobilenet-v2-fp16", "-o", str(model)).code == 0
    engine = shared_engines / "trt10.4-mobilenetv2-fp16-rtx3060"
    out = trex("validate", str(engine), "--onnx", str(model)).out
    assert re.search(r"inside the error bar, predicted [01]\.", out)
    assert "% of the predicted time is in work that no measured engine has judged: FP16 depthwise convolution" in out
    assert re.search(r"\nFP16 convolution +34 of 34 ", out)
    data = json.loads(trex("validate", str(engine), "--onnx", str(model), "--json").out)["sections"]["pair"]["data"]
    assert data["validation"]["layers"] == [55, 55] and data["from_ms"] < data["measured_ms"] < data["to_ms"]


@pytest.mark.parametrize(
    "words, message",
    [
        (["--onnx", "m.onnx"], "--onnx compares one engine"),
        ([str(SIMULATED / "resnet18-fp16"), "--onnx", "m.onnx"], "its times are predicted, not measured"),
        (["--device", "A100"], "need an engine and its model"),
        (["x", "--onnx", "m.onnx", "--device", "A1000000"], "A1000000"),
    ],
)
def test_pairs_that_cannot_be_compared(trex, words, message):
    done = trex("validate", *words)
    assert done.code == 2 and message in done.err


@pytest.mark.slow
def test_real_engines(trex, shared_engines, tmp_path, monkeypatch):
    """With every sixth engine and inferences of two families. All of them are in tests/simulator: the engines' layers
    in test_groups.py, the inferences in timing/test_cross_validation.py.
    """
    pytest.importorskip("onnx")
    kept = kept_figures()
    pairs = [
        next(pair for pair in published.published_pairs() if pair.family == family) for family in ("BERT", "ResNet")
    ]
    kernels = [kept["published"][published.published_pairs().index(pair)]["kernels"] for pair in pairs]
    names = [engine["engine"] for engine in kept["engines"]][::6]
    monkeypatch.setattr(published, "published_pairs", lambda: pairs)
    monkeypatch.setattr(
        real_engines, "REFERENCE_ENGINES", [engine for engine in REFERENCE_ENGINES if engine.engine in names]
    )
    file = tmp_path / "figures.json"
    done = trex("validate", str(shared_engines), "--save", str(file))
    assert done.code == 0
    assert "trt8.6-controlnet-a10: not validated, trex cannot rebuild its model" in done.out
    made = json.loads(file.read_text())
    assert [each["engine"] for each in made["engines"]] == names
    assert [each["kernels"] for each in made["published"]] == kernels
    for fresh, told in zip(made["engines"], kept["engines"][::6], strict=True):
        for key in ("layers", "copies", "groups_equal"):
            assert fresh[key] == told[key], f"{fresh['engine']}: {key} is stale: trex validate FOLDER --save …"

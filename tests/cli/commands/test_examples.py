"""The command ``trex examples``."""

from __future__ import annotations

import json

import pytest

from trex.examples.network import network_names
from trex.ingest.onnx_model import read_model
from trex.plan.loading import example_addresses


def test_every_example_with_its_statement(trex):
    out = trex("examples").out
    assert "predicted" in out.splitlines()[2]
    for name in (*example_addresses(), *network_names()):
        assert f"\n{name} " in out


def test_json(trex):
    data = json.loads(trex("examples", "--json").out)
    engines, models = (data["sections"][name]["tables"][name]["rows"] for name in ("engines", "models"))
    assert [row["example"] for row in engines] == list(example_addresses())
    assert all(row["layers"] > 0 and row["sum_of_layer_times_ms"] > 0 and row["description"] for row in engines)
    assert {row["model"]: row["description"] for row in models} == network_names()


def test_a_model_is_written(trex, tmp_path, monkeypatch):
    pytest.importorskip("onnx")
    monkeypatch.chdir(tmp_path)
    done = trex("examples", "--model", "resnet18-qat", "--batch", "0")
    assert done.out == "resnet18-qat.onnx\n"
    assert "hold no data" in done.err
    model = read_model("resnet18-qat.onnx")
    assert model.inputs[0].shape == (None, 3, 224, 224)
    done = trex("examples", "--model", "resnet18", "--weights", "random", "--names", "paths", "-o", "m.onnx")
    assert (done.out, done.err) == ("m.onnx\n", "")
    assert read_model("m.onnx").operators[0].name == "/conv1/Conv"
    assert (tmp_path / "m.onnx").stat().st_size > 40_000_000


def test_a_model_that_is_not_there(trex):
    done = trex("examples", "--model", "resnet19")
    assert done.code == 2
    assert "did you mean resnet18" in done.err


@pytest.mark.parametrize("words", [("--batch", "4"), ("--weights", "random", "--json")])
def test_how_to_write_without_what_to_write_is_a_mistake(trex, tmp_path, words):
    said = trex("examples", *words)
    assert said.code == 2 and "--model NAME" in said.err and not said.out


def test_a_network_has_one_format(trex, tmp_path):
    target = tmp_path / "x.csv"
    for words in (("--json",), ("--format", "csv"), ("--limit", "1"), ("--fields", "x")):
        said = trex("examples", "--model", "resnet18", "-o", str(target), *words)
        assert said.code == 2 and "written as ONNX" in said.err and not target.exists()

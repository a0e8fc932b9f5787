"""The command ``trex explain-build``."""

from __future__ import annotations

import json

import pytest

from trex.examples.network import write_network


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    pytest.importorskip("onnx")
    return write_network("resnet18-qat", tmp_path_factory.mktemp("model") / "q.onnx")


WORDS = ("--device", "A100", "int8", "fp16")


def test_decisions_that_differ_in_names_are_folded(trex, model):
    out = trex("explain-build", model, *WORDS).out
    assert out.splitlines()[1].startswith("simulated: predicted by trex")
    assert "… 19 similar: --all" in out
    whole = trex("explain-build", model, *WORDS, "--all").out
    assert "similar: --all" not in whole
    assert len(whole.splitlines()) > 2 * len(out.splitlines())


def test_every_decision_is_told_or_counted(trex, model):
    data = json.loads(trex("explain-build", model, *WORDS, "--json").out)["sections"]["build"]["data"]
    count = len(data["decisions"])
    out = trex("explain-build", model, *WORDS).out
    folded = sum(int(line.split()[1].replace(",", "")) for line in out.splitlines() if "similar: --all" in line)
    assert sum(line.startswith("· ") for line in out.splitlines()) + folded == count
    whole = trex("explain-build", model, *WORDS, "--all").out
    assert sum(line.startswith("· ") for line in whole.splitlines()) == count


def test_the_way_of_one_quantizer(trex, model):
    out = trex("explain-build", model, *WORDS, "--operator", "QuantizeLinear_250").out
    assert "QuantizeLinear_250 moved before Flatten_247" in out
    assert "No decisions: " in out


def test_a_node_that_is_not_there(trex, model):
    done = trex("explain-build", model, *WORDS, "--operator", "Conv_1000")
    assert done.code == 2
    assert "no node called 'Conv_1000'" in done.err


def test_without_a_device(trex, model):
    done = trex("explain-build", model, "fp16")
    assert done.code == 2
    assert "--device" in done.err

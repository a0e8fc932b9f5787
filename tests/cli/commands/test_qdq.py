"""The command ``trex qdq``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.simulated_examples import SIMULATED
from tests.synthetic.artifacts import artifacts
from tests.synthetic.cnn import resnet18_int8


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Synthetic, without its model."""
    folder = tmp_path_factory.mktemp("resnet18-int8")
    for name, data in artifacts(resnet18_int8(), "8.6").items():
        (folder / name).write_bytes(data)
    return folder


def test_statuses_coverage_adds_and_conversions(trex, engine):
    said = trex("qdq", engine)
    assert said.code == 0
    for words in (
        "Reformats that Q/DQ cause: 11",
        "can't check whether 10 Q/DQ moved",
        "10 reformat",
        "Coverage by type",
        "0 of 8 stay quantized",
        "FP16 → INT8",
    ):
        assert words in said.out


def test_every_operation_is_listed_when_asked_for(trex, engine):
    brief, whole = trex("qdq", engine).out, trex("qdq", engine, "-v").out
    assert "rows: add -v)" in brief and "fused, weights" not in brief and "fused, weights" in whole


def test_json(trex, engine):
    data = json.loads(trex("qdq", engine, "--json").out)
    assert data["schema"] == "trex.qdq/1"
    data = data["sections"]["qdq"]["data"]
    assert data["counts"]["reformat"] == 10 and data["counts"]["fused"] == 21
    itself = [each for each in data["operations"] if each["status"] == "reformat"]
    assert all(each["reformats"][0]["layer"] == each["layer"] for each in itself)
    assert {each["propagation"]["status"] for each in data["operations"]} == {"unknown", "of weights"}
    assert data["counts"]["moved"] == 0 and len(data["junctions"]) == 8 and data["conversions"][0]["to"] == "INT8"


def test_an_engine_without_q(trex):
    said = trex("qdq", str(SIMULATED / "resnet18-fp16"))
    assert said.code == 0 and "Not quantized: no Q/DQ" in said.out and "no model contains" not in said.out

"""The command ``trex qdq``."""

from __future__ import annotations

import json

EXAMPLE = "example:resnet18-int8"


def test_fates_coverage_adds_and_crossings(trex):
    said = trex("qdq", EXAMPLE)
    assert said.code == 0
    for words in ("10 reformat", "Coverage by type", "0 of 8 stay quantised", "FP16 → INT8"):
        assert words in said.out


def test_json(trex):
    data = json.loads(trex("qdq", EXAMPLE, "--json").out)
    assert data["schema"] == "trex.qdq/1"
    assert data["counts"]["reformat"] == 10 and data["counts"]["fused"] == 21
    assert len(data["junctions"]) == 8 and data["crossings"][0]["to"] == "INT8"


def test_an_engine_without_q(trex):
    said = trex("qdq", "example:resnet18-fp16")
    assert said.code == 0 and "none told" in said.out

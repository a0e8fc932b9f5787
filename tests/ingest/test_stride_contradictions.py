"""Strides that don't fit the dimensions show a damaged tensor record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.raw_records import codes, layer, tensor
from trex.ingest.graph_json import engine_from_documents, read_graph

WHOLE = {"Dimensions": [4, 64, 112, 112], "Strides": [802816, 1, 7168, 64]}


@pytest.mark.parametrize(
    ("changed", "is_noted"),
    [
        ({}, False),
        ({"Strides": [1605632, 2, 14336, 128]}, False),  # a part of a larger tensor
        ({"Strides": [0, 1, 7168, 64]}, False),  # repeated along the batch
        ({"Dimensions": [-1, 64, 112, 112]}, False),
        ({"Dimensions": [4, 32, 14, 14], "Strides": [784, 1, 56, 4], "Format": "Eight wide channel vectorized"}, False),
        ({"Dimensions": [64, 64], "Strides": [32, 1], "Datatype": "FP4"}, False),
        ({"Dimensions": [64, 65], "Strides": [64, 1], "Datatype": "Int64"}, True),
        ({"Dimensions": [], "Strides": [1]}, False),
        ({"Dimensions": [4], "Strides": None, "Location": "Host"}, False),
        ({"Dimensions": [4, 64, 11802816, 1, 7168, 64], "Strides": None}, True),  # 16 characters of a real log lost
        ({"Dimensions": [4, 6464, 112, 112]}, True),
        ({"Dimensions": [4, 64, 112]}, True),
    ],
)
@pytest.mark.parametrize("key", ["Inputs", "Outputs", "Constants"])
def test_strides_that_do_not_fit(changed: dict[str, Any], is_noted: bool, key: str) -> None:
    names = iter("abcdefghijklmnopqrstuv")
    layers = [
        layer(f"l{number}", "kgen", [tensor(next(names), **WHOLE)], [tensor(next(names), **WHOLE)], Constants=[])
        for number in range(11)
    ]
    record = {name: value for name, value in {**tensor("odd", **WHOLE), **changed}.items() if value is not None}
    layers[5][key] = [record]
    assert ("strides-contradict" in codes(engine_from_documents([{"Layers": layers}]))) is is_noted


def test_no_real_graph_is_doubted(shared_engines: Path) -> None:
    for path in sorted((*shared_engines.glob("*/*graph.json"), *(shared_engines.parent / "logs").glob("*.graph.json"))):
        assert "strides-contradict" not in codes(read_graph(path.read_bytes()))

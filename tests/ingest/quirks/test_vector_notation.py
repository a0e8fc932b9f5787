"""Vectorized dimensions of a build log's rows."""

from __future__ import annotations

import pytest

from tests.raw_records import layer, tensor
from trex.ingest.graph_json import engine_from_documents
from trex.ingest.logs.engine_layer_rows import parse_layer_row
from trex.ingest.raw_engine import RawEngine


def example() -> RawEngine:
    return RawEngine([{"Layers": [layer("a", inputs=[tensor("x", VectorWidth=8, VectorAxis=1)])]}])


def read(*records: dict):
    return engine_from_documents([{"Layers": [layer("a", inputs=records)]}], verbosity="log").layers[0].inputs


def test_padding_is_counted() -> None:
    (item,) = read(tensor("x", [1, 3, 4, 4], "Half", VectorWidth=8, VectorAxis=1))
    assert (item.precision, item.format.vector, item.size_bytes) == ("FP16", 8, 8 * 16 * 2)


@pytest.mark.parametrize("keys", [{"VectorWidth": 0}, {"VectorWidth": "8"}, {"VectorAxis": -1}, {"VectorAxis": None}])
def test_odd_notes_are_no_layout(keys: dict) -> None:
    (item,) = read(tensor("x", [1, 3, 4, 4], "Half", **({"VectorWidth": 8, "VectorAxis": 1} | keys)))
    assert item.size_bytes == 3 * 16 * 2


def test_a_row_of_a_log() -> None:
    row = parse_layer_row("Layer(CaskConvolution): c, Tactic: 0x1, x (Int8[1,3:4,8,8]) -> y (Int8[1,32:32,8,8])")
    assert row is not None
    (item,) = engine_from_documents([{"Layers": [row]}], verbosity="log").layers
    assert item.inputs[0].size_bytes == 4 * 64
    assert item.outputs[0].size_bytes == 32 * 64

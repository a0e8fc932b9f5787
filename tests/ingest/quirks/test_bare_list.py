"""A bare list of layers is an engine without bindings."""

from __future__ import annotations

import pytest

from tests.raw_records import chain, codes
from trex.ingest.graph_json import engine_from_documents
from trex.ingest.raw_engine import RawEngine


def example() -> RawEngine:
    return RawEngine([chain("a")])


@pytest.mark.parametrize("layers", [chain("a", "b"), ["a", "b"]], ids=["records", "names"])
def test_a_list_of_layers_is_an_engine(layers: list) -> None:
    engine = engine_from_documents([layers])
    assert [layer.name for layer in engine.layers] == ["a", "b"]


def test_its_border_is_inferred() -> None:
    engine = engine_from_documents([chain("a", "b")])
    assert [(b.name, b.is_input) for b in engine.bindings] == [("x", True), ("y", False)]
    assert "bindings-inferred" in codes(engine)

"""Several layer objects or engines in one file."""

from __future__ import annotations

from tests.raw_records import chain, codes, layer, tensor
from trex.ingest.graph_json import engine_from_documents
from trex.ingest.raw_engine import RawEngine


def example() -> RawEngine:
    return RawEngine([layer("a", inputs=["x"], outputs=["t"]), layer("b", inputs=["t"], outputs=["y"])])


FIRST = {"Layers": chain("a"), "Bindings": ["x", "y"], "Made": "by hand"}


def names(engine) -> list[str]:
    return [layer.name for layer in engine.layers]


def test_one_object_per_layer() -> None:
    engine = engine_from_documents(chain("a", "b", "c"))
    assert names(engine) == ["a", "b", "c"]
    assert "concatenated-documents" in codes(engine)


def test_one_engine_after_another() -> None:
    second = {"Layers": [layer("b", inputs=["y"], outputs=["z"])], "Bindings": ["y", "z"]}
    engine = engine_from_documents([FIRST, second])
    assert names(engine) == ["a", "b"]
    assert [b.name for b in engine.bindings] == ["x", "y", "z"]
    assert engine.extra == {"Made": "by hand"}


def test_lists_and_layers_mix() -> None:
    assert names(engine_from_documents([chain("a", "b"), FIRST, *chain("c")])) == ["a", "b", "a", "c"]


def test_the_bindings_of_one_engine_are_not_those_of_all() -> None:
    """Otherwise the second engine's input would be taken for a weight."""
    second = {"Layers": [layer("b", "gemm", [tensor("in2", [8, 8]), tensor("w", [8, 8])], [tensor("out2", [8, 8])])]}
    engine = engine_from_documents([FIRST, second])
    assert {b.name for b in engine.bindings if b.is_input} == {"x", "in2", "w"}
    assert engine.layers[1].weights == ()

"""Layers outside one object: a list, several documents, nested engines, a single layer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.raw_records import chain, codes, layer, tensor
from trex.core.errors import TrexError
from trex.ingest.graph_json import engine_from_documents
from trex.ingest.raw_engine import RawEngine


def example() -> RawEngine:
    return RawEngine([layer("a", inputs=["x"], outputs=["t"]), layer("b", inputs=["t"], outputs=["y"])])


@pytest.mark.parametrize("layers", [chain("a", "b"), ["a", "b"]], ids=["records", "names"])
def test_a_list_of_layers_is_an_engine(layers: list) -> None:
    engine = engine_from_documents([layers])
    assert [layer.name for layer in engine.layers] == ["a", "b"]


def test_its_border_is_inferred() -> None:
    engine = engine_from_documents([chain("a", "b")])
    assert [(b.name, b.is_input) for b in engine.bindings] == [("x", True), ("y", False)]
    assert "bindings-inferred" in codes(engine)


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


ONE = {"Layers": chain("a"), "Bindings": ["x", "y"]}


def test_one_engine_in_an_object() -> None:
    engine = engine_from_documents([{"engine": ONE, "made": "by hand"}])
    assert [item.name for item in engine.layers] == ["a"]
    assert [b.name for b in engine.bindings] == ["x", "y"]
    assert engine.extra == {"made": "by hand"}
    assert engine.notes == ()


def test_other_keys_of_the_engine_are_kept() -> None:
    engine = engine_from_documents([{"graph": {**ONE, "Simulated": "predicted"}, "made": "by hand"}])
    assert engine.extra == {"Simulated": "predicted", "made": "by hand"}


def test_several_engines_are_joined_and_reported() -> None:
    second = {"Layers": [layer("b", inputs=["y"], outputs=["z"])], "Bindings": ["y", "z"]}
    engine = engine_from_documents([{"first": ONE, "second": second}])
    assert [item.name for item in engine.layers] == ["a", "b"]
    (note,) = engine.notes
    assert note.code == "several-engines-in-one-file"
    assert "first, second" in note.message


def test_the_bindings_of_some_nested_engines_are_not_those_of_all() -> None:
    second = {"Layers": [layer("b", "kgen", ["q"], ["z"])]}
    engine = engine_from_documents([{"first": ONE, "second": second}])
    assert [b.name for b in engine.bindings if b.is_input] == ["x", "q"]
    assert engine.layers[1].weights == ()
    assert "bindings-inferred" in codes(engine)


def test_a_layer_alone() -> None:
    engine = engine_from_documents([chain("a")[0]])
    assert [item.name for item in engine.layers] == ["a"]


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"x": {"y": 1}},
        {"x": {"Layers": 7}},
        {"deep": {"deeper": ONE}},
        [{"Time (%)": 60.0, "Total Time (ns)": 180000, "Name": "sm80_xmma_gemm"}],  # nsys stats --format json
        [{"cat": "Node", "ts": 1, "dur": 2, "ph": "X", "name": "Conv_0_kernel_time"}],  # ONNX Runtime's profile
    ],
)
def test_nothing_inside_is_an_error(document: Any) -> None:
    with pytest.raises(TrexError):
        engine_from_documents([document])

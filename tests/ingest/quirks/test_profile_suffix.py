"""``[profile N]`` is removed from names, for any N."""

from __future__ import annotations

import pytest

from tests.raw_records import chain, layer
from trex.ingest.graph_json import engine_from_documents
from trex.ingest.raw_engine import RawEngine


def example() -> RawEngine:
    return RawEngine([{"Layers": chain("a [profile 1]")}])


@pytest.mark.parametrize("number", [1, 9, 10, 11, 123])
def test_any_number(number: int) -> None:
    mark = f" [profile {number}]"
    record = layer(f"conv{mark}", "CaskConvolution", [f"x{mark}"], [f"y{mark}"], ParameterType="Convolution")
    engine = engine_from_documents([{"Layers": [record], "Bindings": ["x", "y", f"x{mark}", f"y{mark}"]}])
    (item,) = engine.layers
    assert (item.name, item.profile) == ("conv", number)
    assert (item.inputs[0].name, item.outputs[0].name) == ("x", "y")
    assert [b.name for b in engine.bindings] == ["x", "y"]
    assert item.raw["Name"] == f"conv{mark}"


def test_in_the_middle_of_a_myelin_name() -> None:
    engine = engine_from_documents([{"Layers": [layer("node_linear [profile 1]_myl11_2", "gemm", ["x"], ["y"])]}])
    assert (engine.layers[0].name, engine.layers[0].profile) == ("node_linear_myl11_2", 1)


def test_the_same_name_in_another_profile_is_another_tensor() -> None:
    layers = [
        layer(f"a{mark}", "CaskConvolution", [f"x{mark}"], [f"t{mark}"], ParameterType="Convolution")
        for mark in ("", " [profile 1]")
    ]
    engine = engine_from_documents([{"Layers": layers}])
    assert len(engine.for_profile(0).producers["t"]) == 1
    assert [item.occurrence for item in engine.layers] == [0, 0]


def test_similar_names_stay() -> None:
    engine = engine_from_documents([{"Layers": [layer("a [profile x]", inputs=["x"], outputs=["[profile]"])]}])
    assert engine.layers[0].profile == 0
    assert "[profile" in engine.layers[0].name

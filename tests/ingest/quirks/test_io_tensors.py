"""I/O Tensors contain names, directions and the shapes of each profile."""

from __future__ import annotations

from typing import Any

import pytest

from tests.raw_records import chain
from trex.core.tensor import ShapeRange
from trex.ingest.graph_json import engine_from_documents
from trex.ingest.raw_engine import RawEngine


def example() -> RawEngine:
    return RawEngine([{"Layers": chain("a"), "I/O Tensors": [{"Name": "x", "IOMode": "Input"}]}])


def engine(*records: Any):
    return engine_from_documents([{"Layers": chain("a"), "I/O Tensors": list(records)}])


def entry(**shapes: Any) -> dict[str, Any]:
    return {"MinShape": [1, 8], "OptShape": [4, 8], "MaxShape": [8, 8]} | shapes


def test_directions_and_ranges() -> None:
    x = {"Name": "x", "IOMode": "Input", "ProfileInfo": [entry(), entry(OptShape=[2, 8])]}
    first, second = engine(x, {"Name": "y", "IOMode": "OUTPUT"}).bindings
    assert (first.name, first.is_input, second.name, second.is_input) == ("x", True, "y", False)
    assert first.profiles == (ShapeRange((1, 8), (4, 8), (8, 8)), ShapeRange((1, 8), (2, 8), (8, 8)))
    assert second.profiles == ()


def test_a_tensor_no_layer_mentions_has_its_own_record() -> None:
    profile = {"Format": "Four wide channel vectorized row major Int8 format (kCHW4)"}
    record = {"Name": "z", "IOMode": "Input", "Dimensions": [3, 1, 1], "DataType": "Int8", "ProfileInfo": [profile]}
    binding = engine(record, {"Name": "x", "IOMode": "Input"}, {"Name": "y", "IOMode": "Output"}).binding_by_name["z"]
    assert binding.tensor is not None
    assert binding.tensor.size_bytes == 4


def test_border_tensors_of_an_engine_of_names_are_known() -> None:
    record = {"Name": "x", "IOMode": "Input", "Dimensions": [3], "DataType": "Float"}
    (binding,) = engine_from_documents([{"Layers": ["a", "b"], "I/O Tensors": [record]}]).bindings
    assert binding.tensor is not None
    assert (binding.tensor.precision, binding.tensor.size_bytes) == ("FP32", 12)


def test_an_unknown_direction_is_inferred_from_the_layers() -> None:
    assert [b.is_input for b in engine({"Name": "y"}, {"Name": "x", "IOMode": 3}).bindings] == [False, True]


@pytest.mark.parametrize("wrong", [None, 3, "x", {}, {"Name": 3}, {"Name": "x", "ProfileInfo": 7}, []])
def test_odd_entries_do_not_matter(wrong: Any) -> None:
    bindings = engine(wrong, {"Name": "y", "IOMode": "Output"}).bindings
    assert "y" in [b.name for b in bindings]


def test_an_empty_list_counts_as_missing() -> None:
    assert [b.name for b in engine().bindings] == ["x", "y"]


def test_an_input_that_a_layer_reads_reshaped_keeps_its_batch() -> None:
    x, _ = engine({"Name": "x", "IOMode": "Input"}, {"Name": "y", "IOMode": "Output"}).bindings
    assert x.tensor is not None and x.tensor.shape is not None
    flat = x.tensor.shape
    stated = [1, *flat]
    record = {"Name": "x", "IOMode": "Input", "DataType": "Half", "Dimensions": stated}
    x, _ = engine(record, {"Name": "y", "IOMode": "Output"}).bindings
    assert x.tensor is not None and x.tensor.shape == tuple(stated) and x.tensor.format.is_known

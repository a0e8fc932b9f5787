"""Weights of a record: every {Type, Count} counts, and a missing size is unknown."""

from __future__ import annotations

import pytest

from tests.raw_records import layer
from trex.core.data_type import DataType
from trex.ingest.graph_json import engine_from_documents
from trex.ingest.spelling.weights import is_constant_name, read_weights, weight_keys


def read(**record):
    return read_weights(record, weight_keys([record]))


def test_every_stored_parameter_is_found_whatever_its_key() -> None:
    record = {
        "Weights": {"Type": "Half", "Count": 9408},
        "Bias": {"Type": "Float", "Count": 64},
        "Shift": {"Type": "Int8", "Count": 3},
        "weights": {"Type": "Int4", "Count": 3},
        "Kernel": [7, 7],
        "Other": {"Type": "Half"},
    }
    weights = [(w.kind, w.data_type.label, w.count, w.size_bytes) for w in read(**record)]
    assert weights == [
        ("weights", "FP16", 9408, 18816),
        ("bias", "FP32", 64, 256),
        ("weights", "INT8", 3, 3),
        ("weights", "INT4", 3, 2),
    ]


def test_none_are_none() -> None:
    assert read(Bias={"Type": "Half", "Count": 0}, Weights={"Type": "Half", "Count": 0.0}) == ()


@pytest.mark.parametrize("count", [-5, True, "800", None, 2**70, [1], float("nan")])
def test_a_count_that_is_none_leaves_the_size_unknown(count: object) -> None:
    (weights,) = read(Weights={"Type": "Half", "Count": count})
    assert (weights.count, weights.size_bytes, weights.data_type) == (None, None, DataType.FP16)


def test_constants_of_tensorrt_11_are_weights_except_scalars() -> None:
    constants = [
        {"Name": "w", "Dimensions": [8, 4], "Datatype": "Half", "Format": "Row major linear format"},
        {"Name": "alpha", "Dimensions": [1], "Datatype": "Float"},
        {"Dimensions": [-1, 4], "Datatype": "Half"},
        None,
    ]
    known, unknown = read(Constants=constants)
    assert (known.name, known.count, known.size_bytes, known.data_type) == ("w", 32, 64, DataType.FP16)
    assert (unknown.count, unknown.size_bytes) == (None, None)


@pytest.mark.parametrize("written", ["Posit9", None, 7, ""])
def test_an_unknown_type_leaves_the_size_unknown(written: object) -> None:
    (weights,) = read(Weights={"Type": written, "Count": 8})
    assert (weights.count, weights.size_bytes, weights.data_type) == (8, None, DataType.UNKNOWN)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (
            {"Type": "Half", "Count": -5},
            "1 weights entry has no usable count or type, first in layer 'a'",
        ),
        ({"Type": "Half", "Count": "800"}, "no usable count"),
        ({"Type": "Posit9", "Count": 8}, "no usable count or type"),
    ],
)
def test_unreadable_weights_are_reported(weights: dict, words: str) -> None:
    engine = engine_from_documents([{"Layers": [layer("a", Weights=weights)], "Bindings": ["x"]}], "m.json")
    (note,) = [note for note in engine.notes if note.code == "unreadable-weights"]
    assert words in note.message
    assert note.where == "m.json"


def test_unlisted_weights_are_not_unreadable() -> None:
    record = layer("a", Weights={"Type": "Half", "Count": 8}, Bias={"Type": "Half", "Count": 0})
    engine = engine_from_documents([{"Layers": [record, layer("g_myl0_0", "gemm", ["x"], ["y"])]}])
    assert not any(note.code == "unreadable-weights" for note in engine.notes)


def test_keys_are_those_of_any_record() -> None:
    assert weight_keys([{"A": {"Count": 1}}, {"B": {"Count": 2}, "A": 3}, {"C": {"Kind": 1}}]) == ("A", "B")
    assert read_weights({"A": 3}, ("A", "B")) == ()


@pytest.mark.parametrize(
    ("subtype", "verbosity", "operands", "hidden"),
    [
        ("Myelin", "detailed", 2, True),
        ("gemm", "detailed", 1, True),
        ("gemm", "detailed", 2, False),
        ("conv", "detailed", 1, True),
        ("kgen", "detailed", 1, False),
        ("CaskConvolution", "detailed", 1, False),
        ("CaskConvolution", "log", 1, True),
        ("TiledPooling", "log", 1, False),
        ("Reformat", "log", 1, False),
    ],
)
def test_layers_that_hide_weights(subtype: str, verbosity: str, operands: int, hidden: bool) -> None:
    record = layer("a", subtype, [f"t{i}" for i in range(operands)], ["y"])
    (item,) = engine_from_documents([{"Layers": [record]}], verbosity=verbosity).layers
    assert (item.weights_size_bytes is None) is hidden


def test_a_name_without_a_record_hides_weights() -> None:
    (item,) = engine_from_documents([{"Layers": ["Reformatting CopyNode for x"]}]).layers
    assert item.weights_size_bytes is None


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("__mye583_dconst", True),
        ("__mye546/classifier/Gemm_alpha", True),
        ("fc_bias _ ONNXTRT_Broadcast_constantHalf", True),
        ("/layer/weight_dconst", True),
        ("input", False),
        ("constant_input", False),
        ("/Constant_output_0", False),
        ("", False),
    ],
)
def test_names_of_constants(name: str, stored: bool) -> None:
    assert is_constant_name(name) is stored


def test_long_names_cost_no_time() -> None:
    assert not is_constant_name("_constantA_" * 100_000)


@pytest.mark.parametrize(("key", "unknown"), [("Weights", 1), ("Bias", 0)])
def test_a_convolution_without_its_filter_is_of_unknown_size(key: str, unknown: int) -> None:
    """A bias is not all that a convolution has."""
    record = {
        "Name": "c", "LayerType": "CaskConvolution", "ParameterType": "Convolution", "Kernel": [3, 3],
        "Inputs": [{"Name": "a"}], "Outputs": [{"Name": "b"}],
        "Weights": {"Type": "Half", "Count": 9}, "Bias": {"Type": "Half", "Count": 1},
    }  # fmt: skip
    del record[key]
    (layer,) = engine_from_documents([{"Layers": [record], "Bindings": ["a", "b"]}], "x").layers
    assert sum(weights.size_bytes is None for weights in layer.weights) == unknown
    dynamic = engine_from_documents([{"Layers": [record | {"HasDynamicFilter": 1}], "Bindings": ["a", "b"]}], "x")
    assert all(weights.size_bytes is not None for weights in dynamic.layers[0].weights)

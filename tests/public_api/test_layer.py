"""The classic Layer over a raw record, and folding."""

from __future__ import annotations

from copy import deepcopy

from tests.factories import chain, noop
from trex.layer import Layer, fold_no_ops


def tensor(name: str, dims: list[int], text: str = "Half") -> dict[str, object]:
    return {"Name": name, "Dimensions": dims, "Format/Datatype": text}


CONV = {
    "Name": "c",
    "LayerType": "CaskConvolution",
    "ParameterType": "Convolution",
    "Inputs": [tensor("x", [1, 64, 8, 8])],
    "Outputs": [tensor("t", [1, 64, 8, 8])],
    "Kernel": [1, 1],
    "Weights": {"Type": "BFloat16", "Count": 4096},
    "Bias": {"Type": "Float", "Count": 32},
    "Metadata": "[ONNX Layer: c]",
}


def test_a_layer_knows_its_weights_and_bias() -> None:
    layer = Layer(CONV)
    assert (layer.weights_cnt, layer.weights_type, layer.weights_size) == (4096, "BF16", 8192 + 128)
    assert (layer.bias_cnt, layer.bias_type, layer.bias_size) == (32, "FP32", 128)
    assert (layer.inputs_size_bytes, layer.outputs_size_bytes, layer.total_io_size_bytes) == (8192, 8192, 16384)
    assert layer.total_footprint_bytes == 2 * 8192 + 8192 + 128
    assert (layer.name, layer.type, layer.subtype) == ("c", "Convolution", "CaskConvolution")
    assert layer.metadata == "[ONNX Layer: c]"
    assert layer.raw_dict["Kernel"] == [1, 1]


def test_a_layer_without_weights_and_one_of_unknown_weights() -> None:
    bare = Layer({"Name": "p", "LayerType": "PointWise", "Inputs": [], "Outputs": []})
    assert (bare.weights_cnt, bare.weights_type, bare.weights_size) == (0, None, 0)
    odd = Layer({**CONV, "Weights": {"Type": "Mystery", "Count": 8}})
    assert odd.weights_size is None
    assert odd.total_footprint_bytes is None


def test_precision_is_the_operations_not_the_first_inputs() -> None:
    gather = {
        **CONV,
        "Inputs": [tensor("i", [4], "Int64"), tensor("x", [4, 4])],
        "Weights": {"Type": "Half", "Count": 4},
    }
    assert Layer(gather).precision == "FP16"


def test_tooltip_is_sorted_text() -> None:
    lines = Layer(CONV).tooltip().splitlines()
    assert lines == sorted(lines)
    assert "Kernel: [1, 1]" in lines
    assert not any(line.startswith("Inputs") for line in lines)
    assert repr(Layer(CONV)).startswith("c (Convolution, BF16)")


def test_folding_keeps_the_edge_beside_a_binding_and_changes_nothing_given() -> None:
    view = {
        "Name": "n",
        "LayerType": "NoOp",
        "Inputs": [tensor("t", [1, 64, 8, 8])],
        "Outputs": [tensor("y", [1, 4096])],
    }
    relu = {
        "Name": "r",
        "LayerType": "Activation",
        "Inputs": [tensor("t", [1, 64, 8, 8])],
        "Outputs": [tensor("z", [1])],
    }
    layers = [Layer(record) for record in (CONV, view, relu)]
    before = deepcopy([layer.raw_dict for layer in layers])
    folded = fold_no_ops(layers, ["x", "y", "z"])
    assert [(each.inputs[0].name, each.name, each.outputs[0].name) for each in folded] == [
        ("x", "c", "y"),
        ("y", "r", "z"),
    ]
    assert folded[1].raw_dict["Inputs"][0]["Name"] == "y"
    assert [layer.raw_dict for layer in layers] == before


def test_typed_layers_fold_too() -> None:
    (only,) = fold_no_ops(chain(noop("n", "x", "y")), ["x", "y"])
    assert only.type == "NoOp"

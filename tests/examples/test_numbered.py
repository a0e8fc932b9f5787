"""number_names: the tracer's counter, which also counts values that the export does not contain."""

from __future__ import annotations

from typing import Any

import pytest

onnx = pytest.importorskip("onnx")

from trex.examples.net import Net  # noqa: E402
from trex.examples.numbered import number_names  # noqa: E402
from trex.examples.quantize import quantize  # noqa: E402


def small(*, has_norm: bool = False) -> Any:
    net = Net("small")
    x = net.conv(net.input("x", (None, 3, 8, 8)), "conv", (3, 8), 3, has_bias=not has_norm)
    x = net.norm(x, "bn", 8) if has_norm else x
    x = net.describe(net.node("Relu", x, at="/relu"), (None, 8, 8, 8))
    net.output("y", net.node("GlobalAveragePool", x), (None, 8, 1, 1))
    return net.model(opset=13, ir_version=7)


def written(model: Any) -> list[tuple[str, list[str], list[str]]]:
    return [(node.name, list(node.input), list(node.output)) for node in model.graph.node]


def test_values_are_counted_from_the_first() -> None:
    model = number_names(small(), 10)
    assert written(model) == [
        ("Conv_0", ["x", "conv.weight", "conv.bias"], ["onnx::Relu_10"]),
        ("Relu_1", ["onnx::Relu_10"], ["onnx::GlobalAveragePool_11"]),
        ("GlobalAveragePool_2", ["onnx::GlobalAveragePool_11"], ["12"]),
    ]
    assert model.graph.output[0].name == "12"
    assert model.graph.value_info[0].name == "onnx::GlobalAveragePool_11"
    onnx.shape_inference.infer_shapes(model, strict_mode=True)


def test_without_prefixes_with_a_name_of_the_program_and_skipped_values() -> None:
    model = number_names(
        small(), 10, has_prefixes=False, names={"/relu/Relu_output_0": "input.8"}, skipped={"/GlobalAveragePool": 3}
    )
    assert [outputs for _, _, outputs in written(model)] == [["10"], ["input.8"], ["15"]]


def test_a_folded_normalization_is_counted_and_its_convolution_called_anew() -> None:
    model = number_names(small(), 10, has_folded_norms=True)
    assert written(model) == [
        ("Conv_0", ["x", "onnx::Conv_15", "onnx::Conv_16"], ["onnx::Relu_14"]),
        ("Relu_1", ["onnx::Relu_14"], ["onnx::GlobalAveragePool_12"]),
        ("GlobalAveragePool_2", ["onnx::GlobalAveragePool_12"], ["13"]),
    ]
    assert [tensor.name for tensor in model.graph.initializer] == ["onnx::Conv_15", "onnx::Conv_16"]


def test_a_stored_zero_point_of_weights_takes_two_numbers() -> None:
    model = quantize(small(has_norm=True), constants="nodes", weight_constants="shared")
    numbers = [node.output[0].rpartition("_")[2] for node in number_names(model, 123).graph.node]
    assert numbers == [str(n) for n in (123, 124, 125, 126, 127, 128, 129, 132, 133, 134, 135, 136, 137)]

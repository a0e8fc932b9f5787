"""quantize: the values that get quantizers, with their scales, axes, order and form."""

from __future__ import annotations

from typing import Any

import pytest

onnx = pytest.importorskip("onnx")

from tests.onnx_models import Net, convolution  # noqa: E402
from trex.core.errors import TrexError  # noqa: E402
from trex.examples.network import make_network  # noqa: E402
from trex.examples.quantize import quantize  # noqa: E402


def block(*, is_left: bool = False) -> Any:
    """Two convolutions around a shortcut, a pooling, a MatMul with a stored tensor and one of two values."""
    net = Net(opset=17)
    x = net.input("x", (1, 8, 8, 8))
    a = net.node("Relu", convolution(net, x, 8, 8, 3, "/a/Conv"), name="/a/Relu")
    b = convolution(net, a, 8, 8, 3, "/b/Conv")
    added = net.node("Add", *((a, b) if is_left else (b, a)), name="/Add")
    pooled = net.node("GlobalAveragePool", added, name="/pool")
    rows = net.node("Flatten", pooled, name="/flat")
    product = net.node("MatMul", rows, net.weight(8, 4), name="/c/MatMul")
    other = net.node("Add", product, net.weight(4), name="/c/Add")
    square = net.node("MatMul", net.node("Transpose", other, perm=[1, 0]), other, name="/d/MatMul")
    net.outputs.append(onnx.helper.make_tensor_value_info(square, 1, (4, 4)))
    return net.proto()


def names(model: Any, type: str) -> list[str]:
    return [node.name for node in model.graph.node if node.op_type == type]


def stored(model: Any, name: str) -> Any:
    tensor = next(entry for entry in model.graph.initializer if entry.name == name)
    return onnx.numpy_helper.to_array(tensor)


def test_inputs_and_weights_of_convolutions_and_products() -> None:
    model = block()
    quantized = quantize(model)
    assert names(quantized, "QuantizeLinear") == [
        f"/{at}/_{what}_quantizer/QuantizeLinear" for at in "abc" for what in ("input", "weight")
    ]
    assert names(model, "QuantizeLinear") == []
    assert [len(names(quantized, type)) for type in ("QuantizeLinear", "DequantizeLinear", "Constant")] == [6, 6, 0]
    onnx.shape_inference.infer_shapes(quantized, strict_mode=True)


def test_values_flow_through_their_quantizers() -> None:
    quantized = quantize(block())
    by_name = {node.name: node for node in quantized.graph.node}
    conv = by_name["/b/Conv"]
    dequantizer = by_name["/b/_input_quantizer/DequantizeLinear"]
    quantizer = by_name["/b/_input_quantizer/QuantizeLinear"]
    assert conv.input[0] == dequantizer.output[0]
    assert dequantizer.input[0] == quantizer.output[0]
    assert quantizer.input[0] == "/a/Relu_output_0"
    assert by_name["/Add"].input[1] == "/a/Relu_output_0"
    node_names = [node.name for node in quantized.graph.node]
    assert node_names.index(quantizer.name) < node_names.index(dequantizer.name) < node_names.index("/b/Conv")


def test_axes_and_scales_of_weights() -> None:
    quantized = quantize(block())
    axes = {
        node.name: {entry.name: entry.i for entry in node.attribute}.get("axis")
        for node in quantized.graph.node
        if node.op_type == "QuantizeLinear"
    }
    assert axes["/a/_weight_quantizer/QuantizeLinear"] == 0
    assert axes["/c/_weight_quantizer/QuantizeLinear"] == 1
    assert axes["/c/_input_quantizer/QuantizeLinear"] is None
    assert stored(quantized, "/a/_weight_quantizer/scale").tolist() == pytest.approx([1 / 127] * 8)
    assert stored(quantized, "/b/_input_quantizer/scale") == pytest.approx(4 / 127)
    assert stored(quantized, "/c/_weight_quantizer/scale").shape == (4,)
    assert stored(quantized, "/c/_weight_quantizer/zero_point").dtype == "int8"
    one = quantize(block(), per_channel=False)
    assert stored(one, "/a/_weight_quantizer/scale").shape == ()


def test_stored_weights_determine_their_range() -> None:
    model = make_network("resnet18", weights="random", names="paths")
    quantized = quantize(model)
    weights = stored(quantized, "layer1.0.conv1.weight")
    scale = stored(quantized, "/layer1/layer1.0/conv1/_weight_quantizer/scale")
    assert scale == pytest.approx(abs(weights).max(axis=(1, 2, 3)) / 127)


@pytest.mark.parametrize("is_left", (False, True))
def test_the_shortcut_is_the_branch_without_the_convolution(is_left: bool) -> None:
    quantized = quantize(block(is_left=is_left), residuals=True)
    added = next(node for node in quantized.graph.node if node.name == "/Add")
    assert [entry.endswith("DequantizeLinear_output_0") for entry in added.input] == [is_left, not is_left]
    order = names(quantized, "QuantizeLinear")
    residual, convolution = "/_residual_quantizer/QuantizeLinear", "/b/_input_quantizer/QuantizeLinear"
    short_names = [name.replace("/Add", "") for name in order]
    assert (short_names.index(residual) < short_names.index(convolution)) == is_left


def test_only_branches_of_one_value_are_a_residual() -> None:
    bert = make_network("bert-base")
    quantized = [n for n in quantize(bert, residuals=True).graph.node if n.op_type == "QuantizeLinear"]
    assert sum("_residual" in node.name for node in quantized) == 24
    assert not any("/self/_residual" in node.name or "embeddings" in node.name for node in quantized)


def test_pooling() -> None:
    assert "/pool/_input_quantizer/QuantizeLinear" in names(quantize(block(), pooling=True), "QuantizeLinear")


def test_constants_as_nodes_and_shared() -> None:
    quantized = quantize(block(), constants="nodes", weight_constants="shared")
    types = [node.op_type for node in quantized.graph.node][:10]
    quantizer = ["Constant", "Constant", "QuantizeLinear", "Constant", "Constant", "DequantizeLinear"]
    assert types == [*quantizer, "Constant", "QuantizeLinear", "DequantizeLinear", "Conv"]
    scale = {node.input[1] for node in quantized.graph.node[7:9]}
    assert len(scale) == 1


def test_what_cannot_be_quantized_is_an_error() -> None:
    model = block()
    with pytest.raises(TrexError, match="constants cannot be 'all'"):
        quantize(model, constants="all")
    with pytest.raises(TrexError, match="not FP32"):
        quantize(make_network("resnet18-fp16"))
    model.opset_import[0].version = 12
    with pytest.raises(TrexError, match="a scale per channel is not in opset 12"):
        quantize(model)
    assert quantize(model, per_channel=False)
    model.opset_import[0].version = 9
    with pytest.raises(TrexError, match="QuantizeLinear is not in opset 9"):
        quantize(model, per_channel=False)

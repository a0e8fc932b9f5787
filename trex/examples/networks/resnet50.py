"""ResNet50: sixteen bottleneck blocks, as tf2onnx exports them from Keras (version 1: stride in the first 1×1; 1.5: in
the 3×3, as in torchvision).

Source: He et al. 2015, table 1 (50 layers); Keras Applications. 3.86 GMACs for a 224×224 image, 25.6 M parameters.
The channels of the image are last. The quantized variant has quantizers at the inputs and weights of
convolutions and classifier, at the shortcuts and at the input of the global pooling, and layer names of the toolkit's
wrappers (``quant_…``). Numbers in names that no real engine contains are invented.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trex.examples.net import Net
from trex.examples.network import Network, NetworkOptions
from trex.examples.quantize import quantize

if TYPE_CHECKING:
    import onnx

_ROOT = "resnet50"
_STAGES = ((2, 64, 3), (3, 128, 4), (4, 256, 6), (5, 512, 3))
_WEIGHTS = "LastValueQuant/QuantizeAndDequantizeV4/ReadVariableOp:0"
# tf2onnx numbers its nodes: the first quantizer of weights, the first of an activation.
_FIRST_WEIGHT, _FIRST_INPUT, _STEP = 622, 838, 4


class _Keras:
    """The network's layers, named as in Keras."""

    def __init__(self, net: Net, is_quantized: bool, first_strides: bool = True) -> None:
        self.net = net
        self.is_quantized = is_quantized
        self.first_strides = first_strides

    def wrapped(self, layer: str) -> str:
        """Name of a layer that the toolkit wraps when it quantizes."""
        return f"{_ROOT}/quant_{layer}" if self.is_quantized else f"{_ROOT}/{layer}"

    def weights(self, layer: str, operator: str) -> str:
        return f"{self.wrapped(layer)}/{_WEIGHTS if self.is_quantized else f'{operator}/ReadVariableOp:0'}"

    def conv(
        self, x: str, layer: str, channels: tuple[int, int], kernel: int, stride: int = 1, padding: int | None = None
    ) -> str:
        """A convolution with its batch normalization, folded unless the weights are quantized."""
        conv, norm = f"{layer}_conv", f"{_ROOT}/{layer}_bn/FusedBatchNormV3"
        # The converter rewrites the first one, whose padding is a node of its own.
        special = ("Conv__435", f"{self.wrapped(conv)}/BiasAdd")[self.is_quantized] if layer == "conv1" else ""
        y = self.net.conv(
            x,
            self.wrapped(conv),
            channels,
            kernel,
            stride=stride,
            padding=padding,
            has_bias=not self.is_quantized or bool(special),
            name=special or f"{self.wrapped(conv)}/Conv2D",
            weight=self.weights(conv, "Conv2D"),
        )
        if self.is_quantized:
            return self.net.norm(y, f"{_ROOT}/{layer}_bn", channels[1], name=norm)
        return self.net.call(y, f"{norm}:0")

    def relu(self, x: str, layer: str) -> str:
        return self.net.node("Relu", x, name=f"{_ROOT}/{layer}/Relu")

    def pad(self, x: str, layer: str, before: list[int]) -> str:
        numbers = self.net.stored_constant(f"{_ROOT}/{layer}/paddings", [*before, *before], (2 * len(before),))
        return self.net.node("Pad", x, numbers, name=f"{_ROOT}/{layer}/Pad", mode="constant")

    def block(self, x: str, at: str, into: int, width: int, stride: int) -> str:
        strides = (stride, 1) if self.first_strides else (1, stride)
        y = self.relu(self.conv(x, f"{at}_1", (into, width), 1, strides[0]), f"{at}_1_relu")
        y = self.relu(self.conv(y, f"{at}_2", (width, width), 3, strides[1]), f"{at}_2_relu")
        y = self.conv(y, f"{at}_3", (width, 4 * width), 1)
        shortcut = x if into == 4 * width else self.conv(x, f"{at}_0", (into, 4 * width), 1, stride)
        added = self.net.node("Add", shortcut, y, name=f"{self.wrapped(f'{at}_add')}/add")
        return self.relu(added, f"{at}_out")

    def classify(self, x: str, into: int, batch: int | None) -> None:
        net, at = self.net, self.wrapped("predictions")
        mean = net.node("GlobalAveragePool", x, name=f"{self.wrapped('avg_pool')}/Mean")
        axes = net.stored_constant(f"{_ROOT}/avg_pool/axes", [2, 3], (2,))
        flat = net.node("Squeeze", mean, axes, name=f"{self.wrapped('avg_pool')}/Mean_Squeeze__1743")
        weights = net.weight(self.weights("predictions", "MatMul"), into, 1000)
        product = net.node("MatMul", flat, weights, name=f"{at}/MatMul")
        bias = net.weight(f"{at}/BiasAdd/ReadVariableOp:0", 1000)
        logits = net.node("Add", product, bias, name=f"{at}/BiasAdd")
        output = "quant_predictions" if self.is_quantized else "predictions"
        net.output(output, net.node("Softmax", logits, name=f"{at}/Softmax", axis=1), (batch, 1000))


def _blocks() -> Iterator[tuple[str, int, int, int]]:
    """(name, input channels, width, stride) of every block."""
    channels = 64
    for stage, width, count in _STAGES:
        for index in range(1, count + 1):
            yield f"conv{stage}_block{index}", channels, width, 2 if stage > 2 and index == 1 else 1
            channels = 4 * width


def _make(options: NetworkOptions) -> onnx.ModelProto:
    is_quantized = options.variant == "qat"
    net = Net("resnet50", weights=options.weights, suffix=":{}")
    keras = _Keras(net, is_quantized, options.variant != "v1.5")
    x = net.input("input_1", (options.batch, 224, 224, 3))
    if is_quantized:
        x = keras.pad(x, "conv1_pad", [0, 3, 3, 0])
    transposed = f"{_ROOT}/quant_conv1_conv/BiasAdd__1121" if is_quantized else f"{_ROOT}/conv1_conv/Conv2D__6"
    x = net.node("Transpose", x, name=transposed, perm=[0, 3, 1, 2])
    x = keras.relu(keras.conv(x, "conv1", (3, 64), 7, 2, 0 if is_quantized else 3), "conv1_relu")
    x = net.max_pool(keras.pad(x, "pool1_pad", [0, 0, 1, 1]), "", 3, 2, name=f"{_ROOT}/pool1_pool/MaxPool")
    for at, into, width, stride in _blocks():
        x = keras.block(x, at, into, width, stride)
    keras.classify(x, 4 * _STAGES[-1][1], options.batch)
    model = net.model(opset=13, ir_version=7)
    if is_quantized:
        model = quantize(model, residuals=True, pooling=True)
        _transpose_after_quantizer(model.graph, transposed)
        _number_quantizers(model.graph)
    return model


def _transpose_after_quantizer(graph: onnx.GraphProto, name: str) -> None:
    """The toolkit quantizes the image with its channels last, before the converter's transposition."""
    nodes = list(graph.node)
    index = next(index for index, node in enumerate(nodes) if node.name == name)
    transposition, quantize, dequantize = nodes[index : index + 3]
    convolution = next(node for node in nodes if node.input[0] == dequantize.output[0])
    quantize.input[0] = transposition.input[0]
    transposition.input[0] = dequantize.output[0]
    convolution.input[0] = transposition.output[0]
    nodes[index : index + 3] = [quantize, dequantize, transposition]
    del graph.node[:]
    graph.node.extend(nodes)


def _number_quantizers(graph: onnx.GraphProto) -> None:
    """Names Q and DQ by numbers as tf2onnx does, those of the weights first."""
    weights, inputs = ["conv1_conv"], ["conv1_conv/input"]
    for at, into, width, _ in _blocks():
        has_shortcut = into != 4 * width
        first = [f"{at}_0_conv", f"{at}_1_conv"] if has_shortcut else [f"{at}_1_conv"]
        rest = [f"{at}_2_conv", f"{at}_3_conv"]
        weights += [*first, *rest]
        inputs += [*(f"{conv}/input" for conv in first), f"{at}_add/residual", *(f"{conv}/input" for conv in rest)]
    quantizers = [f"{layer}/weight" for layer in (*weights, "predictions")]
    numbers = {quantizer: _FIRST_WEIGHT + _STEP * index for index, quantizer in enumerate(quantizers)}
    for index, quantizer in enumerate((*inputs, "avg_pool/input", "predictions/input")):
        numbers[quantizer] = _FIRST_INPUT + _STEP * index
    called: dict[str, str] = {}
    for node in graph.node:
        if node.op_type not in ("QuantizeLinear", "DequantizeLinear"):
            continue
        layer, what = node.name.split("/")[1:3]
        number = numbers[f"{layer.removeprefix('quant_')}/{what.removeprefix('_').removesuffix('_quantizer')}"]
        kind = "LastValueQuant_1" if what == "_input_quantizer" and layer != "quant_avg_pool" else "LastValueQuant"
        is_first = node.op_type == "QuantizeLinear"
        node.name = f"QuantLinearNode__{number}" if is_first else f"DequantLinearNode__{number + 2}"
        output = f"{node.name}:0" if is_first else f"{_ROOT}/{layer}/{kind}/QuantizeAndDequantizeV4:0"
        called[node.output[0]] = output
    for node in graph.node:
        node.input[:] = [called.get(name, name) for name in node.input]
        node.output[:] = [called.get(name, name) for name in node.output]


NETWORK = Network(
    _make,
    {
        "": "ResNet50 version 1 in FP32, also for FP16 builds",
        "v1.5": "ResNet50 version 1.5 in FP32, also for FP16 builds",
        "qat": "ResNet50 with Q/DQ at convolutions, classifier, shortcuts and global pooling",
    },
    has_names=False,
)

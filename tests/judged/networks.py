"""Networks with one known problem each, from which engines are built whose findings are judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tests.real_builds import empty_net, quantized

if TYPE_CHECKING:
    from tests.onnx_models import Net

FLOAT, INT64, HALF = 1, 7, 10
"""ONNX's numbers of types."""


def _weights(net: Net, *shape: int, type: int = HALF) -> str:
    """Weights with data that differ: equal ones are stored once."""
    import numpy as np
    from onnx import numpy_helper

    name = f"w{len(net.initializers)}"
    numbers = np.random.default_rng(len(net.initializers)).uniform(-0.1, 0.1, shape)
    net.initializers.append(numpy_helper.from_array(numbers.astype("f4" if type == FLOAT else "f2"), name))
    return name


def _scalar(net: Net, number: float, type: int = HALF) -> str:
    return net.constant([number], (), type)


def _conv(net: Net, x: str, channels: int, maps: int, kernel: int = 3, group: int = 1, type: int = HALF) -> str:
    weights = _weights(net, maps, channels // group, kernel, kernel, type=type)
    bias = _weights(net, maps, type=type)
    output: str = net.node("Conv", x, weights, bias, pads=[kernel // 2] * 4, group=group)
    return output


def single_precision() -> Net:
    """Six wide convolutions in FP32."""
    net = empty_net()
    x = net.input("x", (8, 128, 56, 56))
    for _ in range(6):
        x = net.node("Relu", _conv(net, x, 128, 128, type=FLOAT))
    net.output(x)
    return net


def aligned() -> Net:
    """The same in FP16: nothing to do."""
    net = empty_net()
    x = net.input("x", (8, 128, 56, 56), HALF)
    for _ in range(6):
        x = net.node("Relu", _conv(net, x, 128, 128))
    net.output(x, type=HALF)
    return net


def unaligned() -> Net:
    """Convolutions in FP16 with 65 channels, one more than the 64 that tiles hold."""
    net = empty_net()
    x = net.input("x", (8, 65, 56, 56), HALF)
    for _ in range(6):
        x = net.node("Relu", _conv(net, x, 65, 65))
    net.output(x, type=HALF)
    return net


def late_gelu() -> Net:
    """Convolutions with GELU written out by erf, each followed by a normalization over the channels."""
    net = empty_net()
    x = net.input("x", (8, 128, 56, 56), HALF)
    for _ in range(4):
        x = _conv(net, x, 128, 128)
        inner = net.node("Erf", net.node("Div", x, _scalar(net, 1.4142)))
        inner = net.node("Mul", x, net.node("Add", inner, _scalar(net, 1.0)))
        x = net.node("Mul", inner, _scalar(net, 0.5))
        mean = net.node("ReduceMean", x, net.constant([1]), keepdims=1)
        centered = net.node("Sub", x, mean)
        square = net.node("ReduceMean", net.node("Mul", centered, centered), net.constant([1]), keepdims=1)
        x = net.node("Div", centered, net.node("Sqrt", net.node("Add", square, _scalar(net, 0.001))))
    net.output(x, type=HALF)
    return net


def weights_quantized_at_run_time() -> Net:
    """Linear layers whose weights are fake-quantized with a scale that comes with the input."""
    net = empty_net()
    x = net.input("x", (64, 2048), HALF)
    scale = net.input("scale", (1,), HALF)
    for _ in range(3):
        weights = net.node("Round", net.node("Div", _weights(net, 2048, 2048), scale))
        weights = net.node("Clip", weights, _scalar(net, -127.0), _scalar(net, 127.0))
        x = net.node("Relu", net.node("MatMul", x, net.node("Mul", weights, scale)))
    net.output(x, type=HALF)
    return net


def softmax_across_rows() -> Net:
    """Attention whose softmax runs over the first axis of the scores, between transposes."""
    net = empty_net()
    x = net.input("x", (16, 512, 64), HALF)
    for _ in range(2):
        scores = net.node("MatMul", x, net.node("Transpose", x, perm=[0, 2, 1]))
        scores = net.node("Softmax", scores, axis=0)
        x = net.node("Add", x, net.node("MatMul", scores, x))
    net.output(x, type=HALF)
    return net


def gathered_and_scattered() -> Net:
    """Rows of a large table gathered, multiplied and scattered back."""
    net = empty_net()
    table = net.input("table", (65536, 256), HALF)
    rows = net.input("rows", (16384,), INT64)
    x = net.node("MatMul", net.node("Gather", table, rows), _weights(net, 256, 256))
    places = net.node("Unsqueeze", rows, net.constant([1]))
    net.output(net.node("ScatterND", table, places, net.node("Relu", x)), type=HALF)
    return net


def inverted_residuals() -> Net:
    """Blocks of MobileNet-v2 in FP16, with ReLU6 as Clip."""
    net = empty_net()
    x = net.input("x", (8, 32, 56, 56), HALF)

    def relu6(value: str) -> str:
        return str(net.node("Clip", value, _scalar(net, 0.0), _scalar(net, 6.0)))

    for _ in range(4):
        inner = relu6(_conv(net, x, 32, 192, 1))
        inner = relu6(_conv(net, inner, 192, 192, 3, group=192))
        x = net.node("Add", x, _conv(net, inner, 192, 32, 1))
    net.output(x, type=HALF)
    return net


def branches_and_copies() -> Net:
    """DenseNet: every block concatenates its input and its output."""
    net = empty_net()
    x, channels = net.input("x", (8, 64, 56, 56), HALF), 64
    for _ in range(6):
        y = net.node("Relu", _conv(net, net.node("Relu", x), channels, 32))
        x, channels = net.node("Concat", x, y, axis=1), channels + 32
    net.output(x, type=HALF)
    return net


def quantized_without_residuals() -> Net:
    """Residual blocks in INT8 whose shortcut and last pooling have no Q/DQ."""
    net = empty_net()

    def conv(x: str) -> str:
        weights = quantized(net, _weights(net, 128, 128, 3, 3, type=FLOAT), 0.001)
        return str(net.node("Conv", quantized(net, x, 0.02), weights, _weights(net, 128, type=FLOAT), pads=[1] * 4))

    x = net.input("x", (8, 128, 56, 56))
    for _ in range(3):
        x = net.node("Relu", net.node("Add", conv(net.node("Relu", conv(x))), x))
    net.output(net.node("GlobalAveragePool", x))
    return net


def large_classifier() -> Net:
    """Three linear layers of 4096 × 4096 for one row."""
    net = empty_net()
    x = net.input("x", (1, 4096), HALF)
    for _ in range(3):
        x = net.node("Relu", net.node("MatMul", x, _weights(net, 4096, 4096)))
    net.output(x, type=HALF)
    return net


def small_layers() -> Net:
    """Forty linear layers for one row of 64, each followed by a softmax."""
    net = empty_net()
    x = net.input("x", (1, 64), HALF)
    for _ in range(40):
        x = net.node("Softmax", net.node("MatMul", x, _weights(net, 64, 64)), axis=-1)
    net.output(x, type=HALF)
    return net


def wide_branches() -> Net:
    """Inception: four branches of small convolutions on one image, concatenated, four times."""
    net = empty_net()
    x = net.input("x", (1, 128, 14, 14), HALF)
    for _ in range(4):
        branches = [net.node("Relu", _conv(net, x, 128, 32, kernel)) for kernel in (1, 3, 5, 7)]
        x = net.node("Concat", *branches, axis=1)
    net.output(x, type=HALF)
    return net


def normalized_in_float() -> Net:
    """Linear layers in FP16 with a normalization in FP32 between casts, as exporters of half precision leave it."""
    net = empty_net()
    x = net.input("x", (4096, 1024), HALF)
    for _ in range(4):
        x = net.node("MatMul", x, _weights(net, 1024, 1024))
        y = net.node("Cast", x, to=FLOAT)
        mean = net.node("ReduceMean", y, net.constant([-1]), keepdims=1)
        y = net.node("Sub", y, mean)
        variance = net.node("ReduceMean", net.node("Mul", y, y), net.constant([-1]), keepdims=1)
        y = net.node("Div", y, net.node("Sqrt", net.node("Add", variance, _scalar(net, 0.001, FLOAT))))
        x = net.node("Cast", net.node("MatMul", y, _weights(net, 1024, 1024, type=FLOAT)), to=HALF)
    net.output(x, type=HALF)
    return net


def transposed_back_and_forth() -> Net:
    """Depthwise convolutions between linear layers over channels: a transpose before and after each, as ConvNeXt."""
    net = empty_net()
    x = net.input("x", (8, 96, 56, 56), HALF)
    for _ in range(3):
        y = net.node("Transpose", _conv(net, x, 96, 96, 7, group=96), perm=[0, 2, 3, 1])
        scale, bias = _weights(net, 96), _weights(net, 96)
        y = net.node("LayerNormalization", y, scale, bias, axis=-1)
        y = net.node("Gelu", net.node("MatMul", y, _weights(net, 96, 384)))
        y = net.node("Transpose", net.node("MatMul", y, _weights(net, 384, 96)), perm=[0, 3, 1, 2])
        x = net.node("Add", x, y)
    net.output(x, type=HALF)
    return net


def upsampled_and_joined() -> Net:
    """A decoder: resize to twice the extents, concatenation with a skip connection, convolution."""
    net = empty_net()
    skips = [net.input(f"skip{level}", (4, 64, 32 << level, 32 << level), HALF) for level in range(3)]
    x = net.input("x", (4, 64, 16, 16), HALF)
    for skip in skips:
        sizes = net.constant([1.0, 1.0, 2.0, 2.0], None, FLOAT)
        x = net.node("Concat", net.node("Resize", x, "", sizes, mode="nearest"), skip, axis=1)
        x = net.node("Relu", _conv(net, x, 128, 64))
    net.output(x, type=HALF)
    return net


def attention_in_float() -> Net:
    """Attention of eight heads in FP32, with the scores scaled and masked."""
    net = empty_net()
    x, mask = net.input("x", (8, 256, 64)), net.input("mask", (1, 256, 256))
    for _ in range(3):
        scores = net.node("MatMul", x, net.node("Transpose", x, perm=[0, 2, 1]))
        scores = net.node("Add", net.node("Mul", scores, _scalar(net, 0.125, FLOAT)), mask)
        x = net.node("Add", x, net.node("MatMul", net.node("Softmax", scores, axis=-1), x))
    net.output(x)
    return net


def weights_quantized_by_constants() -> Net:
    """Linear layers in FP16 whose weights are fake-quantized by operators that are no Q/DQ."""
    net = empty_net()
    x = net.input("x", (64, 2048), HALF)
    for _ in range(3):
        step = _weights(net, 2048)
        weights = net.node("Round", net.node("Div", _weights(net, 2048, 2048), step))
        weights = net.node("Mul", net.node("Clip", weights, _scalar(net, -127.0), _scalar(net, 127.0)), step)
        x = net.node("Relu", net.node("MatMul", x, weights))
    net.output(x, type=HALF)
    return net


def quantized_whole() -> Net:
    """Convolutions in INT8 without a residual: nothing to do in the model but its input and output."""
    net = empty_net()

    x = net.input("x", (8, 128, 56, 56))
    for _ in range(5):
        weights = quantized(net, _weights(net, 128, 128, 3, 3, type=FLOAT), 0.001)
        x = net.node("Conv", quantized(net, x, 0.02), weights, _weights(net, 128, type=FLOAT), pads=[1] * 4)
        x = net.node("Relu", x)
    net.output(x)
    return net


def one_product() -> Net:
    """One product of small matrices."""
    net = empty_net()
    x = net.input("x", (32, 64), HALF)
    net.output(net.node("MatMul", x, _weights(net, 64, 64)), type=HALF)
    return net


def unaligned_products() -> Net:
    """Linear layers with 1001 features, one more than a multiple of 8."""
    net = empty_net()
    x = net.input("x", (2048, 1001), HALF)
    for _ in range(4):
        x = net.node("Relu", net.node("MatMul", x, _weights(net, 1001, 1001)))
    net.output(x, type=HALF)
    return net


def large_products() -> Net:
    """Linear layers with GELU for many rows: nothing to do."""
    net = empty_net()
    x = net.input("x", (4096, 2048), HALF)
    for _ in range(4):
        x = net.node("Gelu", net.node("MatMul", x, _weights(net, 2048, 2048)))
    net.output(x, type=HALF)
    return net


def activations_between_convolutions() -> Net:
    """Convolutions in FP32 with hard swish written out."""
    net = empty_net()
    x = net.input("x", (4, 64, 56, 56))
    for _ in range(5):
        x = _conv(net, x, 64, 64, type=FLOAT)
        gate = net.node("Add", x, _scalar(net, 3.0, FLOAT))
        gate = net.node("Clip", gate, _scalar(net, 0.0, FLOAT), _scalar(net, 6.0, FLOAT))
        x = net.node("Mul", x, net.node("Div", gate, _scalar(net, 6.0, FLOAT)))
    net.output(x)
    return net


def casts_between_convolutions() -> Net:
    """Convolutions in FP16 with every other one in FP32 between casts."""
    net = empty_net()
    x = net.input("x", (8, 64, 56, 56), HALF)
    for _ in range(3):
        y = net.node("Cast", net.node("Relu", _conv(net, x, 64, 64)), to=FLOAT)
        x = net.node("Cast", net.node("Relu", _conv(net, y, 64, 64, type=FLOAT)), to=HALF)
    net.output(x, type=HALF)
    return net


NETWORKS: tuple[Callable[[], Net], ...] = (
    single_precision,
    aligned,
    unaligned,
    late_gelu,
    weights_quantized_at_run_time,
    softmax_across_rows,
    gathered_and_scattered,
    inverted_residuals,
    branches_and_copies,
    quantized_without_residuals,
    large_classifier,
    small_layers,
    wide_branches,
    normalized_in_float,
    transposed_back_and_forth,
    upsampled_and_joined,
    attention_in_float,
    weights_quantized_by_constants,
    quantized_whole,
    one_product,
    unaligned_products,
    large_products,
    activations_between_convolutions,
    casts_between_convolutions,
)

"""Generated ONNX models of any number of nodes, in shapes that passes could be slow on; needs the package ``onnx``."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from pathlib import Path

from trex.examples.blocks import attention, dense, layer_norm
from trex.examples.net import Net
from trex.examples.quantize import quantize


def _residual(net: Net, nodes: int) -> str:
    """Blocks of two convolutions around a shortcut: five nodes each."""
    x = net.input("x", (1, 64, 28, 28))
    for block in range(max(1, nodes // 5)):
        y = net.node("Relu", net.conv(x, f"b{block}.a", (64, 64), 3), at=f"/b{block}/a")
        y = net.conv(y, f"b{block}.b", (64, 64), 3)
        x = net.node("Relu", net.node("Add", y, x, at=f"/b{block}"), at=f"/b{block}/c")
    net.output("y", x, (1, 64, 28, 28))
    return x


def _encoder(net: Net, nodes: int) -> None:
    """Layers of a transformer: attention, normalization, two products: about fifty nodes each."""
    x = net.input("x", (1, 128, 256))
    for layer in range(max(1, nodes // 48)):
        at = f"l{layer}"
        rows = [dense(net, x, f"{at}.{name}", 256, 256) for name in ("q", "k", "v")]
        y = attention(net, rows, f"/{at}", 4, 256)
        x = layer_norm(net, net.node("Add", y, x, at=f"/{at}"), f"{at}.n1", 256, 1e-5)
        y = net.node("Relu", dense(net, x, f"{at}.wide", 256, 1024), at=f"/{at}")
        y = dense(net, y, f"{at}.narrow", 1024, 256)
        x = layer_norm(net, net.node("Add", y, x, at=f"/{at}/2"), f"{at}.n2", 256, 1e-5)
    net.output("y", x, (1, 128, 256))


def _chain(net: Net, nodes: int) -> None:
    """Pointwise operations one behind the other: all of them could be one kernel."""
    x = net.input("x", (1, 64, 28, 28))
    for index in range(nodes):
        x = net.node(("Sigmoid", "Tanh", "Exp", "Neg")[index % 4], x, at=f"/p{index}")
    net.output("y", x, (1, 64, 28, 28))


def _fan(net: Net, nodes: int) -> None:
    """Convolutions side by side that read one tensor, joined at the end: one tensor of thousands of readers."""
    x = net.input("x", (1, 16, 14, 14))
    rows = []
    for index in range(max(2, nodes // 2)):
        rows.append(net.node("Relu", net.conv(x, f"c{index}", (16, 8), 1), at=f"/c{index}"))
    net.output("y", net.node("Concat", *rows, at="/joined", axis=1), (1, 8 * len(rows), 14, 14))


def _dense(net: Net, nodes: int) -> None:
    """Blocks as DenseNet has them: each convolution reads all that came before it in its block of twelve."""
    x, channels = net.input("x", (1, 32, 14, 14)), 32
    for block in range(max(1, nodes // 37)):
        grown = [x]
        for index in range(12):
            at = f"b{block}.{index}"
            joined = net.node("Concat", *grown, at=f"/{at}", axis=1) if len(grown) > 1 else x
            y = net.conv(joined, at, (channels + 8 * index, 8), 3)
            grown.append(net.node("Relu", y, at=f"/{at}"))
        x = net.conv(net.node("Concat", *grown, at=f"/b{block}", axis=1), f"b{block}.last", (channels + 96, 32), 1)
    net.output("y", x, (1, 32, 14, 14))


def _dense_block(net: Net, edges: int) -> None:
    """One dense block: each layer (1×1 and 3×3 convolution) reads a concatenation of the outputs of all before it.

    edges: about so many inputs of concatenations, half the square of the layers.
    """
    joined, channels = net.input("x", (1, 32, 14, 14)), 32
    grown = [joined]
    for index in range(max(2, isqrt(2 * edges))):
        at = f"l{index}"
        y = net.conv(net.node("Relu", joined, at=f"/{at}/a"), f"{at}.a", (channels, 32), 1)
        grown.append(net.conv(net.node("Relu", y, at=f"/{at}/b"), f"{at}.b", (32, 8), 3))
        joined = net.node("Concat", *grown, at=f"/{at}", axis=1)
        channels += 8
    net.output("y", joined, (1, channels, 14, 14))


def _reshapes(net: Net, nodes: int) -> None:
    """Data that is only moved: transposes and reshapes between activations."""
    x = net.input("x", (1, 32, 32, 32))
    for index in range(max(1, nodes // 3)):
        x = net.node("Transpose", x, at=f"/t{index}", perm=[0, 2, 3, 1])
        x = net.node("Relu", x, at=f"/r{index}")
        x = net.node("Reshape", x, net.constant([1, 32, 32, 32], (4,)), at=f"/s{index}")
    net.output("y", x, (1, 32, 32, 32))


SHAPES: dict[str, Callable[[Net, int], object]] = {
    "residual": _residual,
    "quantized": _residual,
    "encoder": _encoder,
    "dense": _dense,
    "dense block": _dense_block,
    "chain": _chain,
    "fan": _fan,
    "reshapes": _reshapes,
}


def write_grown(shape: str, nodes: int, folder: Path) -> Path:
    """A model of about so many nodes; its weights are described without data."""
    path = folder / f"{shape}-{nodes}.onnx"
    if not path.exists():
        net = Net(shape)
        SHAPES[shape](net, nodes // 3 if shape == "quantized" else nodes)
        model = net.model(opset=17, ir_version=8)
        path.write_bytes((quantize(model, residuals=True) if shape == "quantized" else model).SerializeToString())
    return path

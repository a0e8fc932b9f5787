"""Blocks of convolutions: activations, residuals, depthwise, grouped, transposed, pooled."""

from __future__ import annotations

from collections.abc import Mapping

from trex.examples.net import Net
from trex.examples.patterns.parts import ACTIVATIONS, CHANNELS, EXTENT, IMAGE, Block, conv, image_input


def _conv_then(activation: str) -> Block:
    """Two convolutions, each with the activation."""
    return lambda net: (
        conv(net, conv(net, image_input(net), "conv1", activation), "conv2", activation),
        IMAGE,
    )


def _residual(activation: str) -> Block:
    """x + convolutions(x), then the activation, as in ResNet."""

    def block(net: Net) -> tuple[str, tuple[int, ...]]:
        x = conv(net, image_input(net), "stem", activation)
        y = conv(net, conv(net, x, "conv1", activation), "conv2", "")
        return conv(net, ACTIVATIONS[activation](net, net.node("Add", y, x, at="/add")), "head", ""), IMAGE

    return block


def _activated_residual(net: Net) -> tuple[str, tuple[int, ...]]:
    """x + SiLU(convolution), as in YOLO's bottlenecks."""
    x = conv(net, image_input(net), "stem", "silu")
    y = conv(net, conv(net, x, "conv1", "silu"), "conv2", "silu")
    return conv(net, net.node("Add", x, y, at="/add"), "head", "silu"), IMAGE


def _depthwise(net: Net) -> tuple[str, tuple[int, ...]]:
    """Expansion, depthwise convolution, projection and shortcut, as in MobileNet."""
    x, wide = image_input(net), 4 * CHANNELS
    y = conv(net, x, "expand", "relu6", CHANNELS, wide, 1)
    y = conv(net, y, "depthwise", "relu6", wide, wide, group=wide)
    return net.node("Add", x, conv(net, y, "project", "", wide, CHANNELS, 1), at="/add"), IMAGE


def _squeeze_excite(net: Net) -> tuple[str, tuple[int, ...]]:
    y = conv(net, image_input(net), "depthwise", "silu", group=CHANNELS)
    gate = net.node("GlobalAveragePool", y, at="/se")
    gate = conv(net, gate, "se.reduce", "silu", CHANNELS, 16, 1)
    gate = conv(net, gate, "se.expand", "sigmoid", 16, CHANNELS, 1)
    return conv(net, net.node("Mul", y, gate, at="/se"), "project", "", kernel=1), IMAGE


def _grouped_convolution(net: Net) -> tuple[str, tuple[int, ...]]:
    y = conv(net, conv(net, image_input(net), "conv1", kernel=1), "conv2", group=8)
    return conv(net, y, "conv3", "", kernel=1), IMAGE


def _transposed(net: Net) -> tuple[str, tuple[int, ...]]:
    coarse = conv(net, image_input(net, "coarse", extent=EXTENT // 2), "conv")
    weight, bias = net.weight("up.weight", CHANNELS, CHANNELS, 2, 2), net.weight("up.bias", CHANNELS)
    wide = net.node("ConvTranspose", coarse, weight, bias, at="/up", kernel_shape=[2, 2], strides=[2, 2])
    y = net.node("Concat", net.node("Relu", wide, at="/up"), image_input(net, "fine"), at="/concat", axis=1)
    return conv(net, y, "head", into=2 * CHANNELS), IMAGE


def _padded(net: Net) -> tuple[str, tuple[int, ...]]:
    pads = net.constant([0, 0, 1, 1, 0, 0, 1, 1], (8,))
    y = net.node("Pad", image_input(net), pads, at="/pad", mode="constant")
    return conv(net, conv(net, y, "conv1", padding=0), "conv2"), IMAGE


def _pooled(net: Net) -> tuple[str, tuple[int, ...]]:
    """Max and average pooling between convolutions, then a classifier."""
    y = net.max_pool(conv(net, image_input(net), "conv1"), "/pool", 2, 2)
    y = net.node("AveragePool", conv(net, y, "conv2"), at="/pool", kernel_shape=[2, 2], strides=[2, 2])
    y = net.node("Flatten", net.node("GlobalAveragePool", conv(net, y, "conv3"), at="/pool"), at="/pool", axis=1)
    return net.linear(y, "fc", (CHANNELS, 10)), (1, 10)


BLOCKS: Mapping[str, Block] = {
    **{f"conv-{name}": _conv_then(name) for name in ACTIVATIONS},
    "residual-relu": _residual("relu"),
    "residual-silu": _residual("silu"),
    "residual-activated": _activated_residual,
    "depthwise": _depthwise,
    "squeeze-excite": _squeeze_excite,
    "grouped-convolution": _grouped_convolution,
    "transposed-convolution": _transposed,
    "padded-convolution": _padded,
    "pooled": _pooled,
}

"""Blocks of normalizations, with what stands around them in networks."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from trex.examples.blocks import dense, layer_norm
from trex.examples.net import Net
from trex.examples.patterns.parts import (
    CHANNELS,
    IMAGE,
    ROWS,
    WIDTH,
    Block,
    group_norm,
    image_input,
    rms_norm,
    rows_input,
    scalar,
    silu,
)


def _written_layer_norm(net: Net, x: str) -> str:
    """Layer normalization as operators, as exported before opset 17."""
    at = "/norm"
    centered = net.node("Sub", x, net.node("ReduceMean", x, at=at, axes=[-1], keepdims=1), at=at)
    square = net.node("Pow", centered, scalar(net, 2.0), at=at)
    variance = net.node("ReduceMean", square, at=at, axes=[-1], keepdims=1)
    root = net.node("Sqrt", net.node("Add", variance, scalar(net, 1e-3), at=at), at=at)
    y = net.node("Mul", net.node("Div", centered, root, at=at), net.weight("norm.weight", WIDTH, around=1.0), at=at)
    return net.node("Add", y, net.weight("norm.bias", WIDTH), at=at)


_NORMS: Mapping[str, Callable[[Net, str], str]] = {
    "layer-norm": lambda net, x: layer_norm(net, x, "norm", WIDTH, 1e-5),
    "layer-norm-written": _written_layer_norm,
    "rms-norm": lambda net, x: rms_norm(net, x, "norm"),
}


def _normed(norm: str) -> Block:
    """A residual, its normalization and a linear layer."""

    def block(net: Net) -> tuple[str, tuple[int, ...]]:
        x = net.node("Add", rows_input(net), rows_input(net, "residual"), at="/residual")
        return dense(net, _NORMS[norm](net, x), "fc", WIDTH, WIDTH), ROWS

    return block


def _group_norm(net: Net) -> tuple[str, tuple[int, ...]]:
    """Group normalization with SiLU between convolutions, as in diffusion models."""
    y = silu(net, group_norm(net, net.conv(image_input(net), "conv1", (CHANNELS, CHANNELS), 3), "norm"))
    return net.conv(y, "conv2", (CHANNELS, CHANNELS), 3), IMAGE


def _time_residual(net: Net) -> tuple[str, tuple[int, ...]]:
    """A residual of two convolutions, each after group normalization and SiLU, with the time added between them."""
    x, time = net.conv(image_input(net), "stem", (CHANNELS, CHANNELS), 3), net.input("time", (1, WIDTH))
    y = net.conv(silu(net, group_norm(net, x, "norm1")), "conv1", (CHANNELS, CHANNELS), 3)
    shift = net.linear(silu(net, time), "time", (WIDTH, CHANNELS))
    y = net.node("Add", y, net.node("Unsqueeze", shift, net.constant([2, 3], (2,)), at="/time"), at="/time")
    y = net.conv(silu(net, group_norm(net, y, "norm2")), "conv2", (CHANNELS, CHANNELS), 3)
    return net.conv(net.node("Add", x, y, at="/add"), "head", (CHANNELS, CHANNELS), 3), IMAGE


def _instance_norm(net: Net) -> tuple[str, tuple[int, ...]]:
    x = net.conv(image_input(net), "conv1", (CHANNELS, CHANNELS), 3)
    scale, bias = net.weight("norm.weight", CHANNELS, around=1.0), net.weight("norm.bias", CHANNELS)
    y = net.node("InstanceNormalization", x, scale, bias, at="/norm", epsilon=1e-5)
    return net.conv(net.node("Relu", y, at="/act"), "conv2", (CHANNELS, CHANNELS), 3), IMAGE


def _batch_norm(net: Net) -> tuple[str, tuple[int, ...]]:
    x = image_input(net)
    for name in ("block1", "block2"):
        y = net.conv(x, f"{name}.conv", (CHANNELS, CHANNELS), 3, has_bias=False)
        x = net.node("Relu", net.norm(y, f"{name}.norm", CHANNELS), at="/act")
    return x, IMAGE


BLOCKS: Mapping[str, Block] = {
    **{f"{name}": _normed(name) for name in _NORMS},
    "group-norm": _group_norm,
    "time-residual": _time_residual,
    "instance-norm": _instance_norm,
    "batch-norm": _batch_norm,
}

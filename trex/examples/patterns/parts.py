"""What several building blocks share: sizes, inputs, activations, attention over heads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import sqrt

from trex.examples.blocks import dense, gelu
from trex.examples.net import Net

Block = Callable[[Net], tuple[str, tuple[int, ...]]]
"""Adds a pattern with its inputs to a Net; returns (value of the output, its shape)."""
CHANNELS, EXTENT = 64, 28
IMAGE = (1, CHANNELS, EXTENT, EXTENT)
WIDTH, TOKENS, HEADS = 256, 128, 4
ROWS = (1, TOKENS, WIDTH)
SIZE = WIDTH // HEADS


def scalar(net: Net, number: float) -> str:
    return net.constant([number], (), type=net.type)


def image_input(net: Net, name: str = "x", channels: int = CHANNELS, extent: int = EXTENT) -> str:
    return net.input(name, (1, channels, extent, extent))


def rows_input(net: Net, name: str = "x", tokens: int = TOKENS) -> str:
    return net.input(name, (1, tokens, WIDTH))


def projected_rows(net: Net, x: str, context: str = "") -> list[str]:
    reads = {"query": x, "key": context or x, "value": context or x}
    return [dense(net, read, name, WIDTH, WIDTH) for name, read in reads.items()]


def heads_attention(net: Net, rows: Sequence[str], key_heads: int, mask: str = "", rotary: bool = False) -> str:
    """Attention with the scale at the query and, with fewer heads of key and value, their repetition."""
    at, repeats = "/attention", HEADS // key_heads

    def split(row: str, heads: int) -> str:
        y = net.node("Reshape", row, net.constant([1, TOKENS, heads, SIZE], (4,), at), at=at)
        return net.node("Transpose", y, at=at, perm=[0, 2, 1, 3])

    def repeated(y: str) -> str:
        if repeats == 1:
            return y
        y = net.node("Unsqueeze", y, net.constant([2], (1,), at), at=at)
        y = net.node("Expand", y, net.constant([1, key_heads, repeats, TOKENS, SIZE], (5,), at), at=at)
        return net.node("Reshape", y, net.constant([1, HEADS, TOKENS, SIZE], (4,), at), at=at)

    query, key, value = split(rows[0], HEADS), split(rows[1], key_heads), split(rows[2], key_heads)
    if rotary:
        query, key = _rotated(net, query), _rotated(net, key)
    query = net.node("Mul", query, scalar(net, 1 / sqrt(SIZE)), at=at)
    key, value = repeated(key), repeated(value)
    scores = net.node("MatMul", query, net.node("Transpose", key, at=at, perm=[0, 1, 3, 2]), at=at)
    scores = net.node("Add", scores, mask, at=at) if mask else scores
    y = net.node("MatMul", net.node("Softmax", scores, at=at, axis=-1), value, at=at)
    y = net.node("Transpose", y, at=at, perm=[0, 2, 1, 3])
    return net.node("Reshape", y, net.constant([1, TOKENS, WIDTH], (3,), at), at=at)


def _rotated(net: Net, y: str) -> str:
    """Rotary position embedding: y · cos + (−second half, first half) · sin."""
    at, half = "/rotary", SIZE // 2
    cos, sin = (net.weight(f"rotary.{name}", 1, 1, TOKENS, SIZE) for name in ("cos", "sin"))
    axes, one = net.constant([-1], (1,), at), net.constant([half], (1,), at)
    first = net.node("Slice", y, net.constant([0], (1,), at), one, axes, at=at)
    second = net.node("Slice", y, one, net.constant([SIZE], (1,), at), axes, at=at)
    turned = net.node("Concat", net.node("Neg", second, at=at), first, at=at, axis=-1)
    return net.node("Add", net.node("Mul", y, cos, at=at), net.node("Mul", turned, sin, at=at), at=at)


def rms_norm(net: Net, x: str, module: str) -> str:
    at = f"/{module}"
    mean = net.node("ReduceMean", net.node("Pow", x, scalar(net, 2.0), at=at), at=at, axes=[-1], keepdims=1)
    root = net.node("Sqrt", net.node("Add", mean, scalar(net, 1e-3), at=at), at=at)
    return net.node("Mul", net.node("Div", x, root, at=at), net.weight(f"{module}.weight", WIDTH, around=1.0), at=at)


def group_norm(net: Net, x: str, module: str) -> str:
    """Group normalization of an image, as PyTorch exports it."""
    at, groups = f"/{module}", 32
    ones = net.stored_constant("group_norm.ones", [1.0] * groups, (groups,), net.type)
    zeros = net.stored_constant("group_norm.zeros", [0.0] * groups, (groups,), net.type)
    y = net.node("Reshape", x, net.constant([0, groups, -1], (3,), at), at=at)
    y = net.node("InstanceNormalization", y, ones, zeros, at=at, epsilon=1e-5)
    y = net.node("Reshape", y, net.constant(IMAGE, (4,), at), at=at)
    y = net.node("Mul", y, net.weight(f"{module}.weight", CHANNELS, 1, 1, around=1.0), at=at)
    return net.node("Add", y, net.weight(f"{module}.bias", CHANNELS, 1, 1), at=at)


def _tanh_gelu(net: Net, x: str) -> str:
    """x · (1 + tanh(√(2/π) · (x + 0.044715 · x³))) / 2."""
    at = "/gelu"
    cube = net.node("Mul", net.node("Pow", x, scalar(net, 3.0), at=at), scalar(net, 0.044715), at=at)
    y = net.node("Mul", net.node("Add", x, cube, at=at), scalar(net, 0.7978845608), at=at)
    y = net.node("Add", net.node("Tanh", y, at=at), scalar(net, 1.0), at=at)
    return net.node("Mul", net.node("Mul", x, scalar(net, 0.5), at=at), y, at=at)


def silu(net: Net, x: str, at: str = "/silu") -> str:
    return net.node("Mul", x, net.node("Sigmoid", x, at=at), at=at)


ACTIVATIONS: Mapping[str, Callable[[Net, str], str]] = {
    "relu": lambda net, x: net.node("Relu", x, at="/act"),
    "silu": silu,
    "gelu": lambda net, x: gelu(net, x, "/gelu"),
    "gelu-tanh": _tanh_gelu,
    "hardswish": lambda net, x: net.node("HardSwish", x, at="/act"),
    "leaky-relu": lambda net, x: net.node("LeakyRelu", x, at="/act", alpha=0.1),
    "sigmoid": lambda net, x: net.node("Sigmoid", x, at="/act"),
    "relu6": lambda net, x: net.node("Clip", x, scalar(net, 0.0), scalar(net, 6.0), at="/act"),
}


def conv(
    net: Net, x: str, name: str, activation: str = "relu", into: int = CHANNELS, out: int = CHANNELS,
    kernel: int = 3, *, group: int = 1, padding: int | None = None,
) -> str:  # fmt: skip
    y = net.conv(x, name, (into, out), kernel, group=group, padding=padding)
    return ACTIVATIONS[activation](net, y) if activation else y

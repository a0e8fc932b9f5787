"""Blocks that several networks share: classifiers; of transformers linear layers, attention, GELU, normalization."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from trex.examples.net import Net, path_of


def list_path(module: str) -> str:
    """Path of a module inside lists that are no modules: ``encoder.layer.0.output`` → /encoder/layer.0/output.

    >>> list_path("blocks.0.attentions.1.norm")
    '/blocks.0/attentions.1/norm'
    """
    parts: list[str] = []
    for part in module.split("."):
        parts[-1:] = [f"{parts[-1]}.{part}"] if part.isdigit() and parts else [*parts[-1:], part]
    return "".join(f"/{part}" for part in parts)


def dense(net: Net, x: str, module: str, into: int, out: int, *, has_bias: bool = True) -> str:
    """A linear layer over the last of three dimensions, as MatMul and Add; the shape of its weights is (in, out)."""
    at = list_path(module)
    product = net.node("MatMul", x, net.weight(f"{module}.weight", into, out), at=at)
    return net.node("Add", net.weight(f"{module}.bias", out), product, at=at) if has_bias else product


def classifier(net: Net, x: str, layers: Sequence[tuple[int, int, int]]) -> str:
    """Flattened, through linear layers with ReLU between. layers: (index in ``classifier``, inputs, outputs)."""
    x = net.node("Flatten", x, axis=1)
    for index, into, out in layers:
        x = net.linear(x, f"classifier.{index}", (into, out))
        if index != layers[-1][0]:
            x = net.node("Relu", x, at=path_of(f"classifier.{index + 1}"))
    return x


def attention(net: Net, rows: Sequence[str], at: str, heads: int, width: int, mask: str = "") -> str:
    """Softmax(query · key / √size + mask) · value for every head. rows: query, key, value, each ``width`` wide."""
    size = width // heads

    def split(row: str, order: tuple[int, ...]) -> str:
        y = net.node("Reshape", row, net.constant([0, 0, heads, size], (4,), at), at=at)
        return net.node("Transpose", y, at=at, perm=order)

    query, key, value = map(split, rows, ((0, 2, 1, 3), (0, 2, 3, 1), (0, 2, 1, 3)))
    scores = net.node("MatMul", query, key, at=at)
    scores = net.node("Div", scores, net.constant([sqrt(size)], (), at, net.type), at=at)
    scores = net.node("Add", scores, mask, at=at) if mask else scores
    shares = net.node("Softmax", scores, at=at, axis=-1)
    y = net.node("Transpose", net.node("MatMul", shares, value, at=at), at=at, perm=(0, 2, 1, 3))
    return net.node("Reshape", y, net.constant([0, 0, width], (3,), at), at=at)


def gelu(net: Net, x: str, at: str) -> str:
    """x · (1 + erf(x / √2)) / 2, as PyTorch exports it before opset 20."""
    root, one, half = (net.constant([number], (), at, net.type) for number in (sqrt(2), 1.0, 0.5))
    error = net.node("Erf", net.node("Div", x, root, at=at), at=at)
    return net.node("Mul", net.node("Mul", x, net.node("Add", error, one, at=at), at=at), half, at=at)


def layer_norm(net: Net, x: str, module: str, width: int, epsilon: float) -> str:
    scale, bias = net.weight(f"{module}.weight", width, around=1.0), net.weight(f"{module}.bias", width)
    return net.node("LayerNormalization", x, scale, bias, at=list_path(module), axis=-1, epsilon=epsilon)

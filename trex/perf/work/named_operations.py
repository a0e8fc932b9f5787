"""Names of ONNX nodes → the operations they stand for, where exporters name nodes after them (``/act/Relu_1``)."""

from __future__ import annotations

from functools import lru_cache

_ACTIVATIONS = {
    "relu": 1,
    "clip": 2,
    "leakyrelu": 2,
    "tanh": 1,
    "erf": 1,
    "sigmoid": 4,
    "gelu": 5,
    "silu": 5,
    "swish": 5,
    "hardsigmoid": 4,
    "hardswish": 5,
    "elu": 4,
    "softplus": 3,
}
_PRODUCTS = frozenset(
    {"matmul", "gemm", "conv", "convtranspose", "einsum", "attention", "multiheadattention", "matmulinteger"}
    | {"convinteger", "qlinearconv", "qlinearmatmul", "linear", "conv1d", "conv2d", "conv3d", "lstm", "gru", "rnn"}
)


# Parts of which every name in a set has one: most layers' names have none, which is found at once.
_IN_ACTIVATIONS = ("lu", "clip", "tanh", "erf", "sigmoid", "swish", "softplus")
_IN_PRODUCTS = ("mat", "gemm", "conv", "einsum", "attention", "linear", "lstm", "gru", "rnn")


def activation_in_names(names: tuple[str, ...]) -> int:
    """Operations per value of the activations among nodes so named, 0 when none is."""
    return sum(_ACTIVATIONS.get(_operator(name), 0) for name in names) if _has(names, _IN_ACTIVATIONS) else 0


def product_in_names(names: tuple[str, ...]) -> str:
    """The first name that stands for a matrix product or convolution, "" when none does."""
    if not _has(names, _IN_PRODUCTS):
        return ""
    return next((name for name in names if _operator(name) in _PRODUCTS), "")


def _has(names: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    text = "".join(names).lower()
    return any(map(text.__contains__, parts))


@lru_cache(maxsize=8192)
def _operator(name: str) -> str:
    """``/layer1/relu/Relu_1`` → relu; ``node_MatMul_12`` → matmul."""
    last = name.rpartition("/")[2].rpartition(":")[2].rstrip("_0123456789").removeprefix("node_")
    return last.replace("_", "").lower()


def concatenation_in_names(names: tuple[str, ...]) -> bool:
    """True when a node among them is a concatenation."""
    return any(_operator(name) in ("concat", "cat", "concatenation") for name in names)

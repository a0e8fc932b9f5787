"""Names of ONNX nodes → the operations they stand for, where exporters name nodes after them (``/act/Relu_1``)."""

from __future__ import annotations

from collections.abc import Iterable
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
    "softplus": 2,
}
_PRODUCTS = frozenset(
    {"matmul", "gemm", "conv", "convtranspose", "einsum", "attention", "multiheadattention", "matmulinteger"}
    | {"convinteger", "qlinearconv", "qlinearmatmul", "linear", "conv1d", "conv2d", "conv3d", "lstm", "gru", "rnn"}
)


def activation_in_names(names: Iterable[str]) -> int:
    """Operations per value of the activations among nodes so named, 0 when none is."""
    return sum(_ACTIVATIONS.get(_operator(name), 0) for name in names)


def product_in_names(names: Iterable[str]) -> str:
    """The first name that stands for a matrix product or convolution, "" when none does."""
    return next((name for name in names if _operator(name) in _PRODUCTS), "")


@lru_cache(maxsize=8192)
def _operator(name: str) -> str:
    """``/layer1/relu/Relu_1`` → relu; ``node_MatMul_12`` → matmul."""
    last = name.rpartition("/")[2].rpartition(":")[2].rstrip("_0123456789").removeprefix("node_")
    return last.replace("_", "").lower()

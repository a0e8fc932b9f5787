"""Names of ONNX nodes → their operations, since exporters name nodes after them (``/act/Relu_1``)."""

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
_GEMMS = frozenset(
    {"matmul", "gemm", "conv", "convtranspose", "einsum", "attention", "multiheadattention", "matmulinteger"}
    | {"convinteger", "qlinearconv", "qlinearmatmul", "linear", "conv1d", "conv2d", "conv3d", "lstm", "gru", "rnn"}
)


def activation_in_names(names: tuple[str, ...]) -> int:
    """Operations per value of the activations among these nodes, 0 if there is none."""
    return sum([_ACTIVATIONS.get(_operator(name), 0) for name in names])


def gemm_in_names(names: tuple[str, ...]) -> str:
    """The first name of a GEMM or convolution, "" if there is none."""
    return next((name for name in names if _operator(name) in _GEMMS), "")


@lru_cache(maxsize=8192)
def _operator(name: str) -> str:
    """``/layer1/relu/Relu_1`` → relu; ``node_MatMul_12`` → matmul."""
    last = name.rpartition("/")[2].rpartition(":")[2].rstrip("_0123456789").removeprefix("node_")
    return last.replace("_", "").lower()


def concatenation_in_names(names: tuple[str, ...]) -> bool:
    """True if a node among them is a concatenation."""
    return any(_operator(name) in ("concat", "cat", "concatenation") for name in names)

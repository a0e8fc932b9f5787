"""Bytes of stored operands that the record does not state: 2:4 sparse weights, and matrices that it does not list.

Sparse weights keep two of every four values, each with a 2-bit index: b/2 + 1 bits for a value of b bits. Source:
NVIDIA A100 Tensor Core GPU Architecture whitepaper, fine-grained structured sparsity; PTX ISA, mma.sp.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.plan.gemm import Gemm
from trex.plan.kernels import kernel_of


def reads_sparse_weights(layer: Layer) -> bool:
    """True if the record lists sparse weights and the kernel's name says that it uses them."""
    return layer.raw.get("HasSparseWeights") in (1, True) and kernel_of(layer).sparse


def sparse_bytes(layer: Layer) -> int | None:
    """Bytes of the kept weights with their indexes, and of the biases; None if unknown."""
    total = 0
    for weights in layer.weights:
        size, bits = weights.size_bytes, weights.data_type.bits
        if size is None or bits is None or weights.count is None:
            return None
        total += size if weights.kind == "bias" else -(-weights.count * (bits + 2) // 16)
    return total


def hides_operand(layer: Layer) -> bool:
    """True if the layer must have stored values that the file does not list (TensorRT 10.16)."""
    return len(layer.weights) == 1 and layer.weights[0].count is None


def hidden_bytes(layer: Layer, gemm: Gemm) -> int | None:
    """Bytes of batch · K · N values in the kernel's type of weights, else in that of the first operand."""
    data_type = kernel_of(layer).weights_type
    if not data_type.is_known:
        data_type = layer.inputs[0].data_type
    return data_type.size_bytes(gemm.batch * gemm.k * gemm.n)

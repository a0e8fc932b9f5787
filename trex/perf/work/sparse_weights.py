"""Sparse weights: what 2:4 structured sparsity leaves to be read of a layer's stored values.

Of every four values two are kept, each with two bits that tell its place: b/2 + 1 bits for a value of b bits. Source:
NVIDIA A100 Tensor Core GPU Architecture whitepaper, fine-grained structured sparsity; PTX ISA, mma.sp.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.plan.kernels import kernel_of


def reads_sparse_weights(layer: Layer) -> bool:
    """True when the record says that the weights are sparse and the kernel's name that it makes use of it."""
    return layer.raw.get("HasSparseWeights") in (1, True) and kernel_of(layer).sparse


def sparse_bytes(layer: Layer) -> int | None:
    """Bytes of weights, kept values and places, and of the biases as they are; None when unknown."""
    total = 0
    for weights in layer.weights:
        size, bits = weights.size_bytes, weights.data_type.bits
        if size is None or bits is None or weights.count is None:
            return None
        total += size if weights.kind == "bias" else -(-weights.count * (bits + 2) // 16)
    return total

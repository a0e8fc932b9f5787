"""Hidden operand: the stored matrix of a product of which the file lists the other operand only (TensorRT 10.16)."""

from __future__ import annotations

from trex.core.layer import Layer
from trex.plan.gemm import Gemm
from trex.plan.kernels import kernel_of


def hides_operand(layer: Layer) -> bool:
    """True where all that is known of the layer's stored values is that it must have some."""
    return len(layer.weights) == 1 and layer.weights[0].count is None


def hidden_bytes(layer: Layer, product: Gemm) -> int | None:
    """Bytes of batch · K · N values in the kernel's type of weights, else in that of the first operand."""
    data_type = kernel_of(layer).weights_type
    if not data_type.is_known:
        data_type = layer.inputs[0].data_type
    return data_type.size_bytes(product.batch * product.k * product.n)

"""Fused product: one matrix product or convolution and the pointwise operations behind it in one kernel of Myelin.

Its name lists them (``__myl_FcAddRelu``, ``__myl_CorrAdd``), its type is ``runtime_fusion``.

Formula: macs = batch · M · N · K of the only pair of operands whose shapes fit the output's; of a convolution M = batch
· Π(output extents), N = output channels, K = input channels / groups · Π(kernel). Other operations per output value:
those of the name's tokens, but at least one per further operand that is no scalar and those of the activations among
the layer's ONNX nodes, since some names lack tokens. Bytes: all operands and the output once.

Source: the definition of the operations; engines built by TensorRT for RTX 1.7.1 from models of known sizes.

Does not hold for: operations that neither the name nor an operand shows. The sizes are unknown if no pair of operands
fits or pairs of different sizes do, and if the name lists several products (see the generated kernel).
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.core.shape import is_static
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import joined, layer_work, sum_of, times
from trex.perf.work.named_operations import activation_in_names
from trex.perf.work.tokens import token_operations
from trex.perf.work.work import Work
from trex.plan.gemm import gemm_of
from trex.plan.listed_operands import CORRELATION, filter_of, fused_product, product_type

FORMULA = "macs = batch·M·N·K; other operations = output values·Σ(operations of the tokens)"


NO_PAIR = "no pair of operands fits the output's shape, or pairs of different sizes do"


def takes(layer: Layer) -> bool:
    """True if the name lists exactly one matrix product or convolution."""
    return product_type(layer) != layer.type


def work(layer: Layer) -> Work:
    tokens = layer.name_parts.tokens
    gemm = gemm_of(layer)
    reading = token_operations(tokens)
    operands = sum(tensor.volume != 1 for tensor in layer.inputs) + sum(stored.count != 1 for stored in layer.weights)
    named = reading.elementwise + reading.reductions
    shown = max(0, operands - 2) + activation_in_names(layer.origins)
    per_value = None if reading.unknown or reading.uncounted else max(named, shown)
    reason = "operations inferred from the kernel's name"
    if shown > named:
        reason += ", its operands and its ONNX nodes"
    terms: tuple[tuple[str, object], ...] = ()
    if gemm is None:
        shapes = [tensor.shape for tensor in (*layer.inputs, *layer.outputs)]
        reason = joined(NO_PAIR, reason) if all(map(is_static, shapes)) else reason
    else:
        terms = (("batch", gemm.batch), ("M", gemm.m), ("N", gemm.n), ("K", gemm.k))
    if reading.unknown:
        reason = joined(reason, f"unknown tokens ({', '.join(reading.unknown)})")
    filters = filter_of(layer)
    if filters is not None:
        terms = (*terms, ("kernel", "x".join(map(str, filters.window))), ("groups", filters.groups))
    written = sum_of(tensor.volume for tensor in layer.outputs) if layer.outputs else None
    return layer_work(
        "convolution" if fused_product(tokens) == CORRELATION else "gemm",
        layer,
        None if gemm is None else gemm.macs,
        times(written, per_value),
        FORMULA,
        (*terms, ("operations per value", per_value), ("tokens", " ".join(tokens))),
        gemm=gemm,
        confidence=0.8,
        reason=reason,
    )


KINDS = (WorkKind(frozenset({"runtimefusion"}), work, takes=takes, order=30),)

"""GEMM: matrix multiplication with or without batch, with its fused epilogue.

Formula: macs = batch · M · N · K for an M×K by a K×N matrix. Other operations: one per output value and further operand
that is no scalar (bias, residual), and those of an activation among the layer's ONNX nodes. Bytes: both operands,
further operands and the output once, stored operands as weights.

Source: the definition of the operation; NVIDIA's "Matrix Multiplication Background User's Guide" (M, N, K).

Does not hold for: triangular or otherwise structured operands, counted as dense. If the second operand is not listed, K
is the first one's last extent, and the operand counts as K · N values of the type in which the kernel multiplies
(confidence 0.5). If the output is reshaped or has several parts, or extents are known at given shapes only, M, N and K
follow from the numbers of values that are read, stored and written (confidence 0.8).
"""

from __future__ import annotations

from math import isqrt

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import FROM_TENSORS, layer_work, sum_of, times
from trex.perf.work.named_operations import activation_in_names
from trex.perf.work.stored_operands import hidden_bytes, hides_operand
from trex.perf.work.work import Work
from trex.plan.gemm import MATMUL_TYPES, Gemm, gemm_of

FORMULA = "macs = batch·M·N·K"


def work(layer: Layer) -> Work:
    gemm, confidence, reason = None, 1.0, ""
    if len(layer.outputs) == 1:
        gemm = gemm_of(layer)
    if gemm is None:
        gemm, reason = _inferred(layer)
        confidence = 0.8
    terms: tuple[tuple[str, object], ...] = ()
    if gemm is not None:
        terms = (("batch", gemm.batch), ("M", gemm.m), ("N", gemm.n), ("K", gemm.k))
    operands = -2
    for tensor in layer.inputs:
        operands += tensor.volume != 1
    for weights in layer.weights:
        operands += weights.count != 1
    named = activation_in_names(layer.origins)
    per_value = max(0, operands) + named
    if named:
        reason = reason or "activation inferred from the names of the ONNX nodes"
        confidence = 0.8
    stored: int | None = FROM_TENSORS
    if gemm is not None and len(layer.inputs) == 1 and hides_operand(layer):
        stored = hidden_bytes(layer, gemm)
        confidence, reason = 0.5, f"{reason}; counted as K·N values of the kernel's type"
    return layer_work(
        "gemm",
        layer,
        None if gemm is None else gemm.macs,
        times(_written(layer), per_value),
        FORMULA,
        (*terms, ("fused operations per value", per_value)),
        gemm=gemm,
        confidence=confidence,
        reason=reason,
        stored=stored,
    )


def _written(layer: Layer) -> int | None:
    """Values of all outputs, None when unknown."""
    if len(layer.outputs) == 1:
        return layer.outputs[0].volume
    return sum_of(tensor.volume for tensor in layer.outputs) if layer.outputs else None


def _inferred(layer: Layer) -> tuple[Gemm | None, str]:
    """(the GEMM if the operands' shapes alone do not fit the output's, the method or the reason).

    The numbers of values read, stored and written give all three extents: M² = (M·K) · (M·N) / (K·N).
    """
    first = layer.inputs[0] if layer.inputs else None
    values, read = _written(layer), first.volume if first is not None else None
    if first is None or not values or not read:
        return None, "unknown shapes of operands"
    stored = max((weights.count or 0 for weights in layer.weights if weights.kind != "bias"), default=0)
    if stored > 1:
        rows = isqrt(values * read // stored)
        if rows and rows * rows * stored == values * read and values % rows == read % rows == 0:
            method = "M, N and K follow from the numbers of values read, stored and written"
            return Gemm(rows, values // rows, read // rows), method
        return None, "the operands' shapes do not fit the output's"
    shape = layer.outputs[0].shape
    rows = values // shape[-1] if shape and shape[-1] else 0
    if len(layer.inputs) == 1 and rows and read % rows == 0 and first.shape and first.shape[-1] == read // rows:
        how = "the second operand is not listed: K is the first one's last extent"
        return Gemm(rows, values // rows, read // rows), how
    return None, "the operands' shapes do not fit the output's"


_TYPES = frozenset(name.replace("_", "") for name in MATMUL_TYPES) | {"fullyconnected"}

KINDS = (WorkKind(_TYPES, work, order=40),)

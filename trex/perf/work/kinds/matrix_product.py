"""Matrix product: GEMM and matrix multiplication with or without batch, with what is fused behind it.

Formula: macs = batch · M · N · K for an M×K by a K×N matrix. Other operations: one per output value and further operand
that is no scalar (bias, residual), and those of an activation that the names of the layer's ONNX nodes tell. Bytes:
both operands, further ones and the output once, stored ones as weights.

Source: the definition of the product; NVIDIA's "Matrix Multiplication Background User's Guide" (M, N, K).

Does not hold for: triangular or otherwise structured operands, counted as if dense. Where the second operand is not
told, K is the first one's last extent, and the operand's bytes are those of K · N values of the type in which the
kernel multiplies (0.5 of confidence). Where the output is reshaped or in several parts, or extents are known at given
shapes only, M, N and K follow from the numbers of values that are read, stored and written (0.8).
"""

from __future__ import annotations

from math import isqrt

from trex.core.layer import Layer
from trex.perf.work.hidden_operand import hidden_bytes, hides_operand
from trex.perf.work.kind import WorkKind
from trex.perf.work.made import AS_TOLD, made, times
from trex.perf.work.named_operations import activation_in_names
from trex.perf.work.products import product_of_layer
from trex.perf.work.work import Work
from trex.plan.gemm import MATMUL_TYPES, Gemm

FORMULA = "macs = batch·M·N·K"
NAME = "matrix-product"


def work(layer: Layer) -> Work:
    product, confidence, reason = None, 1.0, ""
    if len(layer.outputs) == 1:
        product = product_of_layer(layer)
    if product is None:
        product, reason = _inferred(layer)
        confidence = 0.8
    terms: tuple[tuple[str, object], ...] = ()
    if product is not None:
        terms = (("batch", product.batch), ("M", product.m), ("N", product.n), ("K", product.k))
    operands = -2
    for tensor in layer.inputs:
        operands += tensor.volume != 1
    for weights in layer.weights:
        operands += weights.count != 1
    named = activation_in_names(layer.origins) if layer.origins else 0
    each = max(0, operands) + named
    if named:
        reason = reason or "the activation was read from the names of the ONNX nodes"
        confidence = 0.8
    stored: int | None = AS_TOLD
    if product is not None and len(layer.inputs) == 1 and hides_operand(layer):
        stored = hidden_bytes(layer, product)
        confidence, reason = 0.5, f"{reason}; its size as K·N values of the kernel's type"
    return made(
        NAME,
        layer,
        None if product is None else product.macs,
        times(_written(layer), each),
        FORMULA,
        (*terms, ("fused operations per value", each)),
        product=product,
        confidence=confidence,
        reason=reason,
        stored=stored,
    )


def _written(layer: Layer) -> int | None:
    """Values of all outputs, None when unknown."""
    if len(layer.outputs) == 1:
        return layer.outputs[0].volume
    volumes = [tensor.volume for tensor in layer.outputs]
    return None if None in volumes or not volumes else sum(volumes)  # type: ignore[arg-type]


def _inferred(layer: Layer) -> tuple[Gemm | None, str]:
    """The product where its operands' shapes alone do not fit the output's, and how it was found, or why not.

    The numbers of values read, stored and written tell all three extents: M² = (M·K) · (M·N) / (K·N).
    """
    first = layer.inputs[0] if layer.inputs else None
    values, read = _written(layer), first.volume if first is not None else None
    if first is None or not values or not read:
        return None, "the operands' shapes are not told"
    stored = max((weights.count or 0 for weights in layer.weights if weights.kind != "bias"), default=0)
    if stored > 1:
        rows = isqrt(values * read // stored)
        if rows and rows * rows * stored == values * read and values % rows == read % rows == 0:
            how = "M, N and K follow from the numbers of values read, stored and written"
            return Gemm(rows, values // rows, read // rows), how
        return None, "the operands' shapes do not fit the output's"
    shape = layer.outputs[0].shape
    rows = values // shape[-1] if shape and shape[-1] else 0
    if len(layer.inputs) == 1 and rows and read % rows == 0 and first.shape and first.shape[-1] == read // rows:
        how = "the second operand is not told: K is the first one's last extent"
        return Gemm(rows, values // rows, read // rows), how
    return None, "the operands' shapes do not fit the output's"


KIND = WorkKind(frozenset(name.replace("_", "") for name in MATMUL_TYPES) | {"fullyconnected"}, work, order=40)

"""Convolution, activation and pooling in one kernel (TensorRT's ConvActPool).

Formula: macs = M · N · K of the convolution, whose output, never written, is of extents ⌊(input + padding − dilation ·
(kernel − 1) − 1) / stride⌋ + 1. Other operations: bias and activation per value of that output, and those of the
pooling: Π(window) − 1 comparisons per output value for a maximum, Π(window) for an average. Bytes: input, weights and
the pooled output once.

Source: TensorRT's PaddingMode reference for the extents; the convolution's and the pooling's own formulas.

Does not hold for: kernels that compute convolution outputs at the borders of their tiles twice; each counts once.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.made import made, output_volume, times
from trex.perf.work.parameters import activation_operations, pooling_operations
from trex.perf.work.work import Work
from trex.plan.gemm import gemm_of

FORMULA = "macs = M·N·K of the convolution before the pooling, M = batch·Π(its output extents)"


def work(layer: Layer) -> Work:
    product = gemm_of(layer)
    prefix = "Conv" if "ConvKernel" in layer.raw else "Convolution"
    activation = activation_operations(layer.raw, prefix)
    each = sum(weights.kind == "bias" for weights in layer.weights) + (1 if activation is None else activation)
    between = None if product is None else product.m * product.n
    pooled, _ = pooling_operations(layer.raw, "Pooling")
    pooling = times(output_volume(layer), pooled)
    fused = times(between, each)
    terms: tuple[tuple[str, object], ...] = ()
    if product is not None:
        terms = (("M", product.m), ("N", product.n), ("K", product.k), ("values before pooling", between))
    reason = "" if activation is not None else "an activation that is not known counts as one operation"
    if pooled is None:
        reason = f"{reason}; the file does not tell the pooling's window".lstrip("; ")
    return made(
        "convolution-and-pooling",
        layer,
        None if product is None else product.macs,
        None if fused is None or pooling is None else fused + pooling,
        FORMULA,
        (*terms, ("fused operations per value", each), ("pooling operations per output value", pooled)),
        product=product,
        confidence=1.0 if activation is not None else 0.8,
        reason=reason or ("the file does not tell the convolution's kernel" if product is None else ""),
    )


KIND = WorkKind(frozenset({"convactpool"}), work)

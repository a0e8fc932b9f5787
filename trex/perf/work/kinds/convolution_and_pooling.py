"""Convolution, activation and pooling in one kernel (TensorRT's ConvActPool).

Formula: macs = M · N · K of the convolution; its output, which is never written, has the extents ⌊(input + padding −
dilation · (kernel − 1) − 1) / stride⌋ + 1. Other operations: bias and activation per value of that output, and those of
the pooling: Π(window) − 1 comparisons per output value for a maximum, Π(window) for an average. Bytes: input, weights
and the pooled output once.

Source: TensorRT's PaddingMode reference for the extents; the convolution's and the pooling's own formulas.

Does not hold for: kernels that compute convolution outputs at the borders of their tiles twice; each counts once.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import layer_work, output_volume, times
from trex.perf.work.parameters import activation_operations, pooling_operations
from trex.perf.work.work import Work
from trex.plan.gemm import gemm_of

FORMULA = "macs = M·N·K of the convolution before the pooling, M = batch·Π(its output extents)"


def work(layer: Layer) -> Work:
    gemm = gemm_of(layer)
    prefix = "Conv" if "ConvKernel" in layer.raw else "Convolution"
    activation = activation_operations(layer.raw, prefix)
    per_value = sum(weights.kind == "bias" for weights in layer.weights) + (1 if activation is None else activation)
    between = None if gemm is None else gemm.m * gemm.n
    pooled, _ = pooling_operations(layer.raw, "Pooling")
    pooling = times(output_volume(layer), pooled)
    fused = times(between, per_value)
    terms: tuple[tuple[str, object], ...] = ()
    if gemm is not None:
        terms = (("M", gemm.m), ("N", gemm.n), ("K", gemm.k), ("values before pooling", between))
    reason = "" if activation is not None else "an unknown activation counts as one operation"
    if pooled is None:
        reason = f"{reason}; unknown pooling window".lstrip("; ")
    return layer_work(
        "convolution-and-pooling",
        layer,
        None if gemm is None else gemm.macs,
        None if fused is None or pooling is None else fused + pooling,
        FORMULA,
        (*terms, ("fused operations per value", per_value), ("pooling operations per output value", pooled)),
        gemm=gemm,
        confidence=1.0 if activation is not None else 0.8,
        reason=reason or ("unknown kernel size" if gemm is None else ""),
    )


KIND = WorkKind(frozenset({"convactpool"}), work)

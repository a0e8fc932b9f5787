"""Deconvolution (transposed convolution) in any number of dimensions, grouped or not, with its fused epilogue.

Formula: macs = M · N · K with M = batch · Π(input extents), N = output channels · Π(kernel), K = input channels /
groups: every input value is multiplied by every kernel value of every output channel of its group. Other operations:
bias, added tensors and activation per output value, as for a convolution. Bytes: inputs, weights and output once.

Source: Dumoulin and Visin, "A guide to convolution arithmetic for deep learning", chapter 4: it is the gradient of a
convolution whose output is our input, so its MACs are those of that convolution.

Does not hold for: MACs whose results the padding cuts off at the border; they are counted.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.core.shape import volume
from trex.perf.work.epilogue import epilogue
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import layer_work, output_volume, times
from trex.perf.work.work import Work
from trex.plan.gemm import Gemm, gemm_of

FORMULA = "macs = M·N·K, M = batch·Π(input extents), N = output channels·Π(kernel), K = input channels/groups"


def work(layer: Layer) -> Work:
    gemm = gemm_of(layer)
    per_value, why = epilogue(layer)
    confidence, reason = (0.8, why) if why else (1.0, "")
    if gemm is None:
        gemm = _by_weights(layer)
        if gemm is not None:
            confidence, reason = 0.8, "unknown kernel size: inferred from the number of stored weights"
    terms = () if gemm is None else (("M", gemm.m), ("N", gemm.n), ("K", gemm.k))
    return layer_work(
        "deconvolution",
        layer,
        None if gemm is None else gemm.macs,
        times(output_volume(layer), per_value),
        FORMULA,
        (*terms, ("fused operations per value", per_value)),
        gemm=gemm,
        confidence=confidence,
        reason=reason or ("unknown kernel size" if gemm is None else ""),
    )


def _by_weights(layer: Layer) -> Gemm | None:
    """macs = batch · Π(input extents) · stored weights: every weight is used once per input position."""
    count, shape = layer.weights_cnt, layer.inputs[0].shape if layer.inputs else None
    if not count or shape is None or len(shape) < 3 or not shape[1] or count % shape[1]:
        return None
    positions = volume((shape[0], *shape[2:]))
    return None if positions is None else Gemm(positions, count // shape[1], shape[1])


KIND = WorkKind(frozenset({"deconvolution"}), work)

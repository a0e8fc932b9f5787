"""Deconvolution (transposed convolution) in any number of dimensions, grouped or not, with what is fused behind it.

Formula: macs = M · N · K with M = batch · Π(input extents), N = output channels · Π(kernel), K = input channels /
groups: every input value meets every kernel value of every output channel of its group. Other operations: bias, added
tensors and activation per output value, as for a convolution. Bytes: inputs, weights and output once.

Source: Dumoulin and Visin, "A guide to convolution arithmetic for deep learning", chapter 4: it is the gradient of a
convolution whose output is our input, so the multiply-adds are that convolution's.

Does not hold for: products whose result the padding cuts off at the border; they are counted.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.core.shape import volume
from trex.perf.work.epilogue import epilogue
from trex.perf.work.kind import WorkKind
from trex.perf.work.made import made, output_volume, times
from trex.perf.work.work import Work
from trex.plan.gemm import Gemm, gemm_of

FORMULA = "macs = M·N·K, M = batch·Π(input extents), N = output channels·Π(kernel), K = input channels/groups"


def work(layer: Layer) -> Work:
    product = gemm_of(layer)
    each, why = epilogue(layer)
    confidence, reason = (0.8, why) if why else (1.0, "")
    if product is None:
        product = _by_weights(layer)
        if product is not None:
            confidence, reason = 0.8, "the file does not tell the kernel: taken from the number of stored weights"
    terms = () if product is None else (("M", product.m), ("N", product.n), ("K", product.k))
    return made(
        "deconvolution",
        layer,
        None if product is None else product.macs,
        times(output_volume(layer), each),
        FORMULA,
        (*terms, ("fused operations per value", each)),
        product=product,
        confidence=confidence,
        reason=reason or ("the file does not tell the kernel" if product is None else ""),
    )


def _by_weights(layer: Layer) -> Gemm | None:
    """macs = batch · Π(input extents) · stored weights, as each input position meets every weight once."""
    count, shape = layer.weights_cnt, layer.inputs[0].shape if layer.inputs else None
    if not count or shape is None or len(shape) < 3 or not shape[1] or count % shape[1]:
        return None
    positions = volume((shape[0], *shape[2:]))
    return None if positions is None else Gemm(positions, count // shape[1], shape[1])


KIND = WorkKind(frozenset({"deconvolution"}), work)

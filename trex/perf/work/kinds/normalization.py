"""Normalization: layer, instance, group or local normalization of activations by their own mean and variance.

Formula: no MACs. Other operations = 7 · values: sum for the mean, subtraction, square, sum for the variance,
multiplication by the inverse deviation, scale, shift. Bytes: input, scale, shift and output once.

Source: Ba et al., "Layer Normalization", equations 3 and 4; the few operations per group of values are left out.

Does not hold for: kernels that read their input twice because a group of values does not fit on the chip, and
normalization without scale and shift, which takes two operations per value less.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import layer_work, output_volume, times
from trex.perf.work.work import Work

FORMULA = "other operations = 7·values"
_REASON = "operations per group of values are left out"


def work(layer: Layer) -> Work:
    values = output_volume(layer)
    return layer_work(
        "normalization", layer, 0, times(values, 7), FORMULA, (("values", values),), confidence=0.8, reason=_REASON
    )


_TYPES = {"normalization", "layernorm", "instancenorm", "groupnorm", "rmsnorm", "lrn"}
KIND = WorkKind(frozenset(_TYPES | {"layernormalization", "instancenormalization"}), work)

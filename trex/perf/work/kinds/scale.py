"""Scale: (x · scale + shift) ^ power with constants per tensor, channel or value.

Formula: no multiply-adds of matrices. Other operations = input values · (number of the three constants that are stored
+ those of the activation). Bytes: input, constants and output once.

Source: TensorRT operators reference, Scale.

Does not hold for: the rounding of a Scale that quantizes, which is counted as no operation.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.made import made, output_volume, times
from trex.perf.work.parameters import activation_operations
from trex.perf.work.work import Work

FORMULA = "other operations = values·(constants among scale, shift and power + operations of the activation)"
_CONSTANTS = ("Scale", "Shift", "Power")


def work(layer: Layer) -> Work:
    values = output_volume(layer)
    activation = activation_operations(layer.raw) or 0
    told = [layer.raw[key] for key in _CONSTANTS if key in layer.raw]
    used = sum(isinstance(value, dict) and value.get("Count") not in (0, None) for value in told)
    each = used + activation if told else None
    terms = (("values", values), ("operations per value", each))
    reason = "" if told else "the file does not tell the constants"
    return made("scale", layer, 0, times(values, each), FORMULA, terms, reason=reason)


KIND = WorkKind(frozenset({"scale", "batchnorm"}), work)

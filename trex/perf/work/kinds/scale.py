"""Scale: (x · scale + shift) ^ power with constants per tensor, channel or value.

Formula: no MACs. Other operations = input values · (number of the three constants that are stored + those of the
activation). Bytes: input, constants and output once.

Source: TensorRT operators reference, Scale.

Does not hold for: the rounding of a Scale that quantizes, which counts as no operation.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import layer_work, output_volume, times
from trex.perf.work.parameters import activation_operations
from trex.perf.work.work import Work

FORMULA = "other operations = values·(constants among scale, shift and power + operations of the activation)"
_CONSTANTS = ("Scale", "Shift", "Power")


def work(layer: Layer) -> Work:
    values = output_volume(layer)
    activation = activation_operations(layer.raw) or 0
    constants = [layer.raw[key] for key in _CONSTANTS if key in layer.raw]
    used = sum(isinstance(value, dict) and value.get("Count") not in (0, None) for value in constants)
    per_value = used + activation if constants else None
    terms = (("values", values), ("operations per value", per_value))
    reason = "" if constants else "unknown constants"
    return layer_work("scale", layer, 0, times(values, per_value), FORMULA, terms, reason=reason)


KIND = WorkKind(frozenset({"scale", "batchnorm"}), work)

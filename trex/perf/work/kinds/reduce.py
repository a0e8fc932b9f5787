"""Reduce: sum, gemm, maximum, minimum or average over some dimensions.

Formula: no MACs. Other operations = input values − output values, since n values take n − 1 operations to become one;
an average takes one division per output value more, a norm a multiplication per input value. Bytes: input and output
once.

Source: the definition of the operation (TensorRT's ReduceOperation reference).

Does not hold for: the order of summation, which may need partial results in memory.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import layer_work, output_volume
from trex.perf.work.work import Work

FORMULA = "other operations = input values − output values (+ output values for an average)"
_KEYS = ("Operation", "ReduceOperation", "ReduceOp")


def work(layer: Layer) -> Work:
    values, left = layer.inputs[0].volume if layer.inputs else None, output_volume(layer)
    word = next((str(layer.raw[key]).upper() for key in _KEYS if key in layer.raw), "")
    operations = None
    if values is not None and left is not None:
        operations = max(0, values - left) + (left if "AV" in word or "MEAN" in word else 0)
        operations += values if "NORM" in word else 0
    terms = (("input values", values), ("output values", left), ("operation", word or "unknown"))
    reason = "" if word else "unknown type of reduction: counted as a sum"
    return layer_work("reduce", layer, 0, operations, FORMULA, terms, confidence=1.0 if word else 0.8, reason=reason)


KIND = WorkKind(frozenset({"reduce"}), work)

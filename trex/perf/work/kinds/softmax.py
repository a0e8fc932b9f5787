"""Softmax along one or more dimensions.

Formula: no MACs. Other operations = 5 · values: maximum, subtraction, exponential, sum, division; six for the logarithm
of a softmax. Fused with a top-k (LogSoftmaxTopK) a logarithm and a comparison per value more. Bytes: input and output
once.

Source: the numerically safe definition exp(x − max x) / Σ exp(x − max x).

Does not hold for: kernels that read their input twice because a row does not fit on the chip.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind, type_key
from trex.perf.work.layer_work import layer_work, output_volume, times
from trex.perf.work.work import Work

FORMULA = "other operations = 5·values"


def work(layer: Layer) -> Work:
    if "topk" in type_key(layer.type):
        values = layer.inputs[0].volume if layer.inputs else None
        reason = "a selection compares each value at least once"
        terms = (("values", values), ("operations per value", 7))
        return layer_work("softmax", layer, 0, times(values, 7), FORMULA, terms, confidence=0.5, reason=reason)
    values = output_volume(layer)
    per_value = 6 if layer.raw.get("HasLog") in (1, True) else 5
    terms = (("values", values), ("operations per value", per_value))
    return layer_work("softmax", layer, 0, times(values, per_value), FORMULA, terms)


KIND = WorkKind(frozenset({"softmax", "raggedsoftmax", "logsoftmaxtopk", "softmaxtopk"}), work)

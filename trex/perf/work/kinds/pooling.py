"""Pooling: the maximum or average of windows, in any number of dimensions.

Formula: no MACs. Other operations per output value: n − 1 comparisons for the maximum of n values (n = Π(window)), n
for an average (n − 1 additions and a division), 2n + 2 for a blend of both. Bytes: the input values that some window
touches and the output, once.

Source: the definition of the operation (TensorRT operators reference, Pooling).

Does not hold for: kernels that share partial maxima or sums between overlapping windows; positions in the padding count
as all others.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import FROM_TENSORS, layer_work, output_volume, times
from trex.perf.work.parameters import part_read, pooling_operations
from trex.perf.work.work import Work

FORMULA = "other operations = output values·(n − 1) for a maximum, ·n for an average, n = Π(window)"


def work(layer: Layer) -> Work:
    per_value, known = pooling_operations(layer.raw)
    values = output_volume(layer)
    read = FROM_TENSORS
    if layer.inputs and layer.outputs:
        part = part_read(layer.inputs[0].shape, layer.outputs[0].shape, layer.raw, ("WindowSize", ""))
        if part is not None:
            read = layer.inputs[0].size_bytes_at(part)  # type: ignore[assignment]
    if per_value is None:
        reason = "unknown pooling window"
    else:
        reason = "" if known else "unknown type of pooling: counted as a maximum"
    terms = (("output values", values), ("operations per output value", per_value))
    return layer_work(
        "pooling",
        layer,
        0,
        times(values, per_value),
        FORMULA,
        terms,
        confidence=1.0 if known or per_value is None else 0.8,
        reason=reason,
        read=read,
    )


KIND = WorkKind(frozenset({"pooling", "pool"}), work)

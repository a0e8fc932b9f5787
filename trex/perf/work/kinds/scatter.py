"""Scatter: updates are written into a copy of a tensor, at given indices.

Formula: no operations. Bytes: data, indices and updates read, the output written, each once.

Source: TensorRT operators reference, Scatter.

Does not hold for: a scatter in place, which neither reads nor writes the values that stay (hence confidence 0.8).
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import layer_work
from trex.perf.work.work import Work


def work(layer: Layer) -> Work:
    reason = "a scatter in place moves less"
    return layer_work("scatter", layer, 0, 0, "bytes of all tensors", confidence=0.8, reason=reason)


KIND = WorkKind(frozenset({"scatter", "scatternd", "scatterelements"}), work)

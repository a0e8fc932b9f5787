"""Scatter: updates are written into a copy of a tensor, where indices say.

Formula: no operations. Bytes: data, indices and updates read, the output written, each once.

Source: TensorRT operators reference, Scatter.

Does not hold for: a scatter in place, which neither reads nor writes the values that stay (hence 0.8 of confidence).
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.made import made
from trex.perf.work.work import Work


def work(layer: Layer) -> Work:
    reason = "less is moved where the scatter works in place"
    return made("scatter", layer, 0, 0, "bytes of all tensors", confidence=0.8, reason=reason)


KIND = WorkKind(frozenset({"scatter", "scatternd", "scatterelements"}), work)

"""Concatenation: several tensors are copied into one.

Formula: no operations. Bytes: inputs and output once.

Source: TensorRT operators reference, Concatenation.

Does not hold for: a concatenation that TensorRT elides by letting its producers write into one region: the engine then
has no such layer, or one copy per input (a Reformat).
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import layer_work
from trex.perf.work.work import Work


def work(layer: Layer) -> Work:
    return layer_work("concatenation", layer, 0, 0, "bytes of all inputs and of the output")


KIND = WorkKind(frozenset({"concatenation", "concat"}), work)

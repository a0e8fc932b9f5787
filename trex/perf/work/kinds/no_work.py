"""No work on the device: views, constants, host code for shapes, signals and waits between streams.

Formula: none. MACs, other operations and bytes are 0: no kernel computes or moves a value.

Source: the layers' types (NoOp, Constant, signal, wait, shape_call, train station).

Does not hold for: the host's own work, which is not in the file, and the time that such a layer still takes.
"""

from __future__ import annotations

from trex.core.layer import Layer, Role
from trex.perf.work.kind import WorkKind
from trex.perf.work.work import Work

WORDS = {
    Role.NOOP: "a view: no kernel runs",
    Role.CONSTANT: "stored data: read by the layers that use it",
    Role.SYNC: "a signal or wait between streams: no kernel runs",
    Role.SHAPE: "host code that computes shapes: no work on the device",
    Role.TRAIN_STATION: "a synchronization on the host: no work on the device",
}


def work(layer: Layer) -> Work:
    return Work("no-work", 0, 0, 0, 0, 0, 1.0, WORDS[layer.role])


KIND = WorkKind(frozenset(), work, roles=frozenset(WORDS))

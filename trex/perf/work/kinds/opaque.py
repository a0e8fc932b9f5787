"""Layers whose work their records do not state, and layers that run no kernel.

Formula: a plugin and a region (many operations that Myelin compiled and the file lists as one layer,
``{ForeignNode[a...b]}``) have the bytes of their inputs and outputs once; their operations are unknown. Views,
constants, host code for shapes, signals and waits have no operations and no bytes.

Source: the layers' types and tensors. With the ONNX model (``trex.load(path, onnx=…)``) a region has the work of its
operators.

Does not hold for: stored weights of plugins and regions that the file lacks; tensors that a region's kernels pass to
one another through memory; the host's own work, and the time that a layer without a kernel still takes.
"""

from __future__ import annotations

from trex.core.layer import Layer, Role
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import layer_work
from trex.perf.work.work import Work

WORDS = {
    Role.NOOP: "a view: no kernel runs",
    Role.CONSTANT: "stored data: read by the layers that use it",
    Role.SYNC: "a signal or wait between streams: no kernel runs",
    Role.SHAPE: "host code that computes shapes, counters or conditions: no work on the device",
    Role.TRAIN_STATION: "a synchronization on the host: no work on the device",
}


def no_work(layer: Layer) -> Work:
    return Work("no-work", 0, 0, 0, 0, 0, 1.0, WORDS[layer.role])


def plugin(layer: Layer) -> Work:
    name = layer.raw.get("PluginType")
    what = f" ({name})" if isinstance(name, str) and name else ""
    reason = f"unknown operations of a plugin{what}"
    return layer_work("plugin", layer, None, None, "bytes of all tensors", confidence=0.5, reason=reason)


def region(layer: Layer) -> Work:
    reason = "a region of many operations listed as one layer; load the plan with its ONNX model"
    return layer_work("region", layer, None, None, "bytes of all tensors", confidence=0.5, reason=reason)


KINDS = (
    WorkKind(frozenset(), no_work, roles=frozenset(WORDS)),
    WorkKind(frozenset({"plugin"}), plugin),
    WorkKind(frozenset({"myelin", "foreignnode", "dla", "loop", "if", "conditional", "rnn"}), region),
)

"""Plugin: a custom kernel; only its inputs and outputs are known.

Formula: bytes of inputs and outputs once. MACs and other operations are unknown.

Source: the layer's tensors.

Does not hold for: plugins with weights of their own, which are not in the file.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import layer_work
from trex.perf.work.work import Work


def work(layer: Layer) -> Work:
    name = layer.raw.get("PluginType")
    what = f" ({name})" if isinstance(name, str) and name else ""
    reason = f"unknown operations of a plugin{what}"
    return layer_work("plugin", layer, None, None, "bytes of all tensors", confidence=0.5, reason=reason)


KIND = WorkKind(frozenset({"plugin"}), work)

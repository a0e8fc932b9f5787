"""Plugin: a kernel of someone else's; only what it reads and writes is known.

Formula: bytes of inputs and outputs once. Multiply-adds and other operations are unknown.

Source: the layer's tensors.

Does not hold for: plugins with weights of their own, which the file does not tell.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.made import made
from trex.perf.work.work import Work


def work(layer: Layer) -> Work:
    name = layer.raw.get("PluginType")
    what = f" ({name})" if isinstance(name, str) and name else ""
    reason = f"what a plugin{what} computes is not told"
    return made("plugin", layer, None, None, "bytes of all tensors", confidence=0.5, reason=reason)


KIND = WorkKind(frozenset({"plugin"}), work)

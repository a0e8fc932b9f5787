"""Region: many operations that Myelin compiled, told as one layer (``{ForeignNode[a...b]}``).

Formula: bytes of inputs and outputs once. Multiply-adds and other operations are unknown, and so are the bytes read
where the region's stored weights are not told.

Source: the layer's tensors; the record names only the region's two ends.

Does not hold for: what the region's kernels hand to one another through memory, which is not told. With the ONNX model
at hand (``trex.load(path, onnx=…)``) the work comes from its operators.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.made import made
from trex.perf.work.work import Work

REASON = "a region of many operations told as one layer; load the plan with its ONNX model"


def work(layer: Layer) -> Work:
    return made("region", layer, None, None, "bytes of all tensors", confidence=0.5, reason=REASON)


KIND = WorkKind(frozenset({"myelin", "foreignnode", "dla", "loop", "if", "conditional", "rnn"}), work)

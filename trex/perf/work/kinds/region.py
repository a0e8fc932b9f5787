"""Region: many operations that Myelin compiled and the file lists as one layer (``{ForeignNode[a...b]}``).

Formula: bytes of inputs and outputs once. MACs and other operations are unknown, and so are the bytes read if the file
lacks the region's stored weights.

Source: the layer's tensors; the record names only the first and the last operation of the region.

Does not hold for: tensors that the region's kernels pass to one another through memory, which the file does not list.
With the ONNX model (``trex.load(path, onnx=…)``) the work comes from its operators.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import layer_work
from trex.perf.work.work import Work

REASON = "a region of many operations listed as one layer; load the plan with its ONNX model"


def work(layer: Layer) -> Work:
    return layer_work("region", layer, None, None, "bytes of all tensors", confidence=0.5, reason=REASON)


KIND = WorkKind(frozenset({"myelin", "foreignnode", "dla", "loop", "if", "conditional", "rnn"}), work)

"""Top-k, sorting and other selections, whose result depends on the data.

Formula: no MACs. Other operations of a top-k: at least one comparison per input value; of sorting and other selections
(NonZero, non-maximum suppression): unknown. Bytes: inputs and outputs once.

Source: a selection has to read every value once (Knuth, "The Art of Computer Programming", volume 3, section 5.3.3).

Does not hold for: real selection algorithms, which compare a small multiple of that (hence confidence 0.5).
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import layer_work
from trex.perf.work.work import Work


def work(layer: Layer) -> Work:
    values = layer.inputs[0].volume if layer.inputs else None
    if "topk" in (layer.type + layer.subtype).lower().replace("_", ""):
        reason = "at least one comparison per value; the algorithm is unknown"
        formula = "other operations ≥ input values"
        return layer_work(
            "top-k", layer, 0, values, formula, (("input values", values),), confidence=0.5, reason=reason
        )
    reason = "the number of comparisons depends on the data"
    return layer_work("top-k", layer, 0, None, "bytes of all tensors", confidence=0.5, reason=reason)


KIND = WorkKind(frozenset({"topk", "sort", "nonzero", "nms", "argmax", "unique"}), work)

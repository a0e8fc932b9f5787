"""Reduction: sums and similar over dimensions, normalization, softmax, and selections such as top-k.

Formula: no MACs. Other operations of a reduction = input values − output values, since n values take n − 1 operations
to become one; an average takes one division per output value more, a norm a multiplication per input value. Softmax: 5
per value (maximum, subtraction, exponential, sum, division), 6 for its logarithm, 7 fused with a top-k. Normalization:
7 per value (sum for the mean, subtraction, square, sum for the variance, multiplication by the inverse deviation,
scale, shift). Top-k: at least one comparison per input value; sorting and other selections: unknown. Bytes: inputs and
outputs once.

Source: TensorRT's ReduceOperation reference; exp(x − max x) / Σ exp(x − max x); Ba et al., "Layer Normalization",
equations 3 and 4; Knuth, "The Art of Computer Programming", volume 3, section 5.3.3, for selections.

Does not hold for: kernels that read their input twice because a row does not fit on the chip; the few operations per
group of values, which are left out; normalization without scale and shift, which takes two operations less; selection
algorithms, which compare a small multiple of that (confidence 0.5).
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.perf.work.kind import WorkKind, type_key
from trex.perf.work.layer_work import layer_work, output_volume, per_value_work
from trex.perf.work.work import Work

_KEYS = ("Operation", "ReduceOperation", "ReduceOp")


def reduce(layer: Layer) -> Work:
    formula = "other operations = input values − output values (+ output values for an average)"
    values, left = _input_volume(layer), output_volume(layer)
    word = next((str(layer.raw[key]).upper() for key in _KEYS if key in layer.raw), "")
    operations = None
    if values is not None and left is not None:
        operations = max(0, values - left) + (left if "AV" in word or "MEAN" in word else 0)
        operations += values if "NORM" in word else 0
    terms = (("input values", values), ("output values", left), ("operation", word or "unknown"))
    reason = "" if word else "unknown type of reduction: counted as a sum"
    return layer_work("reduce", layer, 0, operations, formula, terms, confidence=1.0 if word else 0.8, reason=reason)


def softmax(layer: Layer) -> Work:
    formula = "other operations = 5·values"
    if "topk" in type_key(layer.type):
        reason = "a selection compares each value at least once"
        return per_value_work("softmax", layer, _input_volume(layer), 7, formula, confidence=0.5, reason=reason)
    per_value = 6 if layer.raw.get("HasLog") in (1, True) else 5
    return per_value_work("softmax", layer, output_volume(layer), per_value, formula)


def normalization(layer: Layer) -> Work:
    reason = "operations per group of values are left out"
    formula = "other operations = 7·values"
    return per_value_work("normalization", layer, output_volume(layer), 7, formula, confidence=0.8, reason=reason)


def top_k(layer: Layer) -> Work:
    if "topk" in (layer.type + layer.subtype).lower().replace("_", ""):
        reason = "at least one comparison per value; the algorithm is unknown"
        formula = "other operations ≥ input values"
        return per_value_work("top-k", layer, _input_volume(layer), 1, formula, confidence=0.5, reason=reason)
    reason = "the number of comparisons depends on the data"
    return layer_work("top-k", layer, 0, None, "bytes of all tensors", confidence=0.5, reason=reason)


def _input_volume(layer: Layer) -> int | None:
    return layer.inputs[0].volume if layer.inputs else None


_NORMALIZING = {"normalization", "layernorm", "instancenorm", "groupnorm", "rmsnorm", "lrn"}
_NORMALIZING |= {"layernormalization", "instancenormalization"}

KINDS = (
    WorkKind(frozenset({"reduce"}), reduce),
    WorkKind(frozenset({"softmax", "raggedsoftmax", "logsoftmaxtopk", "softmaxtopk"}), softmax),
    WorkKind(frozenset(_NORMALIZING), normalization),
    WorkKind(frozenset({"topk", "sort", "nonzero", "nms", "argmax", "unique"}), top_k),
)

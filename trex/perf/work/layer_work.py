"""A layer and the result of a kind's formula → Work, with the bytes moved and a reason for every unknown figure."""

from __future__ import annotations

from collections.abc import Iterable

from trex.core.layer import Layer
from trex.core.shape import shape_text
from trex.perf.work.work import RUN_TIME_SHAPE, Work
from trex.plan.gemm import Gemm

FROM_TENSORS = -1
"""In place of a number of bytes: the sum over the layer's tensors."""

MOST_OPERATIONS = 1e30
MOST_BYTES = 1 << 62


def layer_work(
    kind: str,
    layer: Layer,
    macs: float | None,
    other_ops: float | None,
    formula: str,
    terms: tuple[tuple[str, object], ...] = (),
    *,
    gemm: Gemm | None = None,
    confidence: float = 1.0,
    reason: str = "",
    read: int | None = FROM_TENSORS,
    written: int | None = FROM_TENSORS,
    stored: int | None = FROM_TENSORS,
) -> Work:
    """The work of a layer of ``kind``; figures beyond a year's work of any device become unknown.

    read: bytes of the inputs if they are not the sum of the inputs' sizes (stored weights are added here), written: of
    the outputs, stored: of the weights likewise; None if unknown.
    """
    weights = stored
    if weights == FROM_TENSORS:
        weights = layer.weights_size_bytes if layer.weights else 0
    if not layer.inputs and not layer.outputs:
        read = written = None
    if read == FROM_TENSORS:
        read = layer.inputs_size_bytes
    bytes_read = None if read is None or weights is None else read + weights
    if written == FROM_TENSORS:
        written = layer.outputs_size_bytes
    if macs is None or other_ops is None or bytes_read is None or written is None:
        why = why_unknown(layer)
        if why not in reason:
            reason = joined(reason, why)
        reason = reason or "the record lacks what the formula needs"
        nothing = macs is None and other_ops is None and bytes_read is None and written is None
        confidence = 0.0 if nothing else min(confidence, 0.5)
    if (macs or 0) > MOST_OPERATIONS or (other_ops or 0) > MOST_OPERATIONS:
        macs = other_ops = gemm = None
        confidence, reason = 0.0, "dimensions so large that no device could compute this layer"
    if (bytes_read or 0) > MOST_BYTES or (written or 0) > MOST_BYTES or (weights or 0) > MOST_BYTES:
        bytes_read = written = weights = None
        confidence, reason = 0.0, "dimensions so large that no device could hold this layer's tensors"
    return Work(kind, macs, other_ops, bytes_read, written, weights, confidence, formula, terms, reason, gemm)


def per_value_work(
    kind: str,
    layer: Layer,
    values: int | None,
    per_value: int | None,
    formula: str,
    *,
    confidence: float = 1.0,
    reason: str = "",
    read: int | None = FROM_TENSORS,
    written: int | None = FROM_TENSORS,
) -> Work:
    """The work of a layer without MACs, with the same number of operations for each of its values."""
    terms = (("values", values), ("operations per value", per_value))
    operations = times(values, per_value)
    return layer_work(
        kind, layer, 0, operations, formula, terms, confidence=confidence, reason=reason, read=read, written=written
    )


def why_unknown(layer: Layer) -> str:
    """What the file lacks of a layer's tensors and weights, in words; "" if it has all.

    The reason comes first and the tensor after a colon, so that layers can be counted by reason.
    """
    if "LayerType" not in layer.raw and "Inputs" not in layer.raw:
        return "the engine was built without detailed profiling verbosity: only names are known"
    if not layer.lists_tensors or not (layer.inputs or layer.outputs):
        return "the file lacks this layer's inputs and outputs"
    for tensor in (*layer.inputs, *layer.outputs):
        if tensor.shape is None:
            return f"unknown shape of a tensor: {tensor.name}"
        if None in tensor.shape:
            return f"{RUN_TIME_SHAPE}: tensor {tensor.name} is {shape_text(tensor.shape)}"
        if not tensor.data_type.is_known:
            return f"unknown type of a tensor: {tensor.name}"
        if tensor.size_bytes is None:
            return f"unknown size of a tensor: {tensor.name}"
    for weights in layer.weights:
        if weights.size_bytes is None:
            return "the file lacks the layer's stored weights"
    return ""


def output_volume(layer: Layer) -> int | None:
    """Values of the first output, None if unknown or without outputs."""
    return layer.outputs[0].volume if layer.outputs else None


def largest_output(layer: Layer) -> int | None:
    """Values of the largest output, None if any is unknown or without outputs."""
    known = [tensor.volume for tensor in layer.outputs if tensor.volume is not None]
    return max(known) if known and len(known) == len(layer.outputs) else None


def sum_of(sizes: Iterable[int | None]) -> int | None:
    """The sum, None if any is unknown."""
    total = 0
    for size in sizes:
        if size is None:
            return None
        total += size
    return total


def joined(reason: str, more: str) -> str:
    """Two reasons as one; each may be "" for none."""
    return f"{reason}; {more}" if reason and more else reason or more


def times(count: float | None, per_value: float | None) -> float | None:
    """The product, None if one factor is unknown; 0 · unknown is 0."""
    if count == 0 or per_value == 0:
        return 0
    return None if count is None or per_value is None else count * per_value

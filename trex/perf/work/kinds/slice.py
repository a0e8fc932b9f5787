"""Slice, also with strides or with padding: a part of a tensor, or a tensor with a margin, is copied.

Formula: no operations. Bytes read: only the values inside the input, Π over the dimensions of the number of positions
start + i · stride (0 ≤ i < size) that lie in the input; bytes written: the output.

Source: TensorRT operators reference, Slice (``Start``, ``Size``, ``Stride``, ``Mode``).

Does not hold for: modes that repeat or reflect the input at its borders, for which the whole input counts as read; a
device reads DRAM in sectors of 32 bytes, so strides along the innermost dimension save less than this.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.core.shape import Shape
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import FROM_TENSORS, layer_work
from trex.perf.work.parameters import whole_numbers
from trex.perf.work.work import Work

FORMULA = "bytes read = the positions start + i·stride that lie inside the input"
_REPEATING = ("WRAP", "CLAMP", "REFLECT")


def work(layer: Layer) -> Work:
    source = layer.inputs[0] if layer.inputs else None
    output = layer.outputs[0].shape if layer.outputs else None
    read: int | None = FROM_TENSORS
    confidence, reason = 1.0, ""
    part: Shape | None = None
    if source is not None and source.shape is not None and output is not None and None not in (*source.shape, *output):
        part = _part(source.shape, output, layer)
        if part is not None:
            read = source.size_bytes_at(part)
        elif source.volume is not None and (layer.outputs[0].volume or 0) < source.volume:
            read = source.data_type.size_bytes(layer.outputs[0].volume)
            confidence, reason = 0.8, "unknown position of the slice: it reads as many values as it writes"
    terms = (("part read", "all" if part is None else "x".join(map(str, part))),)
    return layer_work("slice", layer, 0, 0, FORMULA, terms, confidence=confidence, reason=reason, read=read)


def _part(source: Shape, output: Shape, layer: Layer) -> Shape | None:
    """Extents of the part of the input that is read; None if unknown or if the mode repeats values."""
    record, rank = layer.raw, len(source)
    if any(word in str(record.get("Mode", "")).upper() for word in _REPEATING) or "Start" not in record:
        return None
    starts, steps = whole_numbers(record.get("Start"), rank, 0), whole_numbers(record.get("Stride"), rank, 1)
    if starts is None or steps is None or len(output) != rank:
        return None
    axes = zip(source, output, starts, steps)
    return tuple(_inside(extent, size, start, step) for extent, size, start, step in axes)  # type: ignore[arg-type]


def _inside(extent: int, size: int, start: int, step: int) -> int:
    """How many i in [0, size) have 0 ≤ start + i · step < extent."""
    if step == 0:
        return int(size > 0 and 0 <= start < extent)
    if step < 0:
        start, step = start + (size - 1) * step, -step
    first = max(0, -(start // step))
    last = min(size - 1, (extent - 1 - start) // step)
    return max(0, last - first + 1)


KIND = WorkKind(frozenset({"slice", "padding", "stridedslice"}), work)

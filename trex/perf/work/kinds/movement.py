"""Movement: layers that copy values: to another position, type, format or tensor.

Formula: no operations. Bytes: inputs and outputs once. A gather reads its indices and as many values of the table as
the output has; a slice reads only the positions start + i · stride (0 ≤ i < size) that lie in the input; a reformat
between tensors of different sizes (a region of a concatenation) touches as many values as the smaller one has, each
with its own padding. Quantization takes two operations per value (multiplication, rounding), dequantization one.

Source: TensorRT operators reference, Shuffle, Identity, Cast, Fill, Concatenation, Gather, Scatter, Slice; Jacob et
al., "Quantization and Training of Neural Networks", equation 1, for q = round(x / scale).

Does not hold for: transposes and strides that use only a part of each sector of memory, which move more; rows that are
gathered often, which caches serve; a scatter in place, which moves only its updates (confidence 0.8); modes of a slice
that repeat or reflect the input, for which all of it counts; block scales of 4-bit types that the file does not list.
"""

from __future__ import annotations

from trex.core.data_type import DataType
from trex.core.layer import Layer
from trex.core.shape import Shape
from trex.core.tensor import Tensor
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import FROM_TENSORS, layer_work, output_volume, per_value_work, sum_of
from trex.perf.work.parameters import whole_numbers
from trex.perf.work.work import Work

_QUANTIZING = frozenset({"quantize", "dynamicquantize", "qdq"})
_REPEATING = ("WRAP", "CLAMP", "REFLECT")


def movement(layer: Layer) -> Work:
    return layer_work("movement", layer, 0, 0, "bytes of input and output")


def concatenation(layer: Layer) -> Work:
    return layer_work("concatenation", layer, 0, 0, "bytes of all inputs and of the output")


def scatter(layer: Layer) -> Work:
    reason = "a scatter in place moves less"
    return layer_work("scatter", layer, 0, 0, "bytes of all tensors", confidence=0.8, reason=reason)


def gather(layer: Layer) -> Work:
    formula = "bytes read = output values in the table's type + indices"
    values = output_volume(layer)
    read: int | None = FROM_TENSORS
    stored: int | None = FROM_TENSORS
    if values is not None and layer.weights:
        stored = sum_of(
            _rows(weights.size_bytes, weights.count, values, weights.data_type) for weights in layer.weights
        )
    elif values is not None and layer.inputs:
        table, *others = layer.inputs
        rest = {tensor.name: tensor.size_bytes for tensor in others if tensor.name != table.name}
        read = sum_of([_rows(table.size_bytes, table.volume, values, table.data_type), *rest.values()])
    return layer_work("gather", layer, 0, 0, formula, (("output values", values),), read=read, stored=stored)


def _rows(size: int | None, count: int | None, values: int, data_type: DataType) -> int | None:
    """Bytes of ``values`` values of a table, at most all of it."""
    return size if size is None or count is None or count <= values else data_type.size_bytes(values)


def slice_of(layer: Layer) -> Work:
    formula = "bytes read = the positions start + i·stride that lie inside the input"
    source = layer.inputs[0] if layer.inputs else None
    output = layer.outputs[0].shape if layer.outputs else None
    read: int | None = FROM_TENSORS
    confidence, reason = 1.0, ""
    part: Shape | None = None
    if source is not None and source.shape is not None and output is not None and None not in (*source.shape, *output):
        part = _sliced(source.shape, output, layer)
        if part is not None:
            read = source.size_bytes_at(part)
        elif source.volume is not None and (layer.outputs[0].volume or 0) < source.volume:
            read = source.data_type.size_bytes(layer.outputs[0].volume)
            confidence, reason = 0.8, "unknown position of the slice: it reads as many values as it writes"
    terms = (("part read", "all" if part is None else "x".join(map(str, part))),)
    return layer_work("slice", layer, 0, 0, formula, terms, confidence=confidence, reason=reason, read=read)


def _sliced(source: Shape, output: Shape, layer: Layer) -> Shape | None:
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


def reformat(layer: Layer) -> Work:
    formula = "bytes of input and output; 2 operations per value quantized, 1 per value dequantized"
    values = output_volume(layer)
    read = written = FROM_TENSORS
    reason, confidence = "", 1.0
    if len(layer.inputs) == len(layer.outputs) == 1:
        source, output = layer.inputs[0], layer.outputs[0]
        before, after = source.volume, output.volume
        if before is not None and after is not None and before != after:
            confidence, reason = 0.8, "input and output differ in size: the shared part is copied"
            if before > after:
                read = _part(source, after)
            else:
                written, values = _part(output, before), before
    return per_value_work(
        "reformat",
        layer,
        values,
        _conversions(layer),
        formula,
        confidence=confidence,
        reason=reason,
        read=read,
        written=written,
    )


def _conversions(layer: Layer) -> int:
    """Operations per value of a reformat."""
    word = layer.type.lower()
    if "dequant" in word:
        return 1
    if word not in _QUANTIZING and str(layer.raw.get("Origin", "")).upper() != "QDQ":
        return 0
    source = layer.inputs[0].data_type.bits if layer.inputs else None
    output = layer.outputs[0].data_type.bits if layer.outputs else None
    return 1 if source is not None and output is not None and output > source else 2


def _part(tensor: Tensor, values: int) -> int:
    """Bytes of that many of a tensor's values; FROM_TENSORS if its type is unknown."""
    size = tensor.data_type.size_bytes(values)
    return FROM_TENSORS if size is None else size


_MOVING = {"shuffle", "transpose", "permute", "reshape", "identity", "cast", "copy", "move", "squeeze", "unsqueeze"}
_MOVING |= {"expand", "tile", "flatten", "fill", "onehot", "reversesequence", "split", "memcpy", "memset"}
_GATHERING = {"gather", "gathernd", "gatherelements", "embedding", "embed", "embeddinglookup"}
_REFORMATTING = {"reformat", "myelinreformat", "quantize", "dequantize", "dynamicquantize", "qdq"}

KINDS = (
    WorkKind(frozenset(_MOVING), movement),
    WorkKind(frozenset({"concatenation", "concat"}), concatenation),
    WorkKind(frozenset({"scatter", "scatternd", "scatterelements"}), scatter),
    WorkKind(frozenset(_GATHERING), gather),
    WorkKind(frozenset({"slice", "padding", "stridedslice"}), slice_of),
    WorkKind(frozenset(_REFORMATTING), reformat),
)

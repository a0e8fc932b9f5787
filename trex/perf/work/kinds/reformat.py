"""Reformat, quantize, dequantize: a copy into another layout or type.

Formula: no operations for a change of layout or floating-point type; two per value (multiplication, rounding) where the
record says that it quantizes, one (multiplication) where it dequantizes. Bytes: input and output once, each with its
own padding. Where one side has more values than the other, only a part of it (of a concatenation's region, or of the
tensor that is cut) is touched: as many values as the smaller side has.

Source: the record's ``Origin`` (``REFORMAT`` or ``QDQ``); Jacob et al., "Quantization and Training of Neural Networks",
equation 1, for q = round(x / scale).

Does not hold for: block scales of 4-bit types, which are read where the file lists them as inputs only.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.core.tensor import Tensor
from trex.perf.work.kind import WorkKind
from trex.perf.work.made import AS_TOLD, made, output_volume, times
from trex.perf.work.work import Work

FORMULA = "bytes of input and output; 2 operations per value quantized, 1 per value dequantized"
_QUANTIZING = frozenset({"quantize", "dynamicquantize", "qdq"})


def work(layer: Layer) -> Work:
    each = _operations(layer)
    values = output_volume(layer)
    read = written = AS_TOLD
    reason, confidence = "", 1.0
    if len(layer.inputs) == len(layer.outputs) == 1:
        source, output = layer.inputs[0], layer.outputs[0]
        before, after = source.volume, output.volume
        if before is not None and after is not None and before != after:
            confidence, reason = 0.8, "input and output differ in size: the part they share is copied"
            if before > after:
                read = _part(source, after)
            else:
                written, values = _part(output, before), before
    return made(
        "reformat",
        layer,
        0,
        times(values, each),
        FORMULA,
        (("values", values), ("operations per value", each)),
        confidence=confidence,
        reason=reason,
        read=read,
        written=written,
    )


def _operations(layer: Layer) -> int:
    """Operations per value."""
    word = layer.type.lower()
    if "dequant" in word:
        return 1
    if word not in _QUANTIZING and str(layer.raw.get("Origin", "")).upper() != "QDQ":
        return 0
    source = layer.inputs[0].data_type.bits if layer.inputs else None
    output = layer.outputs[0].data_type.bits if layer.outputs else None
    return 1 if source is not None and output is not None and output > source else 2


def _part(tensor: Tensor, values: int) -> int:
    """Bytes of that many of a tensor's values; AS_TOLD when its type is unknown."""
    size = tensor.data_type.size_bytes(values)
    return AS_TOLD if size is None else size


_TYPES = {"reformat", "myelinreformat", "quantize", "dequantize", "dynamicquantize", "qdq"}
KIND = WorkKind(frozenset(_TYPES), work)

"""Reformat, quantize, dequantize: a copy into another format or type.

Formula: no operations for a change of format or floating-point type; two per value (multiplication, rounding) if the
record's origin is a quantizer, one (multiplication) for a dequantizer. Bytes: input and output once, each with its own
padding. If one side has more values than the other, only the part that both share is touched (a region of a
concatenation, or a slice): as many values as the smaller side has.

Source: the record's ``Origin`` (``REFORMAT`` or ``QDQ``); Jacob et al., "Quantization and Training of Neural Networks",
equation 1, for q = round(x / scale).

Does not hold for: block scales of 4-bit types, which count only if the file lists them as inputs.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.core.tensor import Tensor
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import FROM_TENSORS, layer_work, output_volume, times
from trex.perf.work.work import Work

FORMULA = "bytes of input and output; 2 operations per value quantized, 1 per value dequantized"
_QUANTIZING = frozenset({"quantize", "dynamicquantize", "qdq"})


def work(layer: Layer) -> Work:
    per_value = _operations(layer)
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
    return layer_work(
        "reformat",
        layer,
        0,
        times(values, per_value),
        FORMULA,
        (("values", values), ("operations per value", per_value)),
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
    """Bytes of that many of a tensor's values; FROM_TENSORS if its type is unknown."""
    size = tensor.data_type.size_bytes(values)
    return FROM_TENSORS if size is None else size


_TYPES = {"reformat", "myelinreformat", "quantize", "dequantize", "dynamicquantize", "qdq"}
KIND = WorkKind(frozenset(_TYPES), work)

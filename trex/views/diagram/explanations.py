"""Layer → why it is there: the reasons and the grammar that TensorRT leaves unsaid, in words."""

from __future__ import annotations

from functools import lru_cache

from trex.core.layer import Layer
from trex.views.glossary import explain_layer_type

NOT_REPORTED = "not reported"

# What the inspector's ``Origin`` of a Reformat says.
_ORIGINS = {
    "REFORMAT": "layout change",
    "SLICE": "copy of a slice",
    "CAST": "type cast",
    "CONCAT": "copy into a concatenation",
}

# A longer "type" is no type, and would be kept in the memo of words for ever.
_LONGEST_TYPE = 200
_FUSIONS = {
    "vertical": "'+' joins operations that run one after the other in one kernel (vertical fusion).",
    "horizontal": "'||' joins operations with the same input that run side by side in one kernel (horizontal fusion).",
    "pointwise": "PWN(…): element-wise operations fused into one kernel.",
    "foreign": "{ForeignNode[a...b]}: the part of the network from a to b, compiled as a whole by Myelin, TensorRT's "
    "graph compiler; what is inside is not reported.",
    "myelin": "__myl_…: a kernel of Myelin, TensorRT's graph compiler; the words that follow are the operations in it.",
    "reformat": "Reformatting CopyNode: a copy that TensorRT put in between layers that want different formats.",
}


def is_reformat(layer: Layer) -> bool:
    return "reformat" in layer.type.lower()


def reformat_reason(layer: Layer) -> tuple[str, ...]:
    """Why a Reformat exists, one reason a line: its Origin, the layer it serves, what it changes.

    A missing Origin is said to be not reported; nothing is guessed from the name alone.
    """
    changes = _changes(layer)
    origin = layer.raw.get("Origin")
    word = origin.upper() if isinstance(origin, str) else ""
    if word == "QDQ":
        reason = _quantization(layer)
    elif word:
        reason = _ORIGINS.get(word, f"origin {origin}")
    else:
        reason = f"origin {NOT_REPORTED}"
    served = layer.name_parts.wraps
    lines = [f"{reason} for {served}" if served else reason, *changes]
    if not changes and layer.inputs and layer.outputs:
        ends = (layer.inputs[0], layer.outputs[0])
        is_known = all(tensor.data_type.is_known and tensor.format.is_known for tensor in ends)
        lines.append("same type and format on both sides" if is_known else f"what it changes: {NOT_REPORTED}")
    return tuple(lines)


def _quantization(layer: Layer) -> str:
    if layer.inputs and layer.outputs:
        source, target = layer.inputs[0].data_type, layer.outputs[0].data_type
        if source.is_known and target.is_known and source.bits != target.bits:
            return "quantize" if (target.bits or 0) < (source.bits or 0) else "dequantize"
    return "quantize or dequantize"


def _changes(layer: Layer) -> list[str]:
    """What differs between a copy's input and its output, of what is known."""
    if not layer.inputs or not layer.outputs:
        return []
    source, target = layer.inputs[0], layer.outputs[0]
    changes = []
    if source.data_type is not target.data_type and source.data_type.is_known and target.data_type.is_known:
        changes.append(f"precision {source.precision} → {target.precision}")
    if source.format.label != target.format.label and source.format.is_known and target.format.is_known:
        changes.append(f"layout {source.format} → {target.format}")
    return changes


def explanation(layer: Layer) -> tuple[str, ...]:
    """Sentences about a layer's type and the grammar of its name, for its tooltip."""
    sentences = [_type_words(layer.type) if len(layer.type) <= _LONGEST_TYPE else ""]
    sentences += [_FUSIONS.get(word, "") for word in layer.name_parts.fusion.split("+")]
    return tuple(sentence for sentence in sentences if sentence)


@lru_cache(maxsize=1024)
def _type_words(layer_type: str) -> str:
    meaning = explain_layer_type(layer_type)
    return f"{layer_type}: {meaning}" if meaning else ""

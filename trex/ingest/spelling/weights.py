"""A layer's record → its Weights: stored parameters of every type count."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.core.layer import Layer, Weights
from trex.core.note import Note
from trex.core.tensor import Tensor
from trex.ingest.spelling.data_types import data_type_of
from trex.ingest.spelling.shapes import read_dim

UNTOLD = Weights("weights", DataType.UNKNOWN, None, None)
"""Parameters that a layer must have, or may have, and of which the file tells nothing."""

# Kernels that have no parameters of their own, so that a file which tells none has told all.
_WITHOUT_WEIGHTS = ("Reformat", "Pooling", "Shuffle", "Slice", "Padding")
# What a layer without anything of its own has: nothing to look for in most layers of Myelin.
_OTHER_WORDS = "Name LayerType ParameterType TacticName TacticValue StreamId Metadata Inputs Outputs"
_OTHER_KEYS = frozenset(_OTHER_WORDS.split())
_PRODUCTS = frozenset({"gemm", "conv"})
_REGION = "Myelin"
# Names that Myelin and TensorRT's parser give to constants: no tensor of a model is called so.
_STORED_NAME = re.compile(r"__mye[0-9]|.*_(?:dconst|constant[A-Z][A-Za-z0-9]*)$", re.DOTALL)


def weight_keys(records: Iterable[dict[str, Any]]) -> tuple[str, ...]:
    """The keys under which any record holds a ``{"Type": …, "Count": …}`` object, in the file's order."""
    keys: dict[str, None] = {}
    for record in records:
        if record.keys() - _OTHER_KEYS:
            for key, value in record.items():
                if type(value) is dict and "Count" in value:
                    keys.setdefault(key)
    return tuple(keys)


def read_weights(record: dict[str, Any], keys: tuple[str, ...]) -> tuple[Weights, ...]:
    """Weights, bias and constants of one layer; size None when the type or the count is not known."""
    found = []
    # Whichever is shorter: in a damaged file every layer may have a key of its own.
    for key in keys if len(keys) <= len(record) else tuple(record):
        value = record.get(key)
        if type(value) is dict and "Count" in value:
            count = read_dim(value["Count"])
            if count == 0:
                continue
            written = value.get("Type")
            data_type = data_type_of(written if type(written) is str else None)
            found.append(Weights(_kind(key), data_type, count, data_type.size_bytes(count)))
    return tuple(found)


def unread_weights(layers: Iterable[Layer], where: str) -> list[Note]:
    """A Note on the entries that are there, but whose count is no count or whose type is none that is known."""
    found = [
        (layer, each)
        for layer in layers
        for each in layer.weights
        if each is not UNTOLD and each.kind != "input" and (each.count is None or not each.data_type.is_known)
    ]
    if not found:
        return []
    layer, each = found[0]
    what = "a count that is none" if each.count is None else "a type that was not understood"
    number = counted(len(found), "entry of weights has", "entries of weights have")
    message = f"{number} no usable count or type, first in layer {layer.name!r} ({what}); sizes unknown"
    return [Note("unreadable-weights", message, "", where)]


def hides_weights(subtype: str, record: dict[str, Any], verbosity: str, inputs: Sequence[Tensor]) -> bool:
    """True for a kernel without a word on weights where that does not mean that it has none.

    Layers of which only the name is told; rows of a build log; a Myelin region told as one layer; and Myelin's
    matrix products with one operand, whose other is stored. inputs: the tensors the layer reads.
    """
    if "LayerType" not in record and "Inputs" not in record:
        return True
    if verbosity == "log":
        return not any(word in subtype for word in _WITHOUT_WEIGHTS)
    return subtype == _REGION or (subtype in _PRODUCTS and len({tensor.name for tensor in inputs}) < 2)


def is_stored_name(name: str) -> bool:
    """True for a tensor whose name alone says that it is a constant: ``__mye583_dconst``, ``…_constantHalf``."""
    return _STORED_NAME.match(name) is not None


def _kind(key: str) -> str:
    return "bias" if "bias" in key.lower() else "weights"

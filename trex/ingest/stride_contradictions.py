"""Layers whose tensors list strides (TensorRT 11 and for RTX) → a Note where they don't fit the tensors' dimensions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from trex.core.counted import counted
from trex.core.layer import Layer
from trex.core.note import Note
from trex.core.printable import clipped
from trex.ingest.spelling.weights import CONSTANTS

_STRIDES = "Strides"
_ALL = 0.9
"""Share of the tensors from which on all have strides: in real files either all have them, or none."""
_LONGEST = 80
_PACKED = re.compile(r"wide|vector|%|(?<![0-9])4")
"""Formats whose strides count vectors of channels, and types of four bits."""


def stride_contradictions(layers: Sequence[Layer], where: str) -> Iterator[Note]:
    """Tensors, also constants, with other numbers of strides than of dimensions, or with so many values that some would
    lie at the same place: none of 45,000 in 60 real engines.
    """
    tensors = [
        one
        for layer in layers
        for key in ("Inputs", "Outputs", CONSTANTS)
        for one in _records(layer, key)
        if one.get("Location") != "Host"
    ]
    with_strides = sum(_STRIDES in one for one in tensors)
    if not with_strides:
        return
    lacks = with_strides >= _ALL * len(tensors)
    odd = [one for one in tensors if (lacks if _STRIDES not in one else _contradicts(one))]
    if odd:
        words = (
            f"{counted(len(odd), 'tensor has', 'tensors have')} no strides, or strides that don't fit the dimensions"
        )
        message = f"{words}, first {clipped(str(odd[0].get('Name')), _LONGEST)!r}: sizes may be wrong"
        yield Note("strides-contradict", message, "export the graph or the log again", where, "problem")


def _records(layer: Layer, key: str) -> list[dict[str, Any]]:
    records = layer.raw.get(key)
    return [one for one in records if isinstance(one, dict)] if isinstance(records, list) else []


def _contradicts(record: dict[str, Any]) -> bool:
    dims, strides = record.get("Dimensions"), record[_STRIDES]
    if not isinstance(dims, list) or not isinstance(strides, list):
        return False
    if (len(dims) or 1) != (len(strides) or 1):
        return True
    if _PACKED.search(f"{record.get('Format')} {record.get('Datatype')}"):
        return False
    if any(type(number) is not int or number <= 0 for number in (*dims, *strides)):
        return False
    return prod(dims) > max((size * stride for size, stride in zip(dims, strides)), default=1)

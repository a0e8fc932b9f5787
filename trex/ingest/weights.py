"""A layer's record → its Weights: stored parameters of every type count."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from trex.core.layer import Weights
from trex.ingest.data_types import data_type_of
from trex.ingest.shapes import MAX_DIM


def weight_keys(records: Iterable[dict[str, Any]]) -> tuple[str, ...]:
    """The keys under which any record holds a ``{"Type": …, "Count": …}`` object, in the file's order."""
    keys: dict[str, None] = {}
    for record in records:
        for key, value in record.items():
            if type(value) is dict and "Count" in value:
                keys.setdefault(key)
    return tuple(keys)


def read_weights(record: dict[str, Any], keys: tuple[str, ...]) -> tuple[Weights, ...]:
    """Weights, bias and constants of one layer; size None when the type or the count is not known."""
    found = []
    for key in keys:
        value = record.get(key)
        if type(value) is dict and "Count" in value:
            count = value["Count"]
            if type(count) is not int or not 0 <= count <= MAX_DIM:
                count = None
            elif count == 0:
                continue
            written = value.get("Type")
            data_type = data_type_of(written if type(written) is str else None)
            found.append(Weights(_kind(key), data_type, count, data_type.size_bytes(count)))
    return tuple(found)


def _kind(key: str) -> str:
    return "bias" if "bias" in key.lower() else "weights"

"""Dimensions in a file → Shape."""

from __future__ import annotations

from typing import Any

from trex.core.shape import Shape

# TensorRT allows 8 dimensions. Far larger values are damage, and their products overflow a double.
MAX_RANK = 16
MAX_DIM = 2**40


def read_shape(value: Any) -> Shape | None:
    """The shape in a list of dimensions. An invalid dimension (negative, boolean, text, too large) is None.

    TensorRT writes -1, and some 8.x logs -2, -3 …, for dimensions that are only known at run time. The shape is None
    unless the value is a list of at most 16 entries.
    """
    if not isinstance(value, list) or len(value) > MAX_RANK:
        return None
    return tuple(map(read_dim, value))


def read_dim(value: Any) -> int | None:
    if type(value) is int:
        return value if 0 <= value <= MAX_DIM else None
    if type(value) is float and value.is_integer() and 0 <= value <= MAX_DIM:
        return int(value)
    return None

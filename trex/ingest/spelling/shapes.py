"""Written dimensions → Shape."""

from __future__ import annotations

from typing import Any

from trex.core.shape import Shape

# TensorRT allows 8 dimensions; anything far beyond is damage, and products of such numbers would not fit a double.
MAX_RANK = 16
MAX_DIM = 2**40


def read_shape(value: Any) -> Shape | None:
    """The shape in a list of written dimensions: what is no count (negative, boolean, text, absurd) is None.

    TensorRT writes -1, and some 8.x logs -2, -3 …, for dimensions that are only known at run time. None for
    anything that is not a list of at most 16 entries.
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

"""Shape: a tuple of dimensions, None for an unknown one."""

from __future__ import annotations

from math import prod

Shape = tuple[int | None, ...]

LARGEST_SIZE = 2**31 - 1
"""Of a dimension that a user asks for: TensorRT before 10 has 32 bits for each."""


def is_static(shape: Shape | None) -> bool:
    """True if the rank and every dimension are known."""
    return shape is not None and None not in shape


def volume(shape: Shape | None) -> int | None:
    """Number of elements (1 for a scalar), None if a dimension is unknown.

    With a dimension of 0 the volume is 0, even if others are unknown.
    """
    if shape is None:
        return None
    if None in shape:
        return 0 if 0 in shape else None
    return prod(shape)  # type: ignore[arg-type]


def shape_text(shape: Shape | None, unknown: str = "?") -> str:
    """``1x3x?x224`` with ``unknown`` for dynamic dimensions; ``scalar`` for rank 0, ``unknown`` for no shape."""
    if shape is None:
        return unknown
    if not shape:
        return "scalar"
    return "x".join([unknown if dim is None else str(dim) for dim in shape])

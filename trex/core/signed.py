"""A difference as text, with its sign: ``+0.0276``, ``−38.2``."""

from __future__ import annotations

MINUS = "−"


def signed(value: float, decimals: int = 1) -> str:
    """The number with its sign, a real minus; no minus before a zero."""
    return with_minus(f"{round(value, decimals) + 0.0:+.{decimals}f}")


def with_minus(number: str) -> str:
    """The number as people write it: with a minus, not a hyphen."""
    return MINUS + number[1:] if number.startswith("-") else number

"""Largest sample → the power of two to multiply samples by so that their squares neither overflow nor vanish."""

from __future__ import annotations

_EXPONENT = 400
_SHIFT = 700


def range_factor(largest: float) -> float:
    """1 for every time that anybody measures. Beside a largest number beyond 2⁴⁰⁰ what the factor makes vanish counts
    for nothing in a sum; order statistics are taken of the samples themselves.
    """
    if largest > 2.0**_EXPONENT:
        return 2.0**-_SHIFT
    return 2.0**_SHIFT if largest < 2.0**-_EXPONENT else 1.0

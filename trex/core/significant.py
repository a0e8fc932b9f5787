"""Number → text with its significant digits, without an exponent: ``0.0123``, ``99.5``, ``1,230``."""

from __future__ import annotations

import math


def significant(value: float, digits: int) -> str:
    """The number rounded to so many significant digits, without trailing zeros; ``nan`` and ``inf`` as in Python.

    >>> significant(99.96, 2), significant(0.012345, 3), significant(1234567, 3), significant(2.0, 4)
    ('100', '0.0123', '1,230,000', '2')
    """
    rounded = float(f"{value:.{digits - 1}e}")
    if not rounded or not math.isfinite(rounded):
        return f"{rounded:g}"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(rounded))))
    text = f"{rounded:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text

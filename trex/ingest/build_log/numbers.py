"""Numbers as a build log writes them → int and float, or None."""

from __future__ import annotations

import math

_LONGEST = 24
_MODULUS = 1 << 64
_LONGEST_S = 1e9


def tactic_id(text: bytes) -> int | None:
    """A tactic's id without sign: 64 bits, hexadecimal since 8.4, signed decimal before."""
    text = text.strip()
    if not text or len(text) > _LONGEST:
        return None
    try:
        return int(text, 16 if text[:2].lower() == b"0x" else 10) % _MODULUS
    except ValueError:
        return None


def number(text: bytes) -> float:
    """A number without sign; infinite for ``inf``, NaN for anything else."""
    try:
        value = float(text) if len(text) <= _LONGEST else math.nan
    except ValueError:
        return math.nan
    return value if value >= 0 else math.nan


def seconds(text: bytes) -> float:
    """A duration; NaN for anything else, and for more than 30 years: a damaged number is no sum's end."""
    value = number(text)
    return value if value < _LONGEST_S else math.nan


def whole(text: bytes) -> int | None:
    """Digits of at most 64 bits."""
    return int(text) if text.isdigit() and len(text) <= 19 else None

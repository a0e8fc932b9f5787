"""Number in JSON or a log → float, None if it is not a finite number."""

from __future__ import annotations

import math
import re
from typing import Any

_NUMBER = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_QUANTITY = re.compile(rf"\s*({_NUMBER.pattern})(,[0-9])?\s*([A-Za-z%]*)")


def written_number(value: Any) -> float | None:
    """The value of a JSON number or of a text that is only a number; None for nan, inf, booleans and anything else."""
    kind = type(value)
    if kind is str:
        value = value.strip()
        if _NUMBER.fullmatch(value) is None:
            return None
    elif kind is not float and kind is not int:
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def written_quantity(value: Any) -> tuple[float, str] | None:
    """Number and lower-case unit in ``192 bits (ECC disabled)`` or ``1.425 GHz``; the unit is "" if there is none.

    None for ``81,920 MiB``: the comma may be of thousands or a decimal one.
    """
    if type(value) is not str:
        number = written_number(value)
        return None if number is None else (number, "")
    match = _QUANTITY.match(value)
    number = written_number(match[1]) if match else None
    return None if match is None or match[2] or number is None else (number, match[3].lower())

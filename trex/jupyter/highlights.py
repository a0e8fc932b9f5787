"""Highlights: colors of a table's numbers by range, in the words of dtale's ``range_highlights``.

{"speedup": {"active": True, "greaterThan": {"active": True, "value": 1.03, "color": {"r": 0, "g": 128, …, "a": 1}}}}
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

FASTER, SLOWER = {"r": 118, "g": 185, "b": 0, "a": 0.45}, {"r": 219, "g": 68, "b": 55, "a": 0.4}
_FIRST_MARK = 0xE000  # letters for private use: they stand behind a cell's number until it is painted


def speedup_ranges(column: str, threshold: float) -> dict[str, Any]:
    """Speed-ups above 1 + threshold green, those below 1 − threshold red; a speed-up above 1 is faster."""
    limits = {"greaterThan": (1.0 + threshold, FASTER), "lessThan": (1.0 - threshold, SLOWER)}
    ranges = {name: {"active": True, "value": value, "color": dict(color)} for name, (value, color) in limits.items()}
    return {column: {"active": True, **ranges}}


class Highlights:
    """Ranges of numbers by column, for tables that are written as HTML."""

    _HOLDS: Mapping[str, Callable[[float, float], bool]] = {
        "equals": lambda value, limit: value == limit,
        "greaterThan": lambda value, limit: value > limit,
        "lessThan": lambda value, limit: value < limit,
    }

    def __init__(self, ranges: Mapping[str, Mapping[str, Any]]) -> None:
        self._ranges = {name: limits for name, limits in ranges.items() if limits.get("active")}
        self._colors: list[str] = []

    def has(self, column: str) -> bool:
        return column in self._ranges

    def formatter(self, column: str) -> Callable[[Any], str]:
        """Formats the column's numbers with four digits and marks those in a range."""

        def spelled(value: Any) -> str:
            if not isinstance(value, int | float):
                return str(value)
            if math.isnan(value):
                return "NaN"
            return f"{value:.4g}{self._mark(self._ranges[column], float(value))}"

        return spelled

    def painted(self, markup: str) -> str:
        """The table's HTML with its marks replaced by cell backgrounds."""
        if not self._colors:
            return markup
        marks = f"{chr(_FIRST_MARK)}-{chr(_FIRST_MARK + len(self._colors) - 1)}"
        return re.sub(
            f"<td>([0-9.e+-]+)([{marks}])</td>",
            lambda match: (
                f'<td style="background:{self._colors[ord(match[2]) - _FIRST_MARK]} !important">{match[1]}</td>'
            ),
            markup,
        )

    def _mark(self, ranges: Mapping[str, Any], value: float) -> str:
        for name, holds in self._HOLDS.items():
            limit = ranges.get(name) or {}
            if limit.get("active") and holds(value, float(limit["value"])):
                part = limit["color"]
                color = f"rgba({int(part['r'])},{int(part['g'])},{int(part['b'])},{float(part['a']):g})"
                if color not in self._colors:
                    self._colors.append(color)
                return chr(_FIRST_MARK + self._colors.index(color))
        return ""

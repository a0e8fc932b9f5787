"""Table: rows and columns with units, ready for any reader (terminal, Markdown, HTML, spreadsheet)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

UNKNOWN_TEXT = "–"

_STEPS = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


@dataclass(frozen=True, slots=True)
class TableColumn:
    """kind: ``text``, ``number``, ``rate`` (three digits), ``count``, ``ms``, ``pct`` or ``bytes``; decides alignment
    and spelling.

    unit: shown behind the name; "" where the name or the cells tell it. if_known: people need not see the column when
    no row has a value. readable: how many letters of a text are to be seen before later columns.
    """

    name: str
    kind: str = "text"
    unit: str = ""
    if_known: bool = False
    readable: int = 0

    @property
    def is_number(self) -> bool:
        return self.kind != "text"

    @property
    def heading(self) -> str:
        """Name and unit, as people read them."""
        return f"{self.name} ({self.unit})" if self.unit else self.name

    def cell(self, value: Any) -> str:
        """The value as people read it; unknown (None or NaN) is a dash. Never fails, whatever the value."""
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return UNKNOWN_TEXT
        if self.kind == "text" or not isinstance(value, int | float) or isinstance(value, bool):
            return str(value)
        if self.kind == "count":
            return f"{value:,}"
        if self.kind == "ms":
            return milliseconds(value)
        if self.kind == "pct":
            return f"{round(value, 1) + 0.0:.1f}"  # no minus before a zero
        if self.kind == "bytes":
            return byte_size(value)
        if self.kind == "rate":
            return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
        return f"{value:.6g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True, slots=True)
class Table:
    """``rows`` hold plain values in the order of ``columns``."""

    title: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[Any, ...], ...]

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per row; NaN becomes None, as JSON has no NaN."""
        names = [column.name for column in self.columns]
        return [dict(zip(names, map(plain_number, row), strict=True)) for row in self.rows]

    def for_people(self) -> Table:
        """The table without the columns that are worth showing only where something is known."""
        shown = [
            place
            for place, column in enumerate(self.columns)
            if not column.if_known or any(column.cell(row[place]) != UNKNOWN_TEXT for row in self.rows)
        ]
        return self.with_columns(shown)

    def with_columns(self, places: list[int]) -> Table:
        """The table of these columns only."""
        if len(places) == len(self.columns):
            return self
        return replace(
            self,
            columns=tuple(self.columns[place] for place in places),
            rows=tuple(tuple(row[place] for place in places) for row in self.rows),
        )


def milliseconds(value: float | None) -> str:
    """Four decimals below 10 ms, three from there, so that a microsecond is always visible."""
    if value is None or math.isnan(value):
        return UNKNOWN_TEXT
    return f"{value:.4f}" if abs(value) < 10 else f"{value:,.3f}"


def byte_size(value: float | None) -> str:
    """A size in binary units (1 KiB = 1024 bytes)."""
    if value is None or math.isnan(value):
        return UNKNOWN_TEXT
    for step, unit in _STEPS:
        if abs(value) >= step:
            return f"{value / step:.1f} {unit}"
    return f"{value:.0f} B"


def plain_number(value: Any) -> Any:
    """The value as JSON has it: None for what is not finite."""
    return None if isinstance(value, float) and not math.isfinite(value) else value

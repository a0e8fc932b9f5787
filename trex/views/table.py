"""Table: rows and columns with units, ready for any reader (terminal, Markdown, HTML, spreadsheet)."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import Any

from trex.core.signed import with_minus

UNKNOWN_TEXT = "–"

_STEPS = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column: its name, unit, meaning and format, declared once for every renderer.

    kind: ``text``, ``name`` (of a layer, a kernel, a file: a text that may lose its middle where others wrap),
    ``number``, ``rate`` (three digits), ``count``, ``ms``, ``pct``, ``bytes``, or ``bar``: a number that people see as
    the length of a bar and programs do not get, because another column holds it.
    unit: shown after the name; empty when the name or the cells contain it. meaning: one sentence, for tooltips and
    programs. if_known: people see the column only when some row has a value. readable: the width that a text keeps
    before later columns go below the rows. identifier: what programs call it, such as a column of ``plan.df``.
    links: what its texts link to in a page: a part of the page's address and the column that names it, such as
    ``finding=code``.
    """

    name: str
    kind: str = "text"
    unit: str = ""
    if_known: bool = False
    readable: int = 0
    meaning: str = ""
    identifier: str = ""
    links: str = ""

    @property
    def is_number(self) -> bool:
        return self.kind not in ("text", "name", "bar")

    @property
    def key(self) -> str:
        """The name for programs: in JSON, CSV and Parquet; the name with its unit unless it has one of its own."""
        return self.identifier or json_key(f"{self.name} {self.unit}" if self.unit else self.name)

    @property
    def heading(self) -> str:
        """Name and unit."""
        return f"{self.name} ({self.unit})" if self.unit else self.name

    def cell(self, value: Any) -> str:
        """The value as text; unknown (None or NaN) is a dash. Accepts any value."""
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return UNKNOWN_TEXT
        if isinstance(value, list | tuple | dict):
            return json.dumps(value, ensure_ascii=False, default=str)
        if self.kind in ("text", "name") or not isinstance(value, int | float) or isinstance(value, bool):
            return str(value)
        return with_minus(self._number(value))

    def _number(self, value: int | float) -> str:
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
    """Rows of plain values in the order of the columns.

    key: the name in JSON; made from the title when empty. left_out: rows that are not here. more: the command that
    shows them. is_headed: where space is short the title heads the first column. is_folded: details; a terminal shows
    only how many rows it has unless asked for more. selects: the column of the page's table of layers that has this
    one's first column; such a page shows the rows as one stacked bar whose parts filter by it.
    """

    title: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[Any, ...], ...]
    key: str = ""
    left_out: int = 0
    more: str = ""
    is_headed: bool = False
    is_folded: bool = False
    selects: str = ""

    def first(self, count: int) -> Table:
        """The table with at most so many rows; the others are counted."""
        if len(self.rows) <= count:
            return self
        return replace(self, rows=self.rows[:count], left_out=self.left_out + len(self.rows) - count)

    def longest_bar(self) -> float:
        """The largest finite length in its columns of bars; 1 without any."""
        bars = [index for index, column in enumerate(self.columns) if column.kind == "bar"]
        return max((bar_length(row[index]) for row in self.rows for index in bars), default=0.0) or 1.0

    def records(self) -> list[dict[str, Any]]:
        """One dictionary per row; NaN becomes None, as JSON has no NaN."""
        names = [column.name for column in self.columns]
        return [dict(zip(names, map(plain_number, row), strict=True)) for row in self.rows]

    def for_people(self) -> Table:
        """The table without the columns that are worth showing only where something is known."""
        return self.with_columns(
            [
                index
                for index, column in enumerate(self.columns)
                if not column.if_known or any(column.cell(row[index]) != UNKNOWN_TEXT for row in self.rows)
            ]
        )

    def for_programs(self) -> Table:
        """The table without bars, which show the numbers of other columns."""
        return self.with_columns([index for index, column in enumerate(self.columns) if column.kind != "bar"])

    def with_columns(self, indexes: list[int]) -> Table:
        """The table of these columns only."""
        if len(indexes) == len(self.columns):
            return self
        return replace(
            self,
            columns=tuple(self.columns[index] for index in indexes),
            rows=tuple(tuple(row[index] for index in indexes) for row in self.rows),
        )


def bar_length(value: Any) -> float:
    """The length of a bar; 0 for what is unknown."""
    return abs(value) if isinstance(value, int | float) and math.isfinite(value) else 0.0


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


def json_key(label: str) -> str:
    """``Time % / layer`` → ``time_pct_per_layer``."""
    words = label.lower().replace("#", "index").replace("%", "pct").replace("/", " per ")
    return "_".join("".join(character if character.isalnum() else " " for character in words).split())


def plain_number(value: Any) -> Any:
    """The value as JSON has it: None for what is not finite."""
    return None if isinstance(value, float) and not math.isfinite(value) else value

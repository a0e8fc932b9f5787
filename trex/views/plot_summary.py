"""Plot → what it shows in one sentence, for readers who do not see the picture."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from trex.core.counted import counted
from trex.core.printable import clipped
from trex.views.plot import Plot
from trex.views.plot_table import plot_table
from trex.views.table import Table, TableColumn

_LARGEST, _RANGES = 3, 3
_LONGEST = 60


def plot_summary(plot: Plot) -> str:
    """How many values, the range of each measure, and the largest by name: ``35 values. average time: 0.0061 to 0.2017
    ms, largest: conv1 (0.2017), MaxPool_12 (0.0952), fc (0.0614).``
    """
    table = plot_table(plot)
    numbers = [index for index, column in enumerate(table.columns) if column.is_number][:_RANGES]
    parts = [words for index in numbers if (words := _range(table, index))]
    if parts and numbers[0] > 0:
        parts[0] += _largest(table, numbers[0])
    return f"{counted(len(table.rows), 'value')}. " + "; ".join(parts) + "." if parts else ""


def _range(table: Table, index: int) -> str:
    column, values = table.columns[index], _known(row[index] for row in table.rows)
    if not values:
        return ""
    low, high = min(values), max(values)
    ends = _words(column, high) if low == high else f"{column.cell(low)} to {_words(column, high)}"
    return f"{column.name}: {ends}"


def _largest(table: Table, index: int) -> str:
    """The largest values with what stands before them in their rows; empty where these are no names."""
    column = table.columns[index]
    rows = sorted((row for row in table.rows if _known([row[index]])), key=lambda row: -row[index])[:_LARGEST]
    names = [clipped(" ".join(map(str, row[:index])), _LONGEST) for row in rows]
    if len(set(names)) < max(2, len(rows)):
        return ""
    return ", largest: " + ", ".join(f"{name} ({column.cell(row[index])})" for name, row in zip(names, rows))


def _words(column: TableColumn, value: float) -> str:
    return f"{column.cell(value)} {column.unit}".rstrip()


def _known(values: Iterable[Any]) -> list[float]:
    return [value for value in values if isinstance(value, int | float) and math.isfinite(value)]

"""Table → data of the page's table that people sort and filter: columns of values, and what each column means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from trex.views.document import LayerDetails, TableBlock
from trex.views.table import Table, TableColumn

_DIGITS, _SAMPLE = 6, 500
_EXACT = 2.0**53
"""The page's numbers are of 64 bits."""
_UNITS = {"ms": "ms", "pct": "%", "bytes": "bytes"}
_WIDTHS = ((28, 300), (18, 210))
"""(characters that most of a column's texts exceed, the column's width in pixels), the widest first."""


def browse_data(block: TableBlock) -> dict[str, Any]:
    """columns: name, title, unit, meaning and values; shown: how many of them the page shows at first, by which one it
    sorts them. noun: of a row.
    """
    table: Table = block.make().for_programs()
    values = list(zip(*table.rows, strict=True)) if table.rows else [()] * len(table.columns)
    columns = [_column(column, cells) for column, cells in zip(table.columns, values, strict=True)]
    return {"columns": columns, "shown": block.shown or len(columns), "noun": block.noun, "sort": block.sort}


def details_data(details: LayerDetails) -> dict[str, Any]:
    """groups, rows: as ``browse_data`` of each table."""
    return {
        name: browse_data(TableBlock(name, "", partial(_same, table)))
        for name, table in (("groups", details.groups), ("rows", details.rows))
    }


def _same(table: Table) -> Table:
    return table


def _column(column: TableColumn, values: Sequence[Any]) -> dict[str, Any]:
    """Numbers as they are, texts as indexes into a list of the different ones."""
    name = column.identifier or column.name
    unit = _UNITS.get(column.kind, column.unit)
    head = {"name": name, "title": column.name, "unit": unit, "meaning": column.meaning}
    if all(value is None or isinstance(value, int | float) for value in values):
        return {**head, "numbers": [_number(value) for value in values]}
    texts = [value if isinstance(value, str) else "" if _is_unknown(value) else column.cell(value) for value in values]
    indexes = {text: index for index, text in enumerate(dict.fromkeys(texts))}
    columns = {"texts": list(indexes), "indexes": [indexes[text] for text in texts]}
    return {**head, **columns, "width": _width(texts[:_SAMPLE])}


def _width(texts: Sequence[str]) -> int:
    """Pixels; 0 for the usual width."""
    longest = [max(map(len, text.split("\n"))) for text in texts]
    median = sorted(longest)[len(longest) // 2] if longest else 0
    return next((width for length, width in _WIDTHS if median > length), 0)


def _is_unknown(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _number(value: float | None) -> float | int | None:
    if value is None or not math.isfinite(value):
        return None
    if isinstance(value, int):
        return value
    if value.is_integer() and abs(value) < _EXACT:
        return int(value)  # bytes and counts in full
    return float(f"{value:.{_DIGITS}g}")

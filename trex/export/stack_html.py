"""Table → one stacked bar in HTML; a click on a part filters the page's table of layers by the row's first column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trex.core.counted import counted
from trex.export.block_html import text
from trex.export.figures.look import Look
from trex.views.palette import LAYER_COLORS
from trex.views.table import Table, TableColumn, bar_length

_REST = "var(--edge)"


def stack_html(table: Table, look: Look) -> Iterator[str]:
    """The bar, and a button for each of its parts with all cells of the row.

    Parts are as long as the bars of the rows; without any, as the first count.
    """
    table = table.for_people()
    lengths = _lengths(table)
    names = [str(row[0]) for row in table.rows]
    colors = look.colors_for(names, LAYER_COLORS)
    total = sum(lengths)
    is_share = _bar(table) is not None
    rest = 100 - total if is_share and table.left_out else 0.0
    yield f'<div class="shares" role="group" aria-label="{text(table.title)}">\n<h3>{text(table.title)}</h3>\n'
    parts = (
        f'<span style="flex-grow:{length:.4g};background:{colors[name]}" title="{text(name)}" '
        f'data-filter="{text(_filter(table, name))}"></span>'
        for name, length in zip(names, lengths, strict=True)
        if length > 0
    )
    others = f'<span style="flex-grow:{rest:.4g};background:{_REST}"></span>' if rest > 0 else ""
    yield f'<div class="stack">{"".join(parts)}{others}</div>\n<ul class="keys">\n'
    for row, name, length in zip(table.rows, names, lengths, strict=True):
        share = f"<b>{_percent(length)}</b>" if is_share and length else ""
        yield (
            f'<li><button type="button" aria-pressed="false" data-filter="{text(_filter(table, name))}">'
            f'<i style="background:{colors[name]}"></i><span>{text(name)}</span> {share} '
            f"<small>{text(', '.join(_facts(table, row)))}</small></button></li>\n"
        )
    if table.left_out:
        yield f'<li class="rest">{counted(table.left_out, "more type")}</li>\n'
    yield "</ul></div>\n"


def _percent(share: float) -> str:
    return f"{share:.0f} %" if share >= 0.5 else "&lt;1 %"


def _filter(table: Table, name: str) -> str:
    return f"{table.selects}={name.strip()}"


def _lengths(table: Table) -> list[float]:
    """Of the parts, in the order of the rows."""
    bar = _bar(table)
    if bar is None:
        bar = next((index for index, column in enumerate(table.columns) if column.kind == "count"), None)
    return [0.0 if bar is None else bar_length(row[bar]) for row in table.rows]


def _bar(table: Table) -> int | None:
    """The column of bars; None if it has no length."""
    bars = [index for index, column in enumerate(table.columns) if column.kind == "bar"]
    return next((index for index in bars if any(bar_length(row[index]) for row in table.rows)), None)


def _facts(table: Table, row: Sequence[Any]) -> Iterator[str]:
    """The row's other cells, shares apart: times, counts, texts."""
    cells = [cell for cell in zip(table.columns[1:], row[1:], strict=True) if cell[1] is not None]
    for kind in ("ms", "count", "text"):
        yield from (_words(column, value) for column, value in cells if column.kind == kind)


def _words(column: TableColumn, value: Any) -> str:
    if column.kind == "count":
        return counted(value, column.name.removesuffix("s"))
    return f"{column.cell(value)} {column.unit}".rstrip()

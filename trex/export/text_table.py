"""Table → lines of aligned columns that fit a width: names lose their middle, headings break, last columns go."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trex.core.printable import printable
from trex.export.lettering import cell_width, elided, padded
from trex.export.lines import Line, plain
from trex.views.table import Table, TableColumn, bar_length

# The longest cell where no width is given, as in a file or a pipe: hostile engines have names of 40 kB.
MAX_CELL = 400
GAP = 2
_READABLE_TEXT = 32
_MIN_TEXT = 12
_MIN_OTHER_TEXT = 8
_BREAKS = re.compile(r"(?<=[._ ])")
_EIGHTHS = " ▏▎▍▌▋▊▉"
_MAX_BAR = 20
_MIN_BAR = 6


@dataclass(slots=True)
class _Column:
    """One column during layout: width may shrink to least."""

    column: TableColumn
    heading: list[str]
    cells: list[str]
    width: int
    least: int


def table_lines(table: Table, width: int | None = None) -> Iterator[Line]:
    """Title, headings and rows, numbers to the right; none is wider than ``width`` when one is given.

    When columns don't fit, names lose their middle, headings break into several lines, then the last columns are left
    out and named below. The only column of bars takes the room that is left, if it is enough.
    """
    table = table.for_people()
    is_headed = table.is_headed and bool(table.title)
    if table.title and not is_headed:
        yield [(elided(printable(table.title), width or MAX_CELL), "heading")]
    shown = [index for index, column in enumerate(table.columns) if column.kind != "bar"]
    columns = [_natural(table, index, width, table.title if is_headed and not index else "") for index in shown]
    left_out = _fit(columns, width) if width is not None else []
    height = max((len(column.heading) for column in columns), default=0)
    stacked = [[""] * (height - len(column.heading)) + column.heading for column in columns]
    for words in zip(*stacked, strict=True):
        yield _header(columns, words) if is_headed else _row(columns, words, "header")
    bars = _bars(table, columns, width)
    for number in range(len(table.rows)):
        line = _row(columns, [column.cells[number] for column in columns], "")
        if bars:
            line = [(padded(line[0][0], sum(c.width for c in columns) + GAP * len(columns)), ""), (bars[number], "bar")]
        yield line
    if not table.rows and not table.left_out:
        yield [("(none)", "dim")]
    if table.left_out:
        more = f": {printable(table.more)}" if table.more else ""
        yield [(f"  … {table.left_out:,} more{more}", "dim")]
    if left_out and width is not None:
        yield [(elided(f"no room for: {', '.join(left_out)}", max(width, 20)), "dim")]


def _header(columns: list[_Column], words: Sequence[str]) -> Line:
    """A heading line that begins with the table's title."""
    text = _row(columns, words, "header")[0][0]
    return [(text[: columns[0].width], "heading"), (text[columns[0].width :], "header")]


def _bars(table: Table, columns: list[_Column], width: int | None) -> list[str]:
    """One bar for each row, as long as its value; empty without a column of bars or room for it."""
    kinds = [column.kind for column in table.columns]
    room = _MAX_BAR if width is None else min(_MAX_BAR, width - sum(c.width for c in columns) - GAP * len(columns))
    if kinds.count("bar") != 1 or room < _MIN_BAR:
        return []
    longest = table.longest_bar()
    return [_bar(bar_length(row[kinds.index("bar")]) / longest * room) for row in table.rows]


def _bar(cells: float) -> str:
    """A bar in eighths of a cell, at least one eighth for what is not zero."""
    eighths = max(round(cells * 8), 1 if cells > 0 else 0)
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()


def table_text(table: Table, width: int | None = None) -> str:
    """The table as plain text, ending in a newline."""
    return plain(table_lines(table, width))


def _natural(table: Table, index: int, width: int | None, title: str) -> _Column:
    """A column as wide as its cells. title: the heading instead of the column's name."""
    column = table.columns[index]
    limit = MAX_CELL if width is None else max(width, 1)
    cells = [elided(printable(column.cell(row[index])), limit) for row in table.rows]
    heading = elided(printable(title or column.heading), limit)
    widest = max(map(cell_width, cells), default=0)
    wanted = max(widest, cell_width(heading))
    if column.is_number:
        least = max(widest, max(map(cell_width, _pieces(heading)), default=0))
    else:
        least = min(wanted, max(column.readable, _MIN_TEXT if index < 2 else _MIN_OTHER_TEXT))
    return _Column(column, [heading], cells, wanted, least)


def _pieces(heading: str) -> list[str]:
    """A heading's words: it may be broken behind dots, underscores and blanks."""
    return [piece.rstrip(" ") for piece in _BREAKS.split(heading) if piece]


def _fit(columns: list[_Column], width: int) -> list[str]:
    """Narrows the columns to the width, leaving out the last ones if it must be; their headings are returned."""
    left_out: list[str] = []
    while len(columns) > 1 and sum(c.least for c in columns) + GAP * (len(columns) - 1) > width:
        left_out.insert(0, columns.pop().heading[0])
    room = width - GAP * (len(columns) - 1)
    # Headings break when names would become hard to read; then the widest texts give way.
    if sum(c.width if c.column.is_number else min(c.width, _READABLE_TEXT) for c in columns) > room:
        for column in columns:
            if column.column.is_number:
                column.width = column.least
    for _ in range(sum(c.width for c in columns) - room):
        widest = max(columns, key=lambda c: (c.width > c.least, c.width), default=None)
        if widest is not None and widest.width > 1:
            widest.width -= 1
    for column in columns:
        column.heading = _broken(column.heading[0], column.width)
        column.cells = [elided(cell, column.width) for cell in column.cells]
    return left_out


def _broken(heading: str, width: int) -> list[str]:
    """The heading on as few lines as fit the width."""
    if cell_width(heading) <= width:
        return [heading]
    lines = [""]
    for piece in _BREAKS.split(heading):
        if cell_width((lines[-1] + piece).rstrip()) <= width:
            lines[-1] += piece
        else:
            lines.append(piece)
    return [elided(line.rstrip(), width) for line in lines if line]


def _row(columns: list[_Column], cells: Sequence[str], style: str) -> Line:
    pieces = [padded(cell, c.width, right=c.column.is_number) for cell, c in zip(cells, columns, strict=True)]
    return [((" " * GAP).join(pieces).rstrip(), style)]

"""Table → lines of aligned columns that fit a width: names lose their middle, words wrap, columns go below."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest

from trex.core.printable import printable
from trex.export.lettering import cell_width, elided, narrower, padded, wrapped
from trex.export.lines import Line, plain
from trex.views.table import UNKNOWN_TEXT, Table, TableColumn, bar_length

# The longest cell where no width is given, as in a file or a pipe: hostile engines have names of 40 kB.
MAX_CELL = 400
GAP = 2
_READABLE_TEXT = 32
_LEAST_NAME = 20
_LEAST_WORDS = 12
_LONGEST_WORD = 26
_LINES_OF_WORDS = 4
_BREAKS = re.compile(r"(?<=[._ ])")
_EIGHTHS = " ▏▎▍▌▋▊▉"
_MAX_BAR = 20
_MIN_BAR = 6


@dataclass(slots=True)
class _Column:
    """One column during layout: width may shrink to least. texts: its cells; cells: the lines of each."""

    column: TableColumn
    heading: list[str]
    texts: list[str]
    width: int
    least: int
    cells: Sequence[Sequence[str]] = ()


def table_lines(table: Table, width: int | None = None) -> Iterator[Line]:
    """Title, headings and rows, numbers to the right; none is wider than ``width`` when one is given.

    When columns don't fit, names lose their middle, other texts wrap, headings break into several lines; then the last
    columns follow below each row. Numbers stay whole. The only column of bars takes the room that is left, if it is
    enough.
    """
    table = table.for_people()
    if not table.rows and table.left_out:  # only counted: headings would have nothing below them
        title = f"{printable(table.title)}: " if table.title else "… "
        more = f" ({printable(table.more)})" if table.more else ""
        yield from ([(line, "")] for line in wrapped(f"{title}{table.left_out:,}{more}", width, 2))
        return
    is_headed = table.is_headed and bool(table.title)
    if table.title and not is_headed:
        yield from ([(line, "heading")] for line in wrapped(elided(printable(table.title), MAX_CELL), width, 2))
    shown = [index for index, column in enumerate(table.columns) if column.kind != "bar"]
    columns = [_natural(table, index, width, table.title if is_headed and not index else "") for index in shown]
    below = _fit(columns, width) if width is not None else []
    for column in columns:
        column.heading = _broken(column.heading[0], column.width)
        column.cells = [_cell_lines(text, column, width) for text in column.texts]
    height = max((len(column.heading) for column in columns), default=0)
    stacked = [[""] * (height - len(column.heading)) + column.heading for column in columns]
    for words in zip(*stacked, strict=True):
        yield _header(columns, words) if is_headed else _row(columns, words, "header")
    bars = _bars(table, columns, width)
    for number in range(len(table.rows)):
        for index, cells in enumerate(zip_longest(*(column.cells[number] for column in columns), fillvalue="")):
            line = _row(columns, cells, "")
            if bars and not index:
                used = sum(c.width for c in columns) + GAP * len(columns)
                line = [(padded(line[0][0], used), ""), (bars[number], "bar")]
            yield line
        if below and width is not None:
            yield from _below(number, columns, below, width)
    if not table.rows and not table.left_out:
        yield [("(none)", "dim")]
    if table.left_out:
        more = f": {printable(table.more)}" if table.more else ""
        yield from (
            [(f"  {line}", "dim")] for line in wrapped(f"… {table.left_out:,} more{more}", narrower(width, 2), 2)
        )
    unknown = [c.heading[0] for c in below if c.heading[0] and all(text == UNKNOWN_TEXT for text in c.texts)]
    if unknown and table.rows:
        yield from ([(line, "dim")] for line in wrapped(f"unknown: {', '.join(unknown)}", width, 2))


def _below(number: int, columns: list[_Column], below: list[_Column], width: int) -> Iterator[Line]:
    """What is known of the columns without room, under a row: names and values, as many on a line as fit."""
    lead = columns[0].width + GAP if columns[0].column.is_number else GAP
    indent = " " * (lead if lead <= width // 4 else GAP)
    room = width - len(indent)
    line = ""
    for column in below:
        if (text := column.texts[number]) == UNKNOWN_TEXT:
            continue
        unit = f" {column.column.unit}" if column.column.unit and column.column.is_number else ""
        label = printable(column.column.name)
        piece = f"{label} {text}{unit}"
        if column.column.kind == "name" and cell_width(piece) > room > cell_width(label) + _LEAST_NAME:
            piece = f"{label} {elided(text, room - cell_width(label) - 1)}"
        if line and cell_width(line) + 3 + cell_width(piece) <= room:
            line += f" · {piece}"
            continue
        if line:
            yield [(indent + line, "dim")]
        *whole, line = wrapped(piece, room, min(2, room - 1))
        yield from ([(indent + part, "dim")] for part in whole)
    if line:
        yield [(indent + line, "dim")]


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
    limit = max(width, 1) if width is not None and column.kind == "name" else MAX_CELL
    texts = [elided(printable(column.cell(row[index])), limit) for row in table.rows]
    heading = elided(printable(title or column.heading), MAX_CELL if width is None else max(width, 1))
    widest = max(map(cell_width, texts), default=0)
    wanted = max(widest, cell_width(heading))
    pieces = max(map(cell_width, _pieces(heading)), default=0)
    if column.is_number:
        least = max(widest, pieces)
    elif column.kind == "name":
        least = min(wanted, max(column.readable or _LEAST_NAME, min(pieces, _LEAST_NAME)))
    else:
        words = max((cell_width(word) for text in texts for word in text.split(" ")), default=0)
        least = min(wanted, max(column.readable, _LEAST_WORDS, widest // _LINES_OF_WORDS, words, pieces))
        least = min(least, max(column.readable, _LONGEST_WORD))
    return _Column(column, [heading], texts, wanted, least)


def _pieces(heading: str) -> list[str]:
    """A heading's words: it may be broken behind dots, underscores and blanks."""
    return [piece.rstrip(" ") for piece in _BREAKS.split(heading) if piece]


def _fit(columns: list[_Column], width: int) -> list[_Column]:
    """Narrows the columns to the width; the last ones that have no room are taken out and returned."""
    below: list[_Column] = []
    while len(columns) > 1 and sum(c.least for c in columns) + GAP * (len(columns) - 1) > width:
        below.insert(0, columns.pop())
    room = width - GAP * (len(columns) - 1)
    numbers = {id(c): c.width for c in columns if c.column.is_number}
    if sum(c.width for c in columns) > room:  # headings break before any name is shortened
        for column in columns:
            if column.column.is_number:
                column.width = column.least
    names = sorted((c for c in columns if c.column.kind == "name"), key=lambda c: c.column.readable)
    words = [c for c in columns if c.column.kind == "text"]
    ranks = [list(group) for _, group in groupby(names, key=lambda c: c.column.readable)]
    for floor in (_READABLE_TEXT, 0):
        for group in (*ranks, words):
            _narrow(columns, group, floor, room)
    for column in columns:  # what is left over: headings on one line again
        more = numbers.get(id(column), column.width) - column.width
        if more <= room - sum(c.width for c in columns):
            column.width += more
    if len(columns) == 1:
        columns[0].width = min(columns[0].width, max(room, 1))
    return below


def _narrow(columns: list[_Column], group: list[_Column], floor: int, room: int) -> None:
    """Takes from the widest column of the group, cell by cell, until all columns fit or the group has no more."""
    for _ in range(sum(c.width for c in columns) - room):
        widest = max((c for c in group if c.width > max(c.least, floor)), key=lambda c: c.width, default=None)
        if widest is None:
            return
        widest.width -= 1


def _cell_lines(text: str, column: _Column, width: int | None) -> Sequence[str]:
    """A cell's lines: words wrap; names, and words that are wider than the column, lose their middle."""
    if width is None or cell_width(text) <= column.width:
        return (text,)
    if column.column.kind != "text":
        return (elided(text, column.width),)
    return tuple(wrapped(" ".join(elided(word, column.width) for word in text.split(" ")), column.width))


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

"""Summary and Table → plain text: aligned columns, nothing but printable characters."""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.note import Note
from trex.views.summary import Summary
from trex.views.table import Table

MAX_CELL = 72


def printable(text: str) -> str:
    """Text that cannot steer a terminal: every unprintable character is written as an escape."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def elided(text: str, width: int = MAX_CELL) -> str:
    """At most ``width`` characters, the middle left out: names differ at both ends."""
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}…{text[-tail:]}"


def summary_text(summary: Summary) -> str:
    """The whole summary as plain text, ending in a newline."""
    return "\n".join(_summary_lines(summary)) + "\n"


def _summary_lines(summary: Summary) -> Iterator[str]:
    yield printable(summary.title)
    yield "=" * len(printable(summary.title))
    if summary.statement:
        yield f"*** {summary.statement} ***"
    width = max((len(fact.label) for fact in summary.facts), default=0)
    for fact in summary.facts:
        yield f"{fact.label:<{width}}  {printable(fact.text)}"
    for table in summary.tables:
        yield ""
        yield table_text(table).rstrip("\n")
    if summary.caveats:
        yield ""
        yield "Caveats"
        yield "-------"
        for note in summary.caveats:
            yield from note_lines(note)


def note_lines(note: Note) -> Iterator[str]:
    """One line for what is known, one for what to do about it."""
    where = f"{printable(note.where)}: " if note.where else ""
    yield f"[{note.severity}] {where}{printable(note.message)} ({note.code})"
    if note.hint:
        yield f"    → {printable(note.hint)}"


def table_text(table: Table) -> str:
    """Title, header and rows in aligned columns, ending in a newline; numbers to the right."""
    header = [column.name for column in table.columns]
    body = [[elided(printable(column.cell(value))) for column, value in zip(table.columns, row)] for row in table.rows]
    widths = [max(map(len, cells)) for cells in zip(header, *body)] if header else []
    lines = [table.title, "-" * len(table.title)] if table.title else []
    for cells in (header, *body):
        pieces = [
            f"{cell:>{width}}" if column.is_number else f"{cell:<{width}}"
            for cell, width, column in zip(cells, widths, table.columns)
        ]
        lines.append("  ".join(pieces).rstrip())
    if not body:
        lines.append("(none)")
    return "\n".join(lines) + "\n"

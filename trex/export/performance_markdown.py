"""Reading of performance → Markdown, for issues and pull requests."""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.printable import printable
from trex.views.performance.reading import Reading
from trex.views.performance.section import Content
from trex.views.table import Table

_ESCAPES = str.maketrans(
    {**{mark: f"\\{mark}" for mark in "\\|`*_~[]#"}, "<": "&lt;", ">": "&gt;", "&": "&amp;"},
)


def performance_markdown(reading: Reading) -> str:
    """Each section under its heading; text from an engine is escaped. Ends in a newline."""
    return "\n".join(_lines(reading)) + "\n"


def _lines(reading: Reading) -> Iterator[str]:
    yield f"# {_text(reading.title)}"
    if reading.statement:
        yield f"\n**{_text(reading.statement)}**"
    for _, title, content in reading.sections:
        yield f"\n## {_text(title)}"
        yield from _content(content)


def _content(content: Content) -> Iterator[str]:
    if content.statements:
        yield ""
        yield from (f"{_text(statement)}  " for statement in content.statements)
    if content.facts:
        yield "\n| fact | value |\n| --- | --- |"
        yield from (
            f"| {_text(fact.label)} | {'<br>'.join(map(_text, fact.text.split(chr(10))))} |" for fact in content.facts
        )
    for table in content.tables:
        yield from _table(table.for_people())
    if content.derivations:
        yield "\n### How these figures come about\n"
        for figure, text in content.derivations:
            yield f"- **{_text(figure)}**"
            yield from (f"  - {_text(step)}" for step in text.split("\n"))
    if content.notes:
        yield ""
        for note in content.notes:
            where = f"{_text(note.where)}: " if note.where else ""
            hint = f" → {_text(note.hint)}" if note.hint else ""
            yield f"- [{note.severity}] {where}{_text(note.message)} (`{note.code}`){hint}"


def _table(table: Table) -> Iterator[str]:
    if table.title:
        yield f"\n### {_text(table.title)}"
    yield "\n| " + " | ".join(_text(column.heading) for column in table.columns) + " |"
    yield "|" + "".join(" ---: |" if column.is_number else " --- |" for column in table.columns)
    for row in table.rows:
        cells = (_text(column.cell(value)) for column, value in zip(table.columns, row, strict=True))
        yield f"| {' | '.join(cells)} |"


def _text(text: str) -> str:
    return printable(text).translate(_ESCAPES)

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
    yield f"# {escaped(reading.title)}"
    if reading.statement:
        yield f"\n**{escaped(reading.statement)}**"
    if reading.headlines:
        yield ""
        yield from (f"- **{escaped(title)}:** {escaped(statement)}" for title, statement in reading.headlines)
    for _, title, content in reading.sections:
        yield f"\n## {escaped(title)}"
        yield from content_markdown(content.seen_from(reading.folder))


def content_markdown(content: Content) -> Iterator[str]:
    """Sentences, facts, tables, derivations and notes, in this order."""
    if content.statements:
        yield ""
        yield from (f"{escaped(statement)}  " for statement in content.statements)
    if content.facts:
        yield "\n| fact | value |\n| --- | --- |"
        for fact in content.facts:
            yield f"| {escaped(fact.label)} | {'<br>'.join(map(escaped, fact.text.split(chr(10))))} |"
    for table in content.tables:
        yield from table_markdown(table.for_people())
    if content.derivations:
        yield "\n### How these figures come about\n"
        for figure, text in content.derivations:
            yield f"- **{escaped(figure)}**"
            yield from (f"  - {escaped(step)}" for step in text.split("\n"))
    if content.notes:
        yield ""
        for note in content.notes:
            where = f"{escaped(note.where)}: " if note.where else ""
            hint = f" → {escaped(note.hint)}" if note.hint else ""
            yield f"- [{note.severity}] {where}{escaped(note.message)} (`{note.code}`){hint}"


def table_markdown(table: Table) -> Iterator[str]:
    """The table under its title."""
    if table.title:
        yield f"\n### {escaped(table.title)}"
    yield "\n| " + " | ".join(escaped(column.heading) for column in table.columns) + " |"
    yield "|" + "".join(" ---: |" if column.is_number else " --- |" for column in table.columns)
    for row in table.rows:
        cells = (escaped(column.cell(value)) for column, value in zip(table.columns, row, strict=True))
        yield f"| {' | '.join(cells)} |"


def escaped(text: str) -> str:
    """The text without anything that Markdown or HTML would take for markup."""
    return printable(text).translate(_ESCAPES)

"""Reading of performance → lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.printable import printable
from trex.export.lettering import cell_width, padded, wrapped
from trex.export.lines import Line, plain
from trex.export.text import note_lines
from trex.export.text_table import table_lines
from trex.views.performance.reading import Reading
from trex.views.performance.section import Content


def performance_text(reading: Reading, width: int | None = None) -> str:
    """The whole reading as plain text, ending in a newline."""
    return plain(performance_lines(reading, width))


def performance_lines(reading: Reading, width: int | None = None, bars: bool = False) -> Iterator[Line]:
    """Each section under its title: sentences, facts, tables, derivations, notes. bars: shares also as bars."""
    title = printable(reading.title)
    yield [(title, "title")]
    yield [("=" * min(cell_width(title), width or 120), "rule")]
    if reading.statement:
        yield from ([(line, "statement")] for line in _wrapped(f"*** {reading.statement} ***", width))
    room = max((len(heading) for heading, _ in reading.headlines), default=0) + 2
    for heading, statement in reading.headlines:
        label = padded(heading, room)
        for text in _wrapped(printable(statement), width and max(width - room, 20)):
            yield [(label, "label"), (text, "")]
            label = " " * room
    for _, heading, content in reading.sections:
        yield []
        yield [(heading, "title")]
        yield [("=" * cell_width(heading), "rule")]
        yield from content_lines(content, reading.folder, width, bars)
    if not reading.sections:
        yield [("nothing can be told of this engine", "dim")]


def content_lines(content: Content, folder: str, width: int | None, bars: bool) -> Iterator[Line]:
    """Sentences, facts, tables, derivations and notes, in this order. folder: left out of addresses."""
    for statement in content.statements:
        yield from ([(line, "")] for line in _wrapped(printable(statement), width))
    if content.facts:
        yield []
        room = max(len(fact.label) for fact in content.facts) + 2
        for fact in content.facts:
            label = padded(fact.label, room)
            for text in fact.text.split("\n"):
                for line in _wrapped(printable(text), width and max(width - room, 20)):
                    yield [(label, "label"), (line, "")]
                    label = " " * room
    for table in content.tables:
        yield []
        yield from table_lines(table, width, bars)
    if content.derivations:
        yield []
        yield [("How these figures come about", "heading")]
        for figure, text in content.derivations:
            yield [(f"  {printable(figure)}", "label")]
            for step in text.split("\n"):
                for line in _wrapped(printable(step), width and max(width - 4, 20), 2):
                    yield [(f"    {line}", "")]
    if content.notes:
        yield []
        for note in content.notes:
            yield from note_lines(note, folder, width)


def _wrapped(text: str, width: int | None, indent: int = 0) -> Iterator[str]:
    return iter((text,)) if width is None else wrapped(text, max(width, 20), indent)

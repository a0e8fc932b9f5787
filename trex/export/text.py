"""Summary, Diagnosis and Explanation → lines of text: nothing but printable characters, nothing wider than asked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from trex.core.counted import counted
from trex.core.note import Note
from trex.core.printable import printable
from trex.export.lettering import cell_width, padded, wrapped
from trex.export.lines import Line, plain
from trex.export.text_table import table_lines, table_text

if TYPE_CHECKING:  # each needs only its own: an explanation is written without pandas
    from trex.views.diagnosis import Diagnosis
    from trex.views.explanation import Explanation
    from trex.views.summary import Summary

__all__ = [
    "diagnosis_lines",
    "explanation_lines",
    "index_lines",
    "note_lines",
    "plain",
    "summary_lines",
    "summary_text",
    "table_text",
]

_HINT = "    → "
_BREAKS = re.compile(r" (?=--|2>&1)")


def summary_text(summary: Summary, width: int | None = None) -> str:
    """The whole summary as plain text, ending in a newline."""
    return plain(summary_lines(summary, width))


def summary_lines(summary: Summary, width: int | None = None, bars: bool = False) -> Iterator[Line]:
    """Facts, tables and caveats; bars: shares also as bars, where there is room."""
    title = printable(summary.title)
    yield [(title, "title")]
    yield [("=" * min(cell_width(title), width or 120), "rule")]
    if summary.statement:
        yield from ([(line, "statement")] for line in _wrapped(f"*** {summary.statement} ***", width))
    label_width = max((len(fact.label) for fact in summary.facts), default=0)
    for fact in summary.facts:
        label = padded(fact.label, label_width + 2)
        for text in fact.text.split("\n"):
            for line in _hanging(printable(text), width, label_width + 2):
                yield [(label, "label"), (line, "")]
                label = " " * len(label)
    for table in summary.tables:
        yield []
        yield from table_lines(table, width, bars)
    if summary.caveats:
        yield []
        yield [("Caveats", "heading")]
        yield [("-------", "rule")]
        for note in summary.caveats:
            yield from note_lines(note, summary.folder, width)


def note_lines(note: Note, folder: str = "", width: int | None = None) -> Iterator[Line]:
    """What is known, and what to do about it. Addresses below ``folder`` are shortened by it."""
    where = note.seen_from(folder).where
    address = f"{printable(where)}: " if where else ""
    text = f"[{note.severity}] {address}{printable(note.message)} ({note.code})"
    for number, line in enumerate(_wrapped(text, width, 4)):
        yield [(line, note.severity if number == 0 or note.severity != "problem" else "")]
    if note.hint:
        for pieces in _labeled(_HINT, note.hint, width):
            yield [(text, "hint") for text, _ in pieces]


def diagnosis_lines(diagnosis: Diagnosis, width: int | None = None) -> Iterator[Line]:
    """What was recognized, what is missing, and the commands that produce it: nothing of these is ever cut."""
    layers = "it cannot be loaded" if diagnosis.layers is None else counted(diagnosis.layers, "layer")
    verdict = "complete" if diagnosis.is_healthy else _verdict(diagnosis)
    yield [(printable(diagnosis.name), "title"), (f": {layers}, {verdict}", "")]
    what = max((len(row[0]) for row in diagnosis.files.rows), default=0)
    for row in diagnosis.files.rows:
        yield [(f"  {padded(str(row[0]), what)}  ", "label"), (printable(str(row[1])), "")]
    if diagnosis.error:
        for text in diagnosis.error.split("\n"):
            yield [(f"  {printable(text)}", "problem")]
    if diagnosis.missing:
        yield [("missing", "heading")]
        part = max(len(item.part) for item in diagnosis.missing)
        for item in diagnosis.missing:
            yield from _labeled(f"  {padded(item.part, part)}  ", item.without_it, width)
    if diagnosis.commands:
        yield [("to get it", "heading")]
        for command in diagnosis.commands:
            yield from ([(f"  {line}", "command")] for line in _continued(command, width))
    for remark in diagnosis.remarks:
        yield from _labeled("  - ", remark, width)
    if diagnosis.notes:
        yield [("notes", "heading")]
        for note in diagnosis.notes:
            yield from ([("  ", ""), *line] for line in note_lines(note, diagnosis.folder, width and width - 2))


def explanation_lines(explanations: Iterable[Explanation], width: int | None = None) -> Iterator[Line]:
    """Each explanation under its subject and kind."""
    for number, item in enumerate(explanations):
        if number:
            yield []
        yield [(printable(item.subject), "title"), (f" — {item.kind}", "dim")]
        for text in item.text.split("\n"):
            if text.startswith("    "):  # code stays as it is: a line broken in two is another program
                yield [(f"  {printable(text)}", "command")]
            else:
                yield from _labeled("  ", text, width)


def index_lines(words: Mapping[str, Iterable[str]], width: int | None = None) -> Iterator[Line]:
    """Words by kind, each kind under its heading."""
    for number, (kind, names) in enumerate(words.items()):
        if number:
            yield []
        yield [(kind, "heading")]
        yield from _labeled("  ", ", ".join(names), width)


def _verdict(diagnosis: Diagnosis) -> str:
    parts = [item.part for item in diagnosis.missing]
    lost = sum(note.severity == "problem" for note in diagnosis.notes)
    if not parts:
        return f"{lost} problem{'s' if lost > 1 else ''}" if lost else "with an error"
    return f"without {', '.join(parts)}"


def _labeled(label: str, text: str, width: int | None) -> Iterator[Line]:
    for line in _hanging(printable(text), width, cell_width(label)):
        yield [(label, "label"), (line, "")]
        label = " " * cell_width(label)


def _hanging(text: str, width: int | None, indent: int) -> Iterator[str]:
    """Lines that fit behind an indentation."""
    return _wrapped(text, None if width is None else max(width - indent, 20))


def _wrapped(text: str, width: int | None, indent: int = 0) -> Iterator[str]:
    return iter((text,)) if width is None else wrapped(text, max(width, 20), indent)


def _continued(command: str, width: int | None) -> Iterator[str]:
    """A command broken in front of its options, to be pasted as it stands; one with quotes stays whole."""
    if width is None or cell_width(command) + 2 <= width or "'" in command:
        yield printable(command)
        return
    line, *words = _BREAKS.split(printable(command))
    for word in words:
        if cell_width(line) + cell_width(word) + 5 > width:
            yield f"{line} \\"
            line = f"    {word}"
        else:
            line = f"{line} {word}"
    yield line

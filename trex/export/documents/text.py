"""Text: what a terminal shows: the answer first, tables of aligned columns, bars, and how many notes there are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trex.core.counted import counted
from trex.core.log_commands import without_log_commands
from trex.core.note import Note
from trex.core.printable import printable
from trex.export.document import DocumentFormat, RenderStyle
from trex.export.lettering import cell_width, narrower, padded, wrapped
from trex.export.lines import Line, labeled, plain
from trex.export.text_table import table_lines
from trex.rules.finding import Severity
from trex.views.document import Block, Document, Facts, Findings, Section, TableBlock, Text
from trex.views.findings import others_text, savings_text, shown_details, shown_findings
from trex.views.table import Table

if TYPE_CHECKING:
    from trex.rules.lint_result import RankedFinding

_ROLES = {Severity.NOTE: "info", Severity.WARNING: "warning", Severity.ERROR: "problem"}
_INDENT = 3
_LABEL = 7
_LEAST = 30


def render(document: Document, style: RenderStyle) -> str:
    """Without commands to a CI system, as a job may print the file."""
    return without_log_commands(plain(document_lines(document, style)))


def document_lines(document: Document, style: RenderStyle) -> Iterator[Line]:
    """Title, statement and sections. Not verbose: folded sections show their sentences, and info notes are counted."""
    yield from _title(document, style.width)
    if document.statement:
        yield from _paragraph(document.statement, style.width, "statement")
    for section in document.sections:
        yield from _section_lines(section, style)
    yield from _notes(document, style)


def _title(document: Document, width: int | None) -> Iterator[Line]:
    """Title and subtitle on one line where they fit."""
    title, subtitle = printable(document.title), printable(document.subtitle)
    if subtitle and (width is None or cell_width(title) + 3 + cell_width(subtitle) <= width):
        yield [(title, "title"), (f"   {subtitle}", "")]
        return
    yield from _paragraph(title, width, "title")
    if subtitle:
        yield from _paragraph(subtitle, width, "")


def _section_lines(section: Section, style: RenderStyle) -> Iterator[Line]:
    if section.is_folded and not style.verbose:
        yield from _short(section, style.width)
        return
    lines: list[Line] = []
    for block in section.blocks:
        shown = list(_block_lines(block, style))
        if shown and lines and not isinstance(block, Text):
            lines.append([])
        lines += shown
    if section.notes:
        lines += [[]] if lines else []
        lines += [line for note in section.notes for line in note_lines(note, style.width)]
    if not lines:
        return
    if section.title:
        yield []
        yield from ([(line, "heading")] for line in wrapped(section.title, style.width))
    elif isinstance(section.blocks[0] if section.blocks else None, Table | TableBlock | Findings):
        yield []
    yield from lines


def _short(section: Section, width: int | None) -> Iterator[Line]:
    """The sentences of a section that is folded."""
    for number, sentence in enumerate(section.statements):
        yield from () if number else ([],)
        yield from _paragraph(f"{section.title}: {sentence}" if section.title and not number else sentence, width, "")


def _block_lines(block: Block, style: RenderStyle) -> Iterator[Line]:
    if isinstance(block, Text) and block.role == "command":
        yield from ([(f"  {printable(text)}", "command")] for text in block.lines)
    elif isinstance(block, Text):
        for line in block.lines:
            yield from _paragraph(line, style.width, block.role)
    elif isinstance(block, Facts):
        yield from _steps(block, style.width) if block.is_folded else _facts(block, style.width)
    elif isinstance(block, Table) and block.is_folded and not style.verbose:
        rows = counted(len(block.rows) + block.left_out, "row")
        yield from _paragraph(f"{block.title} ({rows}: add -v)", style.width, "dim")
    elif isinstance(block, Table):
        yield from table_lines(block, style.width)
    elif isinstance(block, TableBlock) and block.is_main:
        yield from table_lines(block.first_columns(), style.width)
    elif isinstance(block, Findings):
        yield from _findings(block, style.width)


def _facts(block: Facts, width: int | None) -> Iterator[Line]:
    """Labels in one column, values in the other."""
    if block.title:
        yield [(printable(block.title), "heading")]
    column = max(cell_width(printable(fact.label)) for fact in block.facts) + 2
    for fact in block.facts:
        yield from labeled(padded(printable(fact.label), column), fact.text, width)


def _steps(block: Facts, width: int | None) -> Iterator[Line]:
    """How figures are computed: each under its name."""
    yield [(printable(block.title), "heading")]
    for fact in block.facts:
        yield from ([(f"  {line}", "label")] for line in wrapped(fact.label, narrower(width, 2), 2))
        for step in fact.text.split("\n"):
            yield from ([(f"    {line}", "")] for line in wrapped(step, narrower(width, 4), 2))


def _findings(block: Findings, width: int | None) -> Iterator[Line]:
    """The first findings in full, then how many others there are."""
    full, others = shown_findings(block)
    for number, (finding, details) in enumerate(shown_details(full, block.explain), 1):
        if number > 1:
            yield []
        yield from _finding_head(number, finding, width)
        for label, text in details:
            lead = " " * _INDENT + padded(label, _LABEL)
            yield from labeled(lead, text, width, "hint" if label == "Fix" else "")
    if others or block.left_out:
        if full:
            yield []
        yield [(others_text(block, others) + (": --all" if others else ""), "dim")]


def _finding_head(number: int, finding: RankedFinding, width: int | None) -> Iterator[Line]:
    """The message, with savings and code to the right of it."""
    right = "  ".join(filter(None, (savings_text(finding), finding.code)))
    lead = padded(f"{number}", _INDENT)
    room = None if width is None else width - _INDENT - cell_width(right) - 2
    if room is None or room >= _LEAST:
        first, *more = wrapped(finding.message, room)
        yield [(lead, "label"), (padded(first, room or 0), ""), (f"  {right}", _ROLES[finding.severity])]
    else:
        more = list(wrapped(finding.message, _LEAST))
        yield [(lead, "label"), (right, _ROLES[finding.severity])]
    for line in more:
        yield [(" " * _INDENT + line, "")]


def _notes(document: Document, style: RenderStyle) -> Iterator[Line]:
    shown = [note for note in document.notes if style.verbose or note.severity != "info"]
    hidden = len(document.notes) - len(shown)
    if document.notes:
        yield []
    for note in shown:
        yield from note_lines(note, style.width)
    if hidden:
        yield [(f"{counted(hidden, 'more note' if shown else 'note')}: add -v", "dim")]


def note_lines(note: Note, width: int | None = None) -> Iterator[Line]:
    """The note, then its next step."""
    address = f"{note.where}: " if note.where else ""
    for line in wrapped(f"[{note.severity}] {address}{note.message} ({note.code})", width, 4):
        yield [(line, note.severity)]
    if note.hint:
        yield from labeled("    → ", note.hint, width, "hint")


def _paragraph(text: str, width: int | None, role: str) -> Iterator[Line]:
    """A sentence; what is indented or behind a bullet wraps in its column."""
    lead = text[: len(text) - len(text.lstrip(" ").removeprefix("· "))]
    for line in wrapped(text[len(lead) :], narrower(width, len(lead))):
        yield [(lead + line, role)]
        lead = " " * len(lead)


FORMAT = DocumentFormat((".txt",), render)

"""Markdown: for issues, pull requests and wikis; text from an engine is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from trex.core.log_commands import without_log_commands
from trex.core.note import Note
from trex.core.printable import printable
from trex.export.document import DocumentFormat, RenderStyle
from trex.views.document import Block, Document, Facts, Findings, PlotBlock, Section, TableBlock, Text
from trex.views.findings import findings_table, others_text, savings_text, shown_details, shown_findings
from trex.views.plot import Bars, Empty, Pies
from trex.views.plot_table import plot_table
from trex.views.table import Table, bar_length

MOST_ROWS = 20
BAR_WIDTH = 24


def render(document: Document, style: RenderStyle) -> str:
    """Without commands to a CI system, as a job may print the file."""
    return without_log_commands("\n".join(_lines(document)) + "\n")


def _lines(document: Document) -> Iterator[str]:
    yield f"# {escaped(document.title)}"
    if document.subtitle:
        yield f"\n{escaped(document.subtitle)}"
    if document.statement:
        yield f"\n**{escaped(document.statement)}**"
    for section in document.sections:
        lines = [line for block in section.blocks for line in _block(block)]
        lines += notes_markdown(section.notes)
        if not lines:
            continue
        yield from _titled(section, lines)
    yield from notes_markdown(document.notes)


def _titled(section: Section, lines: Sequence[str]) -> Iterator[str]:
    """The section under its heading, or folded: the first block is what people read without a click."""
    if section.title and section.is_folded:
        yield f"\n<details><summary>{escaped(section.title)}</summary>"
        yield from lines
        yield "\n</details>"
        return
    if section.title:
        yield f"\n## {escaped(section.title)}"
    yield from lines


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, Text):
        yield ""
        if block.role == "command":
            yield from ("```bash", *map(printable, block.lines), "```")
        else:
            yield from (f"{escaped(line)}  " for line in block.lines)
    elif isinstance(block, Facts):
        yield from _steps(block) if block.is_folded else _facts(block)
    elif isinstance(block, Table):
        yield from table_markdown(block)
    elif isinstance(block, TableBlock):
        table = block.first_columns()
        yield from table_markdown(table if block.is_main else table.first(MOST_ROWS))
    elif isinstance(block, PlotBlock) and not block.repeats:
        yield from _plot(block)
    elif isinstance(block, Findings):
        yield from _findings(block)


def _findings(block: Findings) -> Iterator[str]:
    """Those to look at in full, the others in a folded table."""
    full, others = shown_findings(block)
    for number, (finding, details) in enumerate(shown_details(full, block.explain), 1):
        price = savings_text(finding)
        yield f"\n### {number}. {escaped(finding.message)}\n"
        yield f"`{finding.code}` · {finding.severity.word}" + (f" · {price}" if price else "")
        yield ""
        for label, text in details:
            lines = text.split("\n")
            yield f"- **{label}:** {escaped(lines[0])}"
            yield from (f"  {escaped(line)}" for line in lines[1:])
    more = others_text(block, others)
    if others:
        yield f"\n<details><summary>{more}</summary>"
        yield from table_markdown(findings_table(others))
        yield "\n</details>"
    elif more:
        yield f"\n… {more}"


def _facts(block: Facts) -> Iterator[str]:
    if block.title:
        yield f"\n### {escaped(block.title)}"
    yield "\n| | |\n| --- | --- |"
    for fact in block.facts:
        yield f"| {escaped(fact.label)} | {'<br>'.join(map(escaped, fact.text.split(chr(10))))} |"


def _steps(block: Facts) -> Iterator[str]:
    yield f"\n### {escaped(block.title)}\n"
    for fact in block.facts:
        yield f"- **{escaped(fact.label)}**"
        yield from (f"  - {escaped(step)}" for step in fact.text.split("\n"))


def _plot(block: PlotBlock) -> Iterator[str]:
    """The numbers of bars and pies: all of a few, of many the largest bars or the first parts; other charts need a
    picture.
    """
    plot = block.make()
    if isinstance(plot, Empty):
        yield f"\n*{escaped(block.title)}: {escaped(plot.reason)}.*"
    elif isinstance(plot, Bars | Pies):
        table = plot_table(plot)
        if len(table.rows) <= MOST_ROWS or isinstance(plot, Pies):
            yield from table_markdown(table.first(MOST_ROWS))
        else:
            value = 1 + bool(plot.keys)  # behind the name and what the color means
            rows = sorted((row for row in table.rows if row[value] == row[value]), key=lambda row: -(row[value] or 0.0))
            title = f"{table.title}: the largest {MOST_ROWS} of {len(table.rows)}"
            yield from table_markdown(Table(title, table.columns, tuple(rows[:MOST_ROWS])))
        if plot.note:
            yield f"\n*{escaped(plot.note)}*"


def table_markdown(table: Table) -> Iterator[str]:
    """The table under its title; bars are drawn with blocks."""
    shown = table.for_people()
    scale = shown.longest_bar()
    if shown.title:
        yield f"\n### {escaped(shown.title)}"
    yield "\n| " + " | ".join(escaped(column.heading) for column in shown.columns) + " |"
    yield "|" + "".join(" ---: |" if column.is_number else " --- |" for column in shown.columns)
    for row in shown.rows:
        cells = (
            _bar(value, scale) if column.kind == "bar" else escaped(column.cell(value))
            for column, value in zip(shown.columns, row, strict=True)
        )
        yield f"| {' | '.join(cells)} |"
    if shown.left_out:
        more = f": {escaped(shown.more)}" if shown.more else ""
        yield f"\n… {shown.left_out:,} more{more}"


def _bar(value: Any, scale: float) -> str:
    length = bar_length(value)
    return f"`{'█' * max(1, round(length / scale * BAR_WIDTH))}`" if length else ""


def notes_markdown(notes: Iterable[Note]) -> Iterator[str]:
    """Notes as a list, each with its next step."""
    lines = []
    for note in notes:
        where = f"{escaped(note.where)}: " if note.where else ""
        hint = f" → {escaped(note.hint)}" if note.hint else ""
        lines.append(f"- [{note.severity}] {where}{escaped(note.message)} (`{note.code}`){hint}")
    if lines:
        yield ""
        yield from lines


_MENTION = re.compile(r"(?<!\w)@(?=\w)")
_ESCAPES = str.maketrans(
    {**{mark: f"\\{mark}" for mark in "\\|`*_~[]#$"}, "<": "&lt;", ">": "&gt;", "&": "&amp;"},
)


def escaped(text: str) -> str:
    """The text without anything that Markdown or HTML would take for markup, for a formula or for a link, or by which
    GitHub and GitLab notify people.
    """
    plain = printable(text).translate(_ESCAPES).replace("://", ":\\//").replace("www.", "www\\.")
    return _MENTION.sub("@&#8203;", plain)


FORMAT = DocumentFormat((".md", ".markdown"), render)

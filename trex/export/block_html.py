"""Blocks of a document → HTML without a script; text from an engine is never markup."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from urllib.parse import quote

from trex.core.note import Note
from trex.core.printable import printable
from trex.export.escape import xml_text
from trex.views.document import Block, Facts, Findings, Section, Text
from trex.views.findings import findings_table, others_text, savings_text, shown_details, shown_findings
from trex.views.table import UNKNOWN_TEXT, Table, TableColumn, bar_length

_TABS = {"finding": "findings", "layer": "layers"}
"""What texts link to → the tab of the page that has all of them."""
_CLASSES = {"": "statement", "command": "command", "hint": "hint"}


def section_html(section: Section) -> Iterator[str]:
    """The section's blocks and notes; charts, graphs and tables to browse are left out."""
    for block in section.blocks:
        yield from block_html(block)
    yield from notes_html(section.notes)


def block_html(block: Block) -> Iterator[str]:
    if isinstance(block, Text):
        yield from _text(block)
    elif isinstance(block, Facts):
        yield from _steps(block) if block.is_folded else _facts(block)
    elif isinstance(block, Table):
        yield from table_html(block)
    elif isinstance(block, Findings) and block.findings:
        yield from _findings(block)


def _text(block: Text) -> Iterator[str]:
    if block.role == "command":
        yield f'<pre class="command">{"<br>".join(map(text, block.lines))}</pre>\n'
        return
    for line in block.lines:
        yield f'<p class="{_CLASSES.get(block.role, "statement")}">{text(line)}</p>\n'


def _facts(block: Facts) -> Iterator[str]:
    """Facts as a list of terms."""
    if block.title:
        yield f"<h3>{text(block.title)}</h3>\n"
    rows = (
        f"<div><dt>{text(fact.label)}</dt><dd>{'<br>'.join(map(text, fact.text.split(chr(10))))}</dd></div>\n"
        for fact in block.facts
    )
    yield f'<dl class="facts">\n{"".join(rows)}</dl>\n'


def _steps(block: Facts) -> Iterator[str]:
    """Facts that are folded away, such as how figures are computed."""
    yield f"<details><summary>{text(block.title)}</summary><dl>\n"
    for fact in block.facts:
        yield f"<dt>{text(fact.label)}</dt><dd>{'<br>'.join(map(text, fact.text.split(chr(10))))}</dd>\n"
    yield "</dl></details>\n"


def _findings(block: Findings) -> Iterator[str]:
    """The first findings in full, the others as a folded table."""
    full, others = shown_findings(block)
    yield '<ol class="findings">\n'
    codes: Counter[str] = Counter()
    for finding, details in shown_details(full, block.explain):
        address = _numbered(finding.code, codes)
        layers = ",".join(str(index) for item in (finding, *finding.similar) for index in item.layers)
        savings = savings_text(finding)
        head = text(finding.message) + (f' <span class="savings">{text(savings)}</span>' if savings else "")
        yield (
            f'<li id="finding-{text(address)}" class="{finding.severity.word}" data-layers="{layers}">'
            f"<p>{head} <code>{text(finding.code)}</code></p>\n"
        )
        rows = (
            f"<dt>{label}</dt><dd>{'<br>'.join(map(text, words.split(chr(10))))}</dd>\n" for label, words in details
        )
        yield f"<dl>\n{''.join(rows)}</dl></li>\n" if details else "</li>\n"
    yield "</ol>\n"
    more = text(others_text(block, others))
    if others:
        yield f"<details><summary>{more}</summary>\n"
        yield from table_html(findings_table(others))
        yield "</details>\n"
    elif more:
        yield f'<p class="hint">… {more}</p>\n'


def _numbered(code: str, seen: Counter[str]) -> str:
    """``QDQ001``, then ``QDQ001-2``: a rule may have several findings."""
    seen[code] += 1
    return code if seen[code] == 1 else f"{code}-{seen[code]}"


def table_html(table: Table, *, is_linked: bool = False) -> Iterator[str]:
    """A table with its caption; numbers to the right, bars as long as their values.

    is_linked: whether texts link to what they name in the page.
    """
    table = table.for_people()
    longest = table.longest_bar()
    bars = [index for index, column in enumerate(table.columns) if column.kind == "bar"]
    is_signed = any(_is_less(row[index]) for row in table.rows for index in bars)
    classes = ["number" if column.is_number else "bar" if column.kind == "bar" else "text" for column in table.columns]
    targets = [_target(table, column) if is_linked and column.links else None for column in table.columns]
    if not table.rows and table.left_out:  # only counted: headings would have nothing below them
        yield from _left_out(table, targets, f"{table.title}: " if table.title else "", "")
        return
    kind = f' class="{text(table.key)}"' if table.key else ""
    yield f'<div class="wide"><table{kind}>\n'
    if table.title:
        yield f"<caption>{text(table.title)}</caption>\n"
    heads = zip(table.columns, classes, strict=True)
    yield "<thead><tr>" + "".join(f'<th scope="col" class="{kind}">{text(c.heading)}</th>' for c, kind in heads)
    yield "</tr></thead>\n<tbody>\n"
    codes: Counter[str] = Counter()
    for row in table.rows:
        yield "<tr>"
        for column, value, kind, target in zip(table.columns, row, classes, targets, strict=True):
            cell = _cell(column, value, kind, longest, is_signed)
            if target is not None:
                name = str(row[target[1]])
                name = _numbered(name, codes) if target[0] == "finding" else name
                cell = _linked(column.cell(value), kind, target[0], name)
            yield cell
        yield "</tr>\n"
    yield "</tbody></table></div>\n"
    if table.left_out:
        yield from _left_out(table, targets)


def _left_out(
    table: Table, targets: Sequence[tuple[str, int] | None], before: str = "", behind: str = " more"
) -> Iterator[str]:
    """How many rows are not here, and where they are: behind a tab of the page, or what a command prints."""
    tabs = {_TABS[target[0]] for target in targets if target is not None and target[0] in _TABS}
    more = f": {text(table.more)}" if table.more and not tabs else ""
    words = f"{text(before)}{table.left_out:,}{behind}{more}"
    mark = "" if before else "… "
    yield '<p class="hint">' + (f'<a href="#tab={min(tabs)}">{words}</a>' if tabs else f"{mark}{words}") + "</p>\n"


def _target(table: Table, column: TableColumn) -> tuple[str, int] | None:
    """(part of the address, position of the column that names it); None where the table lacks that column."""
    part, _, name = column.links.partition("=")
    return next(((part, index) for index, other in enumerate(table.columns) if other.name == name), None)


def _linked(words: str, kind: str, part: str, name: str) -> str:
    return f'<td class="{kind}"><a href="#{part}={text(quote(name, safe=""))}">{text(words)}</a></td>'


def _cell(column: TableColumn, value: Any, kind: str, longest: float, is_signed: bool) -> str:
    if kind != "bar":
        cell = column.cell(value)
        unknown = " unknown" if cell == UNKNOWN_TEXT and kind == "number" else ""
        return f'<td class="{kind}{unknown}">{text(cell)}</td>'
    length = bar_length(value)
    sign = "less" if _is_less(value) else "more" if is_signed else ""
    bar = f'<div class="{sign}" style="width:{100 * length / longest:.2f}%"></div>' if length else ""
    return f'<td class="bar">{bar}</td>'


def _is_less(value: Any) -> bool:
    return isinstance(value, int | float) and value < 0


def notes_html(notes: Iterable[Note]) -> Iterator[str]:
    """Notes with their severity; nothing without any."""
    items = []
    for note in notes:
        where = f' <span class="where">{text(note.where)}</span>' if note.where else ""
        hint = f"<br><em>{text(note.hint)}</em>" if note.hint else ""
        words = f"<b>{text(note.severity)}</b> {text(note.message)}{where} <code>{text(note.code)}</code>{hint}"
        items.append(f'<li class="{note.severity}">{words}</li>\n')
    if items:
        yield f'<ul class="notes">\n{"".join(items)}</ul>\n'


def text(words: str) -> str:
    """The words as content or as a quoted attribute."""
    return xml_text(printable(words))

"""Content of a part → HTML: sentences, facts, tables, derivations and notes; nothing from an engine is markup."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trex.core.note import Note
from trex.core.printable import printable
from trex.export.escape import xml_text
from trex.views.performance.section import Content
from trex.views.summary import Fact
from trex.views.table import Table


def content_html(content: Content) -> Iterator[str]:
    """Sentences, facts, tables, notes; derivations are folded away below."""
    for statement in content.statements:
        yield f'<p class="statement">{text(statement)}</p>\n'
    yield from facts_html(content.facts)
    for table in content.tables:
        yield from table_html(table.for_people())
    yield from notes_html(content.notes)
    if content.derivations:
        yield "<details><summary>How these figures come about</summary><dl>\n"
        for figure, steps in content.derivations:
            lines = "<br>".join(map(text, steps.split("\n")))
            yield f"<dt>{text(figure)}</dt><dd>{lines}</dd>\n"
        yield "</dl></details>\n"


def facts_html(facts: Iterable[Fact]) -> Iterator[str]:
    """Facts as a list of terms; nothing without any."""
    rows = [
        f"<div><dt>{text(fact.label)}</dt><dd>{'<br>'.join(map(text, fact.text.split(chr(10))))}</dd></div>\n"
        for fact in facts
    ]
    if rows:
        yield f'<dl class="facts">\n{"".join(rows)}</dl>\n'


def table_html(table: Table) -> Iterator[str]:
    """A table with its caption; numbers to the right."""
    aligned = ["number" if column.is_number else "text" for column in table.columns]
    yield '<div class="wide"><table>\n'
    if table.title:
        yield f"<caption>{text(table.title)}</caption>\n"
    heads = zip(table.columns, aligned, strict=True)
    yield "<thead><tr>" + "".join(f'<th scope="col" class="{a}">{text(c.heading)}</th>' for c, a in heads)
    yield "</tr></thead>\n<tbody>\n"
    for row in table.rows:
        cells = zip(table.columns, row, aligned, strict=True)
        yield "<tr>" + "".join(f'<td class="{a}">{text(c.cell(value))}</td>' for c, value, a in cells) + "</tr>\n"
    yield "</tbody></table></div>\n"


def notes_html(notes: Iterable[Note]) -> Iterator[str]:
    """Notes with their severity; nothing without any."""
    items = []
    for note in notes:
        where = f' <span class="where">{text(note.where)}</span>' if note.where else ""
        hint = f"<br><em>{text(note.hint)}</em>" if note.hint else ""
        said = f"<b>{text(note.severity)}</b> {text(note.message)}{where} <code>{text(note.code)}</code>{hint}"
        items.append(f'<li class="{note.severity}">{said}</li>\n')
    if items:
        yield f'<ul class="notes">\n{"".join(items)}</ul>\n'


def text(words: str) -> str:
    """The words as content or as a quoted attribute."""
    return xml_text(printable(words))

"""Document → HTML for a notebook's cell, without a script: the answer open, what is longer than a glance folded."""

from __future__ import annotations

from collections.abc import Iterator

from trex.core.counted import counted
from trex.export.block_html import notes_html, section_html, text
from trex.views.document import Document, Section
from trex.views.table import Table

CELL_STYLE = """\
<style>
.trex-cell { max-width: 1100px; }
.trex-cell p { margin: 4px 0; }
.trex-cell .statement:first-of-type { font-size: 1.1em; font-weight: 600; }
.trex-cell .hint { opacity: .75; }
.trex-cell table { border-collapse: collapse; margin: 6px 0; font-size: inherit; }
.trex-cell caption { text-align: left; font-weight: 600; padding: 6px 0 2px; caption-side: top; }
.trex-cell :is(td, th) { text-align: left !important; vertical-align: top; padding: 2px 10px 2px 0; }
.trex-cell :is(td, th) { max-width: 46ch; overflow-wrap: anywhere; }
.trex-cell :is(td, th).number { text-align: right !important; white-space: nowrap; }
.trex-cell .wide { overflow-x: auto; }
.trex-cell td.bar { min-width: 160px; vertical-align: middle; }
.trex-cell td.bar div { height: 12px; min-width: 1px; border-radius: 2px; background: #2f7fc1; }
.trex-cell td.bar .more { background: #d0622a; }
.trex-cell summary { cursor: pointer; padding: 3px 0; }
.trex-cell .facts div { display: flex; gap: 12px; } .trex-cell .facts :is(dt, dd) { margin: 0; }
.trex-cell .facts dt { flex: 0 0 220px; opacity: .75; }
.trex-cell .findings { padding-left: 24px; } .trex-cell .findings li { margin: 8px 0; }
.trex-cell .findings p { margin: 0; font-weight: 600; } .trex-cell .findings code { opacity: .75; }
.trex-cell .savings { white-space: nowrap; }
.trex-cell .findings dl { display: grid; grid-template-columns: 60px minmax(0, 1fr); gap: 2px 10px; margin: 2px 0; }
.trex-cell .findings :is(dt, dd) { margin: 0; overflow-wrap: anywhere; } .trex-cell .findings dt { opacity: .75; }
.trex-cell ul.notes { margin: 4px 0; padding-left: 18px; }
</style>
"""


def document_cell(document: Document) -> str:
    """Charts, graphs and tables to browse are left out. Nothing from an engine is markup."""
    return f'<div class="trex-cell">\n{CELL_STYLE}{"".join(_parts(document.seen_from()))}</div>\n'


def _parts(document: Document) -> Iterator[str]:
    subtitle = f" {text(document.subtitle)}" if document.subtitle else ""
    statement = f" <em>{text(document.statement)}</em>" if document.statement else ""
    yield f"<p><strong>{text(document.title)}</strong>{subtitle}{statement}</p>\n"
    for number, section in enumerate(document.sections):
        content = "".join(section_html(section))
        if content and (not number or _is_open(section)):
            heading = f"<h4>{text(section.title)}</h4>\n" if section.title and number else ""
            yield f"<div>{heading}{content}</div>\n"
        elif content:
            yield f"<details><summary>{_summary(section)}</summary>\n{content}</details>\n"
    notes = "".join(notes_html(document.notes))
    if notes:
        yield f"<details><summary>{counted(len(document.notes), 'note')}</summary>\n{notes}</details>\n"


def _is_open(section: Section) -> bool:
    """Sections without a title, and those that show bars."""
    has_bars = any(
        column.kind == "bar" for block in section.blocks if isinstance(block, Table) for column in block.columns
    )
    return not section.is_folded and (not section.title or has_bars)


def _summary(section: Section) -> str:
    """The title, and what the section says first."""
    first = next(iter(section.statements), "")
    return f"<b>{text(section.title)}</b>" + (f": {text(first)}" if first else "")

"""Summary → HTML: a plan's facts as a small table, and what to know about them, for a notebook's cell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from trex.core.note import Note
from trex.core.printable import printable
from trex.export.escape import xml_text
from trex.views.summary import Summary


def summary_html(summary: Summary) -> str:
    """Title, statement, facts, and the caveats folded away below; no script, no style but alignment."""
    return "".join(_parts(summary))


def _parts(summary: Summary) -> Iterator[str]:
    yield f"<div><strong>{_text(summary.title)}</strong>"
    if summary.statement:
        yield f" <em>{_text(summary.statement)}</em>"
    yield "\n<table>\n<tbody>\n"
    for fact in summary.facts:
        value = "<br/>".join(_text(line) for line in fact.text.split("\n"))
        yield f'<tr><th style="text-align:left">{_text(fact.label)}</th><td style="text-align:left">{value}</td></tr>\n'
    yield "</tbody>\n</table>\n"
    if summary.caveats:
        yield from _caveats(summary.caveats)
    yield "</div>\n"


def _caveats(notes: Iterable[Note]) -> Iterator[str]:
    items = [f"<li>{_text(note.severity)}: {_text(note.message)}{_hint(note)}</li>\n" for note in notes]
    yield f"<details><summary>Caveats: {len(items)}</summary>\n<ul>\n{''.join(items)}</ul>\n</details>\n"


def _hint(note: Note) -> str:
    return f" <em>{_text(note.hint)}</em>" if note.hint else ""


def _text(text: str) -> str:
    return xml_text(printable(text))

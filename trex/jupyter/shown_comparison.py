"""ShownComparison: both engines' graphs of a comparison side by side, as a cell shows them.

Nothing here needs IPython: notebooks ask an object for ``_repr_html_``. The frame's page comes from no address and may
run its own scripts only (``sandbox``): it sees neither the notebook nor the network.
"""

from __future__ import annotations

from dataclasses import replace

from trex.export.document import render_document
from trex.export.document_view import DocumentView
from trex.export.escape import xml_text
from trex.jupyter.drawn_graph import framed, usable_height
from trex.views.document import Document, SceneBlock, Section, TableBlock, Text

DEFAULT_HEIGHT = 900


class ShownComparison(DocumentView):
    """A comparison to look at in a notebook, or to ``save``. height: of the cell, in pixels."""

    def __init__(self, document: Document, height: int = DEFAULT_HEIGHT) -> None:
        """Raises TrexError for an invalid height."""
        self._document = document
        self.height = usable_height(height)

    @property
    def document(self) -> Document:
        return self._document

    def _repr_html_(self) -> str:
        page = render_document(graphs_document(self.document), "html").decode("utf-8")
        hint = "an interactive page, shown once the notebook is trusted"
        return framed(page, xml_text(f"Comparison {self.document.title}"), self.height, hint)

    def __repr__(self) -> str:
        return f"<Comparison {self.document.title}; a notebook shows it, .save('comparison.html') writes it>"


def graphs_document(document: Document) -> Document:
    """The verdict's first sentence, what makes it doubtful, the graphs and the matched layers, without charts: a
    notebook's file keeps it.
    """
    first = next((part.statements[0] for part in document.sections if part.statements), "")
    browsed = [part for part in document.sections if any(isinstance(b, SceneBlock | TableBlock) for b in part.blocks)]
    others = (note for part in document.sections if part not in browsed for note in part.notes)
    doubts = tuple(dict.fromkeys(note for note in (*document.notes, *others) if note.severity != "info"))
    verdict = (Section("verdict", "", (Text((first,)),), doubts),) if first or doubts else ()
    return replace(document, sections=(*verdict, *(replace(part, title="") for part in browsed)), notes=())

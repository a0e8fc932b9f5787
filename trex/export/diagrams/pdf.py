"""PDF: drawn by Graphviz, which the extra ``graphviz`` brings; for small engines and parts of large ones."""

from __future__ import annotations

from trex.export.diagram import DiagramFormat, Drawing
from trex.export.diagrams.dot import render as render_dot
from trex.export.dot_pictures import picture_of


def render(drawing: Drawing) -> bytes:
    return picture_of(render_dot(drawing), "pdf")


FORMAT = DiagramFormat((".pdf",), render, is_text=False)

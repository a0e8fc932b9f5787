"""HTML: one offline page to move about in: search, facts of every layer, a table, colours by choice."""

from __future__ import annotations

from trex.export.diagram import DiagramFormat, Drawing
from trex.export.html import render_html


def render(drawing: Drawing) -> str:
    return render_html(drawing.scene, drawing.graph, drawing.plan)


FORMAT = DiagramFormat((".html", ".htm"), render)

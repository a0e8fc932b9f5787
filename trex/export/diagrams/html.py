"""HTML: one offline page to move about in: search, facts of every layer, a table, colors by choice."""

from __future__ import annotations

from trex.export.diagram import DiagramFormat, Drawing
from trex.export.html import render_html


def render(drawing: Drawing) -> str:
    view = drawing.view
    return render_html(view.scene, view.graph, view.plan)


FORMAT = DiagramFormat((".html", ".htm"), render)

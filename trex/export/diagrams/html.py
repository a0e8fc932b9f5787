"""HTML: one offline page to move about in: search, facts of every layer, a table, colors by choice."""

from __future__ import annotations

from trex.export.diagram import DiagramFormat, Drawing
from trex.export.html import render_html


def render(drawing: Drawing) -> str:
    page = drawing.page
    return render_html(page.scene, page.graph, page.plan)


FORMAT = DiagramFormat((".html", ".htm"), render)

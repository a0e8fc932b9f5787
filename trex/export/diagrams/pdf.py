"""PDF: the SVG as one page of its size, whose text can be searched; needs the extra ``picture``."""

from __future__ import annotations

from trex.export.diagram import DiagramFormat, Drawing
from trex.export.diagrams.dot import by_graphviz
from trex.export.svg import render_svg
from trex.export.svg_picture import picture_of_svg
from trex.views.diagram.style import ENGINES


def render(drawing: Drawing) -> bytes:
    if drawing.style.engine == "dot":
        return by_graphviz(drawing, "pdf")
    return picture_of_svg(render_svg(drawing.scene), "pdf", drawing.plan.statement)


FORMAT = DiagramFormat((".pdf",), render, is_text=False, is_picture=True, engines=ENGINES)

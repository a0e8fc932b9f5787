"""SVG: one picture for browsers, documents and printers; its text can be searched."""

from __future__ import annotations

from trex.export.diagram import DiagramFormat, Drawing
from trex.export.diagrams.dot import by_graphviz
from trex.export.svg import render_svg
from trex.views.diagram.style import ENGINES


def render(drawing: Drawing) -> str | bytes:
    return by_graphviz(drawing, "svg") if drawing.style.engine == "dot" else render_svg(drawing.scene)


FORMAT = DiagramFormat((".svg",), render, is_picture=True, engines=ENGINES)

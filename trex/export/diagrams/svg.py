"""SVG: one picture for browsers, documents and printers; its text can be searched."""

from __future__ import annotations

from trex.export.diagram import DiagramFormat, Drawing
from trex.export.svg import render_svg


def render(drawing: Drawing) -> str:
    return render_svg(drawing.scene)


FORMAT = DiagramFormat((".svg",), render)

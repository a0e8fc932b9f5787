"""PNG: the SVG as pixels, for what shows no SVG; needs the extra ``picture``."""

from __future__ import annotations

from trex.export.diagram import DiagramFormat, Drawing
from trex.export.diagrams.dot import by_graphviz
from trex.export.png_text import described_png
from trex.export.svg import render_svg
from trex.export.svg_picture import picture_of_svg
from trex.views.diagram.style import ENGINES


def render(drawing: Drawing) -> bytes:
    statement = drawing.plan.statement
    if drawing.style.engine == "dot":
        return described_png(by_graphviz(drawing, "png"), statement)
    return described_png(picture_of_svg(render_svg(drawing.scene), "png"), statement)


FORMAT = DiagramFormat((".png",), render, is_text=False, is_picture=True, engines=ENGINES)

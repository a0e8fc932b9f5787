"""PNG: the SVG as pixels, for what shows no SVG; needs the extra ``picture``."""

from __future__ import annotations

from trex.export.diagram import DiagramFormat, Drawing
from trex.export.diagrams.dot import by_graphviz
from trex.export.png_text import described_png
from trex.export.svg import render_svg
from trex.export.svg_picture import is_png, picture_of_svg, size_of
from trex.views.diagram.drawn_graph import folded_picture
from trex.views.diagram.style import ENGINES


def render(drawing: Drawing) -> bytes:
    statement = drawing.plan.statement
    if drawing.style.engine == "dot":
        return described_png(by_graphviz(drawing, "png"), statement)
    return described_png(picture_of_svg(_svg(drawing), "png"), statement)


def _svg(drawing: Drawing) -> str:
    """The whole graph; where that is more pixels than viewers show, and repeated blocks once are not, those."""
    svg = render_svg(drawing.scene)
    if drawing.style.fold or is_png(svg):
        return svg
    folded = render_svg(drawing.folded.scene)
    if not is_png(folded):
        return svg  # whose size is the error's
    drawing.remarks.append(folded_picture(*size_of(svg)))
    return folded


FORMAT = DiagramFormat((".png",), render, is_text=False, is_picture=True, engines=ENGINES)

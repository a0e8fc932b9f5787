"""DOT: the graph in Graphviz's language, safe for any name and with no string too long for it."""

from __future__ import annotations

from trex.export.diagram import DiagramFormat, Drawing
from trex.export.dot import render_dot_text
from trex.export.dot_pictures import picture_of
from trex.views.diagram.style import ENGINES


def render(drawing: Drawing) -> str:
    return render_dot_text(drawing.graph, drawing.style, plan=drawing.plan)


def by_graphviz(drawing: Drawing, format: str) -> bytes:
    """The picture that Graphviz draws of this. Raises TrexError where it is absent or takes too long."""
    return picture_of(render(drawing), format)


FORMAT = DiagramFormat((".dot", ".gv"), render, engines=ENGINES)

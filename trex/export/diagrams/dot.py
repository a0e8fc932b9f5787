"""DOT: the graph in Graphviz's language, safe for any name and with no string too long for it."""

from __future__ import annotations

from trex.export.diagram import DiagramFormat, Drawing
from trex.export.dot import finite_sum, render_dot_text
from trex.export.dot_pictures import picture_of
from trex.views.diagram.style import ENGINES


def render(drawing: Drawing) -> str:
    plan, style = drawing.plan, drawing.style
    title = plan.provenance.titled(plan.name or "engine")
    total_ms = finite_sum(map(style.latency_ms, plan.times))
    return render_dot_text(drawing.graph, style, total_ms=total_ms, title=title)


def by_graphviz(drawing: Drawing, format: str) -> bytes:
    """The picture that Graphviz draws of this. Raises TrexError where it is absent or takes too long."""
    return picture_of(render(drawing), format)


FORMAT = DiagramFormat((".dot", ".gv"), render, engines=ENGINES)

"""DOT: the graph in Graphviz's language, safe for any name and with no string too long for it."""

from __future__ import annotations

from trex.export.diagram import DiagramFormat, Drawing
from trex.export.dot import finite_sum, render_dot_text


def render(drawing: Drawing) -> str:
    plan, style = drawing.plan, drawing.style
    title = f"{plan.name or 'engine'}{' · synthetic data' if plan.is_synthetic else ''}"
    total_ms = finite_sum(map(style.latency_ms, plan.times))
    return render_dot_text(drawing.graph, style, total_ms=total_ms, title=title)


FORMAT = DiagramFormat((".dot", ".gv"), render)

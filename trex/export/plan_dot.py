"""EnginePlan and a style → a DOT graph object: its text, and the picture that is drawn without Graphviz."""

from __future__ import annotations

from typing import Any

from trex.export.dot import dot_body
from trex.export.dot_document import make_dot
from trex.export.dot_looks import DotLooks
from trex.export.svg import render_svg
from trex.graph.build import build_graph
from trex.graph.plan_graph import PlanGraph
from trex.graph.select import Selection, select
from trex.plan.engine_plan import EnginePlan
from trex.views.diagram.scene import build_scene
from trex.views.diagram.style import DiagramStyle


def graph_for(plan: EnginePlan, style: DiagramStyle, selection: Selection | None = None) -> PlanGraph:
    """The graph with the memory nodes that the style wants, or the part of it that is selected."""
    graph = build_graph(
        plan,
        style.display_constants,
        include_regions=style.display_regions,
        include_forking_regions=style.display_forking_regions,
    )
    return select(graph, selection, style.latency_ms) if selection is not None else graph


def plan_dot(
    plan: EnginePlan,
    style: DiagramStyle | None = None,
    looks: DotLooks | None = None,
    selection: Selection | None = None,
) -> Any:
    """The plan's graph as a ``graphviz.Digraph`` or a DotDocument; see ``make_dot``."""
    style, looks = style or DiagramStyle(), looks or DotLooks()
    graph = graph_for(plan, style, selection)
    known = [style.latency_ms(time) for time in plan.times]
    total_ms = sum(time for time in known if time is not None)
    title = f"{plan.name or 'engine'}{' · synthetic data' if plan.is_synthetic else ''}"
    body = dot_body(graph, style, looks, total_ms=total_ms, title=title)
    return make_dot(graph.name, body, lambda: render_svg(build_scene(graph, plan, style)), len(graph.nodes))

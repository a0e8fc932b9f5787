"""Plan, style, selection → the PlanGraph that is drawn."""

from __future__ import annotations

from trex.core.collector import collector_paused
from trex.graph.build import DrawablePlan, build_graph
from trex.graph.fold import fold_blocks
from trex.graph.plan_graph import PlanGraph
from trex.graph.select import Selection, select, without_disconnected
from trex.views.diagram.style import DiagramStyle


def drawn_graph(plan: DrawablePlan, style: DiagramStyle | None = None, selection: Selection | None = None) -> PlanGraph:
    """The part of the plan's graph that was asked for, with the kinds of nodes that the style shows.

    Blocks are folded last, so that every layer of the engine can be selected; a graph of ``style.fold_from`` layers or
    more is folded in any case, and the scene says so. Raises TrexError for a selection that nothing answers.
    """
    style = style or DiagramStyle()
    with collector_paused():
        graph = build_graph(
            plan,
            style.display_constants,
            include_regions=style.display_regions,
            include_forking_regions=style.display_forking_regions,
        )
        if selection is not None:
            graph = select(graph, selection, style.latency_ms)
        if style.fold or 0 < style.fold_from <= len(graph.layer_nodes):
            graph = fold_blocks(graph)
        return without_disconnected(graph) if style.remove_disconnected_layers else graph

"""What the advisor found at a layer: the most severe finding, darker where more of the engine's time is at stake."""

from __future__ import annotations

from collections.abc import Sequence

from trex.graph.plan_graph import LayerNode, PlanGraph
from trex.plan.engine_plan import EnginePlan
from trex.views.diagram.coloring import Coloring, Latency, Paint
from trex.views.palette import UNKNOWN_COLOR

DEAR_PCT = 1.0
"""From which share of the engine's time, by one layer, it is dear."""

_NOTHING = Paint("#eef2ea", "no finding", 7)
_UNKNOWN = Paint(UNKNOWN_COLOR, "not looked at", 8)
# By severity (note, warning, error): what costs little or has no price, and what is dear.
_PAINTS = (
    (Paint("#c9dcf0", "note", 6), Paint("#6f9fd0", f"note, {DEAR_PCT:g} % of the time and more", 5)),
    (Paint("#ffd98a", "warning", 4), Paint("#f0930a", f"warning, {DEAR_PCT:g} % of the time and more", 3)),
    (Paint("#f2a59b", "error", 2), Paint("#c22a1c", f"error, {DEAR_PCT:g} % of the time and more", 1)),
)


def paint(nodes: Sequence[LayerNode], latency: Latency) -> list[Paint]:
    """Layers alone, without their engine, are not looked at."""
    return [_UNKNOWN] * len(nodes)


def paint_graph(graph: PlanGraph, latency: Latency) -> list[Paint]:
    """By a review of the plan that the graph is of, with every rule and without suppressions."""
    if not isinstance(graph.plan, EnginePlan):
        return paint(graph.layer_nodes, latency)
    from trex.perf.performance import Performance  # here, because it brings numpy
    from trex.rules.review import review

    found = review(Performance(graph.plan))
    severity: dict[int, int] = {}
    stakes: dict[int, float] = {}
    for priced in found.findings:
        finding = priced.finding
        for index in {*finding.layers, *finding.at_stake}:
            severity[index] = max(severity.get(index, 0), int(priced.severity))
        for index, ms in finding.at_stake.items():
            stakes[index] = max(stakes.get(index, 0.0), ms)
    dear_ms = found.total_ms * DEAR_PCT / 100 if found.total_ms > 0 else float("inf")
    return [_painted(node, severity, stakes, dear_ms) for node in graph.layer_nodes]


def _painted(node: LayerNode, severity: dict[int, int], stakes: dict[int, float], dear_ms: float) -> Paint:
    """The worst of the layers that a box stands for."""
    worst = max((severity.get(layer.index, -1) for layer in node.layers), default=-1)
    if worst < 0:
        return _NOTHING
    return _PAINTS[worst][max(stakes.get(layer.index, 0.0) for layer in node.layers) >= dear_ms]


COLORING = Coloring("Layers by findings", paint, is_of_boxes=True, paint_graph=paint_graph)

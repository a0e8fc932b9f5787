"""What the advisor found at a layer: the most severe finding, darker where more of the engine's time is at stake."""

from __future__ import annotations

from collections.abc import Sequence

from trex.graph.plan_graph import LayerNode, PlanGraph
from trex.rules.plan_lint import advice_of
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
    """By the review of the plan that the graph is of, under the user's settings where it came with some."""
    advice = advice_of(graph)
    if advice is None:
        return paint(graph.layer_nodes, latency)
    found = advice.review
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


def _settings(graph: PlanGraph) -> str:
    advice = advice_of(graph)
    name = "" if advice is None else advice.configuration.file_name
    return f"settings of {name}" if name else ""


COLORING = Coloring("Layers by findings", paint, is_of_boxes=True, paint_graph=paint_graph, remark=_settings)

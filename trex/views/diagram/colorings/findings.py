"""The most severe finding at a layer, darker for larger savings."""

from __future__ import annotations

from trex.graph.plan_graph import LayerNode, PlanGraph
from trex.rules.plan_lint import lint_of
from trex.views.diagram.coloring import Coloring, Latency, Paint
from trex.views.palette import UNKNOWN_COLOR

LARGE_PCT = 1.0
"""Share of the engine's time from which on a layer's savings are large."""

_NOTHING = Paint("#eef2ea", "no finding", 7)
_UNKNOWN = Paint(UNKNOWN_COLOR, "not checked", 8)
# By severity (note, warning, error): small or unknown savings, and large ones.
_PAINTS = (
    (Paint("#c9dcf0", "note", 6), Paint("#6f9fd0", f"note, {LARGE_PCT:g} % of time and more", 5)),
    (Paint("#ffd98a", "warning", 4), Paint("#f0930a", f"warning, {LARGE_PCT:g} % of time and more", 3)),
    (Paint("#f2a59b", "error", 2), Paint("#c22a1c", f"error, {LARGE_PCT:g} % of time and more", 1)),
)


def paint(graph: PlanGraph, latency: Latency) -> list[Paint]:
    """By the lint result of the graph's plan, under the user's settings if it came with some."""
    lint = lint_of(graph)
    if lint is None:
        return [_UNKNOWN] * len(graph.layer_nodes)
    result = lint.result
    severity: dict[int, int] = {}
    savings: dict[int, float] = {}
    for finding in result.findings:
        for index in {*finding.layers, *finding.savings}:
            severity[index] = max(severity.get(index, 0), int(finding.severity))
        for index, ms in finding.savings.items():
            savings[index] = max(savings.get(index, 0.0), ms)
    large_ms = float("inf") if result.total_ms is None else result.total_ms * LARGE_PCT / 100
    return [_painted(node, severity, savings, large_ms) for node in graph.layer_nodes]


def _painted(node: LayerNode, severity: dict[int, int], savings: dict[int, float], large_ms: float) -> Paint:
    """The worst of the layers in a box."""
    worst = max((severity.get(layer.index, -1) for layer in node.layers), default=-1)
    if worst < 0:
        return _NOTHING
    return _PAINTS[worst][max(savings.get(layer.index, 0.0) for layer in node.layers) >= large_ms]


def _settings(graph: PlanGraph) -> str:
    lint = lint_of(graph)
    name = "" if lint is None else lint.configuration.file_name
    return f"settings of {name}" if name else ""


COLORING = Coloring("Layers by findings", paint, is_of_boxes=True, remark=_settings)

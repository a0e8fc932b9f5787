"""How a layer changed against another engine of the same model: slower, faster, new, gone, unchanged."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from trex.graph.plan_graph import PlanGraph
from trex.rules.plan_lint import PlanLint, lint_of
from trex.views.diagram.coloring import Coloring, Latency, Paint
from trex.views.palette import UNKNOWN_COLOR

_ALONE = Paint(UNKNOWN_COLOR, "no engine to compare with: --baseline PATH")
_KNOWN: WeakKeyDictionary[PlanLint, Coloring] = WeakKeyDictionary()


def paint(graph: PlanGraph, latency: Latency) -> list[Paint]:
    """Against the baseline that came with the graph's lint."""
    lint = lint_of(graph)
    if lint is None or lint.baseline is None:
        return [_ALONE] * len(graph.layer_nodes)
    if lint not in _KNOWN:
        from trex.compare.plan_diff import PlanDiff  # here, because it brings numpy
        from trex.views.compare.coloring import change_coloring

        comparison = PlanDiff(lint.baseline, lint.plan, lint.device)
        _KNOWN[lint] = change_coloring(comparison, is_base=False)
    return _KNOWN[lint].paint(graph, latency)


def _has_baseline(graph: PlanGraph) -> bool:
    lint = lint_of(graph)
    return lint is not None and lint.baseline is not None


COLORING = Coloring("Layers by change", paint, is_of_boxes=True, applies=_has_baseline)

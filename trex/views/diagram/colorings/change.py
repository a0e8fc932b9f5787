"""How a layer changed against another engine of the same model: slower, faster, new, gone, unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from trex.core.note import Note
from trex.graph.plan_graph import PlanGraph
from trex.rules.plan_lint import PlanLint, lint_of
from trex.views.diagram.coloring import Coloring, Latency, Paint
from trex.views.palette import UNKNOWN_COLOR

if TYPE_CHECKING:
    from trex.compare.plan_diff import PlanDiff
    from trex.plan.engine_plan import EnginePlan

_ALONE = Paint(UNKNOWN_COLOR, "no engine to compare with: --baseline PATH")
_KNOWN: WeakKeyDictionary[PlanLint, tuple[PlanDiff, Coloring]] = WeakKeyDictionary()


def paint(graph: PlanGraph, latency: Latency) -> list[Paint]:
    """Against the baseline that came with the graph's lint."""
    lint = lint_of(graph)
    if lint is None or lint.baseline is None:
        return [_ALONE] * len(graph.layer_nodes)
    return _compared(lint, lint.baseline)[1].paint(graph, latency)


def doubts(lint: PlanLint) -> tuple[Note, ...]:
    """Problems by which no change against its baseline can be trusted."""
    return () if lint.baseline is None else _compared(lint, lint.baseline)[0].layer_doubts


def _compared(lint: PlanLint, baseline: EnginePlan) -> tuple[PlanDiff, Coloring]:
    if lint not in _KNOWN:
        from trex.compare.plan_diff import PlanDiff  # here, because it brings numpy
        from trex.views.compare.coloring import change_coloring

        comparison = PlanDiff(baseline, lint.plan, lint.device)
        _KNOWN[lint] = comparison, change_coloring(comparison, is_base=False)
    return _KNOWN[lint]


def _has_baseline(graph: PlanGraph) -> bool:
    lint = lint_of(graph)
    return lint is not None and lint.baseline is not None


COLORING = Coloring("Layers by change", paint, is_of_boxes=True, applies=_has_baseline)

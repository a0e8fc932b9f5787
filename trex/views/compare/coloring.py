"""PlanDiff and side → Coloring: how each layer of one engine changed against the other.

The registry's coloring ``change`` asks for the new engine's side of it, where a baseline came with the graph.
"""

from __future__ import annotations

from dataclasses import replace

from trex.compare.layer_noise import LayerTrend, layer_trends
from trex.compare.plan_diff import PlanDiff
from trex.compare.prediction import PredictedSpeedup
from trex.graph.plan_graph import LayerNode, PlanGraph
from trex.views.diagram.coloring import Coloring, Latency, Paint
from trex.views.palette import UNKNOWN_COLOR

NAME = "change"
_TITLE = "Layers by change"
DEAR_PCT = 1.0
"""Share of the base's time from which on a change has a strong color."""

TREND_COLORS = {
    LayerTrend.SLOWER.value: "#c2410c",
    LayerTrend.FASTER.value: "#0b61a4",
    LayerTrend.NEW.value: "#7b2cbf",
    LayerTrend.GONE.value: "#a678d6",
    LayerTrend.UNCHANGED.value: "#c3cad2",
    LayerTrend.UNKNOWN.value: UNKNOWN_COLOR,
}
_DEAR = f"≥ {DEAR_PCT:g} % of the time"
# Each with its color on dark ground; those that take or give much of the time, and others.
_PAINTS = {
    LayerTrend.SLOWER: (
        Paint("#f6b98f", "slower", 2, "#8f5a36"),
        Paint("#c2410c", f"slower, {_DEAR}", 1, "#ff8a4c"),
    ),
    LayerTrend.FASTER: (
        Paint("#9cc7ea", "faster", 4, "#356489"),
        Paint("#0b61a4", f"faster, {_DEAR}", 3, "#62b0ff"),
    ),
    LayerTrend.NEW: (Paint("#7b2cbf", "new", 5, "#c58cff"),) * 2,
    LayerTrend.GONE: (Paint("#a678d6", "gone", 6, "#9668c4"),) * 2,
    LayerTrend.UNKNOWN: (Paint(UNKNOWN_COLOR, "time not known", 8, "#808080"),) * 2,
}
_ORDER = (
    LayerTrend.SLOWER,
    LayerTrend.NEW,
    LayerTrend.FASTER,
    LayerTrend.GONE,
    LayerTrend.UNCHANGED,
    LayerTrend.UNKNOWN,
)


def change_coloring(comparison: PlanDiff, *, is_base: bool) -> Coloring:
    """The coloring ``change`` for graphs of the base, or of the new engine; every change is unknown, and the legend
    says why, where the times of a side can't be trusted, or the engines are of two models.
    """
    if doubt := _doubt(comparison):
        doubted = replace(_PAINTS[LayerTrend.UNKNOWN][0], text=doubt)
        return Coloring(_TITLE, lambda graph, latency: [doubted] * len(graph.layer_nodes), is_of_boxes=True)
    plan = comparison.left if is_base else comparison.right
    trends = layer_trends(comparison.changes, comparison.machine)
    unchanged = Paint("#ccd3da", f"unchanged (± {100 * trends.limit:.1f} %)", 7, "#3a4552")
    dear_ms = comparison.waterfall.layers_left_ms * DEAR_PCT / 100
    paint_of: dict[int, tuple[int, float, Paint]] = {}
    for change, trend in zip(comparison.changes, trends.of, strict=True):
        is_large = 0.0 < dear_ms <= abs(change.difference_ms)
        paint = unchanged
        if trend is not LayerTrend.UNCHANGED:
            paint = _labeled(_PAINTS[trend][is_large], comparison.prediction)
        for index in change.match.left if is_base else change.match.right:
            paint_of[plan.working_layers[index].index] = (_ORDER.index(trend), abs(change.difference_ms), paint)
    unknown = _PAINTS[LayerTrend.UNKNOWN][0]

    def paints(graph: PlanGraph, latency: Latency) -> list[Paint]:
        return [_of_node(node) for node in graph.layer_nodes]

    def _of_node(node: LayerNode) -> Paint:
        """Of a box that stands for several layers, the change that matters most."""
        known = [paint_of[layer.index] for layer in node.layers if layer.index in paint_of]
        return min(known, key=lambda item: (-item[1], item[0]))[2] if known else unknown

    return Coloring(_TITLE, paints, is_of_boxes=True)


def _doubt(comparison: PlanDiff) -> str:
    if comparison.is_other_model:
        return "the baseline is of another model"
    notes = comparison.layer_doubts
    return f"the layer times of {notes[0].message.partition(':')[0]} can't be trusted" if notes else ""


def _labeled(paint: Paint, prediction: PredictedSpeedup | None) -> Paint:
    """The paint; the legend names the origins of times if only one side is predicted."""
    trend, _, rest = paint.text.partition(",")
    if prediction is None or not prediction.is_mixed or trend not in (LayerTrend.SLOWER.value, LayerTrend.FASTER.value):
        return paint
    words = f"predicted {trend}" if prediction.new.has_predicted_times else f"{trend} than predicted"
    return replace(paint, text=f"{words},{rest}" if rest else words)

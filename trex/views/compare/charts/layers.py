"""Charts of matched layers: the largest differences, and all of them."""

from __future__ import annotations

from trex.compare.causes import Cause
from trex.compare.layer_noise import layer_trends
from trex.compare.plan_diff import PlanDiff
from trex.core.counted import counted
from trex.views.chart import Chart
from trex.views.compare.chart import NO_TIMES
from trex.views.compare.coloring import TREND_COLORS
from trex.views.compare.sections.layers import name_of
from trex.views.palette import SERIES_COLORS
from trex.views.plot import Axis, Bars, Empty, Points

MAX_BARS = 12
_LEAST_MS = 5e-7
_DIFFERENCE = Axis("new minus base", "ms")
_EQUAL = "equal"
# Every cause has one color, whatever engines are compared.
_CAUSE_COLORS = {cause.value: SERIES_COLORS[index % len(SERIES_COLORS)] for index, cause in enumerate(Cause)}


def _largest(comparison: PlanDiff) -> Bars | Empty:
    if not comparison.waterfall.is_known:
        return NO_TIMES
    known = [
        (index, change)
        for index, change in enumerate(comparison.changes)
        if change.is_known and abs(change.difference_ms) > _LEAST_MS
    ]
    if not known:
        return Empty("no layer's time changes")
    shown = sorted(known, key=lambda pair: -abs(pair[1].difference_ms))[:MAX_BARS]
    indexes, changes = zip(*shown, strict=True)
    return Bars(
        [name_of(*comparison.layers_of(change)) for change in changes],
        [change.difference_ms for change in changes],
        Axis("layers"),
        _DIFFERENCE,
        keys=[change.cause.value for change in changes],
        key_title="cause",
        is_horizontal=True,
        hover={
            "base (ms)": [f"{change.left_ms:.4f}" for change in changes],
            "new (ms)": [f"{change.right_ms:.4f}" for change in changes],
            "what changed": [change.words for change in changes],
        },
        note=f"the largest {MAX_BARS} of {counted(len(known), 'group')}" if len(known) > MAX_BARS else "",
        layers=indexes,
        colors=_CAUSE_COLORS,
    )


def _base_against_new(comparison: PlanDiff) -> Points | Empty:
    if not comparison.waterfall.is_known:
        return NO_TIMES
    trends = layer_trends(comparison.changes, comparison.machine).of
    shown = [
        (index, change, trend)
        for index, (change, trend) in enumerate(zip(comparison.changes, trends, strict=True))
        if change.is_known and change.left_ms > 0.0 and change.right_ms > 0.0
    ]
    if not shown:
        return Empty("no matched layers have times")
    left, right = [change.left_ms for _, change, _ in shown], [change.right_ms for _, change, _ in shown]
    ends = [min(*left, *right), max(*left, *right)]
    others = len(comparison.changes) - len(shown)
    return Points(
        left,
        right,
        Axis("base", "ms", log=True),
        Axis("new", "ms", log=True),
        texts=[name_of(*comparison.layers_of(change)) for _, change, _ in shown],
        keys=[trend.value for _, _, trend in shown],
        key_title="change",
        lines=[(_EQUAL, ends, ends)],
        hover={
            "cause": [change.cause.value for _, change, _ in shown],
            "what changed": [change.words for _, change, _ in shown],
        },
        note=f"{counted(others, 'group')} of unmatched layers, or without times, left out" if others else "",
        layers=[index for index, _, _ in shown],
        colors={**TREND_COLORS, _EQUAL: "#7f8a96"},
    )


CHARTS = (
    Chart(
        "largest-differences",
        "Largest differences",
        "The groups of layers whose time changed most. Bars to the left save time, bars to the right cost time; colors "
        "show the cause.",
        _largest,
        "layers",
    ),
    Chart(
        "base-against-new",
        "Base against new",
        "Each group of layers: its time in the base and in the new engine. Points on the line take equal times, points "
        "below it are faster in the new engine, points above it slower. Points further right matter more.",
        _base_against_new,
        "layers",
    ),
)

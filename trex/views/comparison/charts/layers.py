"""Charts of matched layers: the largest differences, all of them, and their sums by module."""

from __future__ import annotations

from trex.compare.causes import Cause
from trex.compare.layer_noise import layer_trends
from trex.compare.operations import NO_MODULE, NOT_ATTRIBUTED
from trex.compare.plan_diff import PlanDiff
from trex.core.counted import counted
from trex.plan.onnx_origins import missing_modules
from trex.views.chart import Chart
from trex.views.comparison.chart import NO_TIMES
from trex.views.comparison.coloring import TREND_COLORS
from trex.views.comparison.sections.layers import name_of
from trex.views.palette import SERIES_COLORS
from trex.views.plot import Axis, Bars, Empty, Points

MAX_BARS = 12
_LEAST_MS = 5e-7
_DIFFERENCE = Axis("new minus base", "ms")
_SAVES, _COSTS, _EQUAL = "faster", "slower", "equal"
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
    trends = layer_trends(comparison.changes).of
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


def _by_module(comparison: PlanDiff) -> Bars | Empty:
    if not comparison.waterfall.is_known:
        return NO_TIMES
    known = [module for module in comparison.modules if module.is_known]
    if not {module.name for module in known} - {NO_MODULE, NOT_ATTRIBUTED}:
        plans = (comparison.left, comparison.right)
        answers = dict.fromkeys(missing_modules(plan.layers, plan.tensorrt_version) for plan in plans)
        reasons, hints = (dict.fromkeys(texts) for texts in zip(*answers))
        return Empty(f"the modules of both engines are unknown: {'; '.join(reasons)}", "; ".join(hints))
    shown = known[:MAX_BARS]
    return Bars(
        [module.name for module in shown],
        [module.difference_ms for module in shown],
        Axis("module"),
        _DIFFERENCE,
        keys=[_SAVES if module.difference_ms < 0.0 else _COSTS for module in shown],
        is_horizontal=True,
        hover={
            "base (ms)": [f"{module.left_ms:.4f}" for module in shown],
            "new (ms)": [f"{module.right_ms:.4f}" for module in shown],
        },
        note=f"the largest {MAX_BARS} of {len(known)} modules" if len(known) > MAX_BARS else "",
        colors={_SAVES: "#0b61a4", _COSTS: "#c2410c"},
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
    Chart(
        "differences-by-module",
        "Differences by module",
        "Bars to the left save time, bars to the right cost time. A module has the time of its operations and of the "
        "conversions before them.",
        _by_module,
        "layers",
    ),
)

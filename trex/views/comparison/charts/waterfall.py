"""From the base's time over every cause to the new engine's.

What it shows: each bar begins where the one before ended; bars to the left save time, bars to the right cost time, and
together they are the whole difference.
"""

from __future__ import annotations

from trex.compare.plan_diff import PlanDiff
from trex.views.comparison.chart import NO_TIMES, ComparisonChart
from trex.views.plot import Axis, Bars, Empty, Plot

_ENDS, _SAVES, _COSTS = "time of an engine", "faster", "slower"
_COLORS = {_ENDS: "#7f8a96", _SAVES: "#0b61a4", _COSTS: "#c2410c"}


def make(comparison: PlanDiff) -> Plot | Empty:
    fall = comparison.waterfall
    if not fall.is_known:
        return NO_TIMES
    steps = [step for step in fall.steps if step.difference_ms != 0.0]
    starts = [fall.left_ms]
    for step in steps:
        starts.append(starts[-1] + step.difference_ms)
    told = [_SAVES if step.difference_ms < 0.0 else _COSTS for step in steps]
    return Bars(
        "Where the difference comes from",
        ["base", *(step.name for step in steps), "new"],
        [fall.left_ms, *(step.difference_ms for step in steps), fall.right_ms],
        Axis("cause"),
        Axis(fall.basis, "ms"),
        keys=[_ENDS, *told, _ENDS],
        is_horizontal=True,
        starts=[0.0, *starts[:-1], 0.0],
        hover={"layer groups": ["", *(step.count if step.left_ms is not None else "" for step in steps), ""]},
        note=f"compares sums of layer times: {fall.reason}" if fall.reason else "",
        colors=_COLORS,
    )


CHART = ComparisonChart("Where the difference comes from", "causes", 10, make)

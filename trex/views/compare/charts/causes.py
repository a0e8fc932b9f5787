"""The waterfall: from the base's time over every cause to the new engine's."""

from __future__ import annotations

from itertools import accumulate

from trex.compare.plan_diff import PlanDiff
from trex.views.chart import Chart
from trex.views.compare.chart import NO_TIMES
from trex.views.plot import Axis, Bars, Empty

_ENDS, _SAVES, _COSTS = "time of an engine", "faster", "slower"
_COLORS = {_ENDS: "#7f8a96", _SAVES: "#0b61a4", _COSTS: "#c2410c"}


def _waterfall(comparison: PlanDiff) -> Bars | Empty:
    waterfall = comparison.waterfall
    if not waterfall.is_known:
        return NO_TIMES
    steps = [step for step in waterfall.steps if step.difference_ms != 0.0]
    differences = [step.difference_ms for step in steps]
    starts = list(accumulate(differences, initial=waterfall.left_ms))
    return Bars(
        ["base", *(step.name for step in steps), "new"],
        [waterfall.left_ms, *differences, waterfall.right_ms],
        Axis("cause"),
        Axis(waterfall.basis, "ms"),
        keys=[_ENDS, *(_SAVES if difference < 0.0 else _COSTS for difference in differences), _ENDS],
        is_horizontal=True,
        starts=[0.0, *starts[:-1], 0.0],
        hover={"layer groups": ["", *(step.count if step.left_ms is not None else "" for step in steps), ""]},
        note=f"compares sums of layer times: {waterfall.reason}" if waterfall.reason else "",
        colors=_COLORS,
    )


CHARTS = (
    Chart(
        "waterfall",
        "Where the difference comes from",
        "Each bar begins where the previous one ends. Bars to the left save time, bars to the right cost time, and "
        "together they are the whole difference.",
        _waterfall,
        "causes",
    ),
)

"""Each layer group's time in the base against its time in the new engine.

What it shows: points on the line take the same time in both engines, those below it are faster in the new one, those
above it slower; the further to the right, the more they matter.
"""

from __future__ import annotations

from trex.compare.layer_noise import layer_trends
from trex.compare.plan_diff import PlanDiff
from trex.core.counted import counted
from trex.views.comparison.chart import NO_TIMES, ComparisonChart
from trex.views.comparison.coloring import TREND_COLORS
from trex.views.comparison.sections.layers import name_of
from trex.views.plot import Axis, Empty, Plot, Points


def make(comparison: PlanDiff) -> Plot | Empty:
    changes = comparison.changes
    if not comparison.waterfall.is_known:
        return NO_TIMES
    shown = [at for at, each in enumerate(changes) if each.is_known and each.left_ms > 0.0 and each.right_ms > 0.0]
    if not shown:
        return Empty("no layers of both engines correspond and have times")
    left, right = [changes[at].left_ms for at in shown], [changes[at].right_ms for at in shown]
    ends = [min(*left, *right), max(*left, *right)]
    trends = layer_trends(changes).of
    others = len(changes) - len(shown)
    return Points(
        "Base against new",
        left,
        right,
        Axis("base", "ms", log=True),
        Axis("new", "ms", log=True),
        texts=[name_of(*comparison.layers_of(changes[at])) for at in shown],
        keys=[trends[at].value for at in shown],
        key_title="change",
        lines=[("alike", ends, ends)],
        hover={"cause": [changes[at].cause.value for at in shown], "what changed": [changes[at].words for at in shown]},
        note=f"{counted(others, 'group')} of layers that only one engine has, or without times, left out"
        if others
        else "",
        layers=shown,
        colors={**TREND_COLORS, "alike": "#7f8a96"},
    )


CHART = ComparisonChart("Base against new", "layers", 30, make)

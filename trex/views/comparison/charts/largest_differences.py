"""The layer groups whose time changed most, each with its cause.

What it shows: bars to the left save time, bars to the right cost time; colors tell why.
"""

from __future__ import annotations

from trex.compare.causes import Cause
from trex.compare.plan_diff import PlanDiff
from trex.core.counted import counted
from trex.views.comparison.chart import NO_TIMES, ComparisonChart
from trex.views.comparison.sections.layers import name_of
from trex.views.palette import SERIES_COLORS
from trex.views.plot import Axis, Bars, Empty, Plot

MOST = 12
_LEAST_MS = 5e-7
_CAUSES = [cause.value for cause in Cause]  # each has one color, whatever engines are compared


def make(comparison: PlanDiff) -> Plot | Empty:
    changes = comparison.changes
    if not comparison.waterfall.is_known:
        return NO_TIMES
    known = [at for at, each in enumerate(changes) if each.is_known and abs(each.difference_ms) > _LEAST_MS]
    if not known:
        return Empty("no layer takes another time")
    shown = sorted(known, key=lambda at: -abs(changes[at].difference_ms))[:MOST]
    return Bars(
        "Largest differences",
        [name_of(*comparison.layers_of(changes[at])) for at in shown],
        [changes[at].difference_ms for at in shown],
        Axis("layers"),
        Axis("new less base", "ms"),
        keys=[changes[at].cause.value for at in shown],
        key_title="cause",
        is_horizontal=True,
        hover={
            "base (ms)": [f"{changes[at].left_ms:.4f}" for at in shown],
            "new (ms)": [f"{changes[at].right_ms:.4f}" for at in shown],
            "what changed": [changes[at].words for at in shown],
        },
        note=f"the largest {MOST} of {counted(len(known), 'group')}" if len(known) > MOST else "",
        layers=shown,
        colors={cause: SERIES_COLORS[at % len(SERIES_COLORS)] for at, cause in enumerate(_CAUSES)},
    )


CHART = ComparisonChart("Largest differences", "layers", 20, make)

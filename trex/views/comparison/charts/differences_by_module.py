"""What each module gained or lost.

What it shows: bars to the left save time, bars to the right cost time. A group counts to the module that all of its
layers share; what spans several has a bar of its own.
"""

from __future__ import annotations

from trex.compare.plan_diff import NO_MODULE, PlanDiff
from trex.plan.onnx_origins import missing_modules
from trex.views.comparison.chart import NO_TIMES, ComparisonChart
from trex.views.plot import Axis, Bars, Empty, Plot

MOST = 12
_SAVES, _COSTS = "faster", "slower"


def make(comparison: PlanDiff) -> Plot | Empty:
    if not comparison.waterfall.is_known:
        return NO_TIMES
    known = [group for group in comparison.by_module if group.is_known]
    if not {group.key for group in known} - {NO_MODULE}:
        plans = (comparison.left, comparison.right)
        reasons = dict.fromkeys(missing_modules(plan.layers, plan.tensorrt_version) for plan in plans)
        why, hints = (dict.fromkeys(texts) for texts in zip(*reasons))
        return Empty(f"no modules in either engine: {'; '.join(why)}", "; ".join(hints))
    shown = known[:MOST]
    return Bars(
        "Differences by module",
        [group.key for group in shown],
        [group.difference_ms for group in shown],
        Axis("module"),
        Axis("new less base", "ms"),
        keys=[_SAVES if group.difference_ms < 0.0 else _COSTS for group in shown],
        is_horizontal=True,
        hover={
            "base (ms)": [f"{group.left_ms:.4f}" for group in shown],
            "new (ms)": [f"{group.right_ms:.4f}" for group in shown],
        },
        note=f"the largest {MOST} of {len(known)} modules" if len(known) > MOST else "",
        colors={_SAVES: "#0b61a4", _COSTS: "#c2410c"},
    )


CHART = ComparisonChart("Differences by module", "layers", 40, make)

"""ComparisonChart: one view of how two engines differ, as a plot; the registry of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from trex.compare.plan_diff import PlanDiff
from trex.core.registry import Registry
from trex.views.plot import Empty, Plot


@dataclass(frozen=True, slots=True)
class ComparisonChart:
    """section: the name of the section it belongs to. order: place among all charts, 10 apart.

    make: the plot, or Empty with the reason; it may not fail for any two engines. ``layers`` of the plot are places in
    ``PlanDiff.changes``, so that readers select the same layers everywhere.
    """

    title: str
    section: str
    order: int
    make: Callable[[PlanDiff], Plot | Empty]


CHARTS = Registry("trex.views.comparison.charts", "CHART", "comparison-charts")

NO_TIMES = Empty("no layer of both engines has a time", "profile both: trtexec --exportProfile=FILE")
"""What every chart of times says where there are none."""

"""The registry of charts of two engines, made from a PlanDiff.

Their group is the name of the section that shows them; ``layers`` of their plots are indexes in ``PlanDiff.changes``.
"""

from __future__ import annotations

from trex.views.chart import chart_registry
from trex.views.plot import Empty

CHARTS = chart_registry("trex.views.compare.charts", ("causes", "layers"), "comparison-charts")

NO_TIMES = Empty("no layer of both engines has a time", "profile both: trtexec --exportProfile=FILE")
"""The reason of every chart of times if there are none."""

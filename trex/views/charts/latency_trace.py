"""Time of every query, one after the other, with what the statistics find in it.

What it shows: warm-up at the beginning, steps where the level changed (clocks, another process), spikes. A level line
is steady; anything else limits what these numbers can compare.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import NO_TRACE
from trex.views.plot import Empty, Plot
from trex.views.timing_plot import timing_plot


def make(subject: Subject) -> Plot | Empty:
    plan = subject.plan
    if plan is None or plan.query_times is None or not len(plan.query_times):
        return NO_TRACE
    columns = plan.query_times.columns
    name = next((each for each in ("computeMs", "latencyMs") if each in columns), "")
    if not name:
        return NO_TRACE
    words = "GPU compute time" if name == "computeMs" else "Latency"
    return timing_plot(columns[name], f"{words} of every query", plan.query_times.warm_up_rows or 0)


CHART = Chart("Time of every query", "time", 20, make)

"""Distribution of the queries' times, with median and percentiles.

What it shows: one narrow heap is a steady measurement; two heaps are two states of the machine (clocks, other work); a
long tail is what the 99th percentile is made of.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import NO_TRACE
from trex.views.plot import Axis, Empty, Histogram, Plot


def make(subject: Subject) -> Plot | Empty:
    plan, performance = subject.plan, subject.performance
    if plan is None or performance is None or plan.query_times is None:
        return NO_TRACE
    statistics = performance.samples.main
    if statistics is None:
        return NO_TRACE
    values = list(plan.query_times.columns[statistics.name])[statistics.warm_up_rows :]
    marks = {
        f"{label:g} %": value
        for label, value in statistics.percentiles.items()
        if label in (50.0, 90.0, 99.0) and value == value
    }
    return Histogram(
        f"Distribution of {statistics.label}",
        values,
        Axis(statistics.label, "ms"),
        count_title="queries",
        marks=marks,
        note=statistics.left_out,
    )


CHART = Chart("Distribution of query times", "time", 10, make)

"""Time of all layers of a type, in percent of the sum of all layers.

What it shows: which kinds of layers to work on. Types are sorted by what they cost.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import NOT_PROFILED, column, grouped_bars
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    if column(subject.frame, "latency.pct_time").isna().all():
        return NOT_PROFILED
    return grouped_bars(
        subject.frame, "Latency per layer type (%)", "type", "latency.pct_time", Axis("share of the layers' time", "%")
    )


CHART = Chart("Latency per layer type (%)", "performance", 80, make, is_classic=True)

"""Latency per layer in percent of the sum of all layers, in execution order, colored by type.

What it shows: one bar per layer, its part of the sum of all average times.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import layer_times
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    return layer_times(
        subject, "Latency per layer (%)", "latency.pct_time", Axis("share of the layers' time", "%"), by="type"
    )


CHART = Chart("Latency per layer (%)", "performance", 10, make, is_classic=True)

"""Latency of each convolution, colored by its number of groups.

What it shows: grouped and depthwise convolutions, which seldom reach the rate of dense ones.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import convolution_bars
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    return convolution_bars(
        subject,
        "Latency per layer (color = group size)",
        "latency.avg_time",
        Axis("average time", "ms"),
        by="attr.groups",
    )


CHART = Chart("Latency per layer (color = group size)", "convolutions", 60, make, is_classic=True)

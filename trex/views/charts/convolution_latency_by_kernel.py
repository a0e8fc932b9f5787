"""Latency of each convolution, colored by the size of its window.

What it shows: where large windows cost.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import convolution_bars
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    return convolution_bars(
        subject,
        "Latency per layer (color = kernel size)",
        "latency.avg_time",
        Axis("average time", "ms"),
        by="attr.kernel",
    )


CHART = Chart("Latency per layer (color = kernel size)", "convolutions", 70, make, is_classic=True)

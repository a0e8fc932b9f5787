"""Latency of each convolution, colored by its multiply-adds per millisecond.

What it shows: tall dark bars compute slowly for the time they take.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import convolution_bars
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    shade = ("attr.compute_efficiency", Axis("multiply-adds per ms", ""))
    return convolution_bars(
        subject,
        "Latency per layer (color = compute efficiency)",
        "latency.avg_time",
        Axis("average time", "ms"),
        shade=shade,
    )


CHART = Chart("Latency per layer (color = compute efficiency)", "convolutions", 50, make, is_classic=True)

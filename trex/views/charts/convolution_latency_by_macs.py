"""Latency of each convolution, colored by its multiply-adds.

What it shows: slow convolutions with little to compute stand out as tall and dark.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import convolution_bars
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    shade = ("attr.macs", Axis("multiply-adds", ""))
    return convolution_bars(
        subject, "Latency per layer (color = FMAs)", "latency.avg_time", Axis("average time", "ms"), shade=shade
    )


CHART = Chart("Latency per layer (color = FMAs)", "convolutions", 20, make, is_classic=True)

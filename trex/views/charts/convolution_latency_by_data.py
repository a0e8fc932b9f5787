"""Latency of each convolution, colored by the bytes of its inputs, outputs and weights.

What it shows: whether time follows the data that has to be moved.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import convolution_bars
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    shade = ("total_footprint_bytes", Axis("data", "bytes"))
    return convolution_bars(
        subject, "Latency per layer (color = data size)", "latency.avg_time", Axis("average time", "ms"), shade=shade
    )


CHART = Chart("Latency per layer (color = data size)", "convolutions", 30, make, is_classic=True)

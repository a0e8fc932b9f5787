"""Latency of each convolution, colored by its arithmetic intensity.

What it shows: slow convolutions of low intensity wait for memory, those of high intensity for arithmetic.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import convolution_bars
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    shade = ("attr.arithmetic_intensity", Axis("multiply-adds per byte", ""))
    return convolution_bars(
        subject,
        "Latency per layer (color = arithmetic intensity)",
        "latency.avg_time",
        Axis("average time", "ms"),
        shade=shade,
    )


CHART = Chart("Latency per layer (color = arithmetic intensity)", "convolutions", 40, make, is_classic=True)

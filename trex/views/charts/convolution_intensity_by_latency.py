"""Arithmetic intensity of each convolution, colored by its latency.

What it shows: slow convolutions of low intensity are where less data, as a narrower type, would help.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import convolution_bars
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    title, axis = "Convolution arithmetic intensity (color = latency)", Axis("multiply-adds per byte")
    shade = ("latency.avg_time", Axis("average time", "ms"))
    return convolution_bars(subject, title, "attr.arithmetic_intensity", axis, shade=shade)


CHART = Chart("Convolution arithmetic intensity (color = latency)", "convolutions", 110, make, is_classic=True)

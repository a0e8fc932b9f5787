"""Latency of each convolution, colored by precision.

What it shows: which convolutions stayed in a wider precision, and what they cost.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import convolution_bars
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    return convolution_bars(
        subject, "Latency per layer (color = precision)", "latency.avg_time", Axis("average time", "ms"), by="precision"
    )


CHART = Chart("Latency per layer (color = precision)", "convolutions", 10, make, is_classic=True)

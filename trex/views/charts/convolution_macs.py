"""Multiply-adds of each convolution.

What it shows: where the arithmetic is.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import convolution_bars
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    return convolution_bars(subject, "Convolution FMAs", "attr.macs", Axis("multiply-adds", ""), by="precision")


CHART = Chart("Convolution FMAs", "convolutions", 90, make, is_classic=True)

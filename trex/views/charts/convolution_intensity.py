"""Arithmetic intensity of each convolution: multiply-adds per byte of inputs, outputs and weights.

What it shows: bars below the ridge of the roofline are bound by memory whatever the kernel.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import convolution_bars
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    return convolution_bars(
        subject,
        "Convolution arithmetic intensity",
        "attr.arithmetic_intensity",
        Axis("multiply-adds per byte", ""),
        by="precision",
    )


CHART = Chart("Convolution arithmetic intensity", "convolutions", 100, make, is_classic=True)

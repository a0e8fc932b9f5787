"""Multiply-adds per millisecond of each convolution.

What it shows: low bars compute below what others reach on the same device.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import convolution_bars
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    return convolution_bars(
        subject,
        "Convolution compute efficiency",
        "attr.compute_efficiency",
        Axis("multiply-adds per ms", ""),
        by="precision",
    )


CHART = Chart("Convolution compute efficiency", "convolutions", 120, make, is_classic=True)

"""Bytes that each convolution has to move at least: inputs, outputs and weights.

What it shows: where memory traffic is.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import convolution_bars
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    return convolution_bars(
        subject,
        "Convolution data footprints",
        "total_footprint_bytes",
        Axis("inputs, outputs and weights", "bytes"),
        by="type",
    )


CHART = Chart("Convolution data footprints", "convolutions", 80, make, is_classic=True)

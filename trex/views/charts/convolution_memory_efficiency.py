"""Bytes per millisecond of each convolution.

What it shows: low bars with low compute efficiency reach neither limit: look at their tactic and shapes.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import convolution_bars
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    return convolution_bars(
        subject,
        "Convolution memory efficiency",
        "attr.memory_efficiency",
        Axis("bytes per ms", "bytes"),
        by="precision",
    )


CHART = Chart("Convolution memory efficiency", "convolutions", 130, make, is_classic=True)

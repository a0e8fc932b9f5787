"""Distribution of the bytes of inputs, outputs and weights over layers.

What it shows: whether a few layers or all of them make the total.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import size_histogram
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    return size_histogram(
        subject,
        "Total footprint distribution per layer",
        "total_footprint_bytes",
        Axis("inputs, outputs and weights", "bytes"),
    )


CHART = Chart("Total footprint distribution per layer", "memory", 60, make, is_classic=True)

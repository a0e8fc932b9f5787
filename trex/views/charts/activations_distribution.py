"""Distribution of the bytes of inputs and outputs over layers.

What it shows: whether a few layers or all of them make the total.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import size_histogram
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    return size_histogram(
        subject,
        "Activation footprint distribution per layer",
        "total_io_size_bytes",
        Axis("inputs and outputs", "bytes"),
    )


CHART = Chart("Activation footprint distribution per layer", "memory", 40, make, is_classic=True)

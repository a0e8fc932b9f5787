"""Distribution of the bytes of weights over layers.

What it shows: whether a few layers or all of them make the total.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import size_histogram
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    return size_histogram(subject, "Weights footprint distribution per layer", "weights_size", Axis("weights", "bytes"))


CHART = Chart("Weights footprint distribution per layer", "memory", 20, make, is_classic=True)

"""Convolutions and matrix products: N against latency.

What it shows: how the time of products grows with N.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import product_points
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    axes = (Axis("N"), Axis("average time", "ms"))
    return product_points(subject, "N against latency", ("attr.N", "latency.avg_time"), axes)


CHART = Chart("N against latency", "products", 60, make, is_classic=True)

"""Convolutions and matrix products: K against latency.

What it shows: how the time of products grows with K.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import product_points
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    axes = (Axis("K"), Axis("average time", "ms"))
    return product_points(subject, "K against latency", ("attr.K", "latency.avg_time"), axes)


CHART = Chart("K against latency", "products", 70, make, is_classic=True)

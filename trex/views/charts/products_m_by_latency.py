"""Convolutions and matrix products: M against latency.

What it shows: how the time of products grows with M.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import product_points
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    axes = (Axis("M"), Axis("average time", "ms"))
    return product_points(subject, "M against latency", ("attr.M", "latency.avg_time"), axes)


CHART = Chart("M against latency", "products", 50, make, is_classic=True)

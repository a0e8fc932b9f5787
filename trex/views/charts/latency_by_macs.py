"""Latency against multiply-adds of convolutions and matrix products.

What it shows: products that lie far from the others of their size.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import product_points
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    axes = (Axis("multiply-adds", ""), Axis("average time", "ms"))
    return product_points(subject, "Latency against FMAs", ("attr.macs", "latency.avg_time"), axes)


CHART = Chart("Latency against FMAs", "efficiency", 20, make, is_classic=True)

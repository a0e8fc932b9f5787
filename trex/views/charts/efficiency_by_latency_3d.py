"""Compute efficiency, memory efficiency and latency of products, in space.

What it shows: slow products that use neither the arithmetic nor the memory of the device well.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import product_points
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    columns = ("attr.compute_efficiency", "attr.memory_efficiency", "latency.avg_time")
    axes = (Axis("multiply-adds per ms"), Axis("bytes per ms", "bytes"), Axis("average time", "ms"))
    return product_points(subject, "Efficiency against latency", columns, axes)


CHART = Chart("Efficiency against latency", "efficiency", 10, make, is_classic=True)

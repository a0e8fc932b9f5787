"""Memory against compute efficiency of convolutions and matrix products.

What it shows: products that lie far from the others of their size.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import product_points
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    axes = (Axis("multiply-adds per ms", ""), Axis("bytes per ms", "bytes"))
    return product_points(
        subject, "Memory against compute efficiency", ("attr.compute_efficiency", "attr.memory_efficiency"), axes
    )


CHART = Chart("Memory against compute efficiency", "efficiency", 70, make, is_classic=True)

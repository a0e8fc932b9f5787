"""Compute efficiency against arithmetic intensity of convolutions and matrix products.

What it shows: products that lie far from the others of their size.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import product_points
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    axes = (Axis("multiply-adds per byte", ""), Axis("multiply-adds per ms", ""))
    return product_points(
        subject,
        "Compute efficiency against arithmetic intensity",
        ("attr.arithmetic_intensity", "attr.compute_efficiency"),
        axes,
    )


CHART = Chart("Compute efficiency against arithmetic intensity", "efficiency", 50, make, is_classic=True)

"""Convolutions and matrix products in space, by their sizes as implicit GEMM, colored by multiply-adds per byte.

What it shows: which sizes of products are slow or fast. M counts output positions, N output channels, K what is summed.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import product_points
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    axes = (Axis("M"), Axis("N"), Axis("K"))
    shade = ("attr.arithmetic_intensity", Axis("multiply-adds per byte", ""))
    return product_points(
        subject, "M, N and K of products (color = arithmetic intensity)", ("attr.M", "attr.N", "attr.K"), axes, shade
    )


CHART = Chart("M, N and K of products (color = arithmetic intensity)", "products", 20, make, is_classic=True)

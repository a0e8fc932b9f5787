"""Convolutions and matrix products in space, by their sizes as implicit GEMM, colored by bytes per ms.

What it shows: which sizes of products are slow or fast. M counts output positions, N output channels, K what is summed.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import product_points
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    axes = (Axis("M"), Axis("N"), Axis("K"))
    shade = ("attr.memory_efficiency", Axis("bytes per ms", "bytes"))
    return product_points(
        subject, "M, N and K of products (color = memory efficiency)", ("attr.M", "attr.N", "attr.K"), axes, shade
    )


CHART = Chart("M, N and K of products (color = memory efficiency)", "products", 40, make, is_classic=True)

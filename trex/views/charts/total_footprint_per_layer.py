"""Bytes of inputs, outputs and weights per layer, in execution order.

What it shows: which layers hold or move most. Unknown sizes are left out and counted.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import layer_sizes
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    return layer_sizes(
        subject, "Total footprint per layer", "total_footprint_bytes", Axis("inputs, outputs and weights", "bytes")
    )


CHART = Chart("Total footprint per layer", "memory", 50, make, is_classic=True)

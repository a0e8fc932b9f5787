"""Bytes of inputs and outputs per layer, in execution order.

What it shows: which layers hold or move most. Unknown sizes are left out and counted.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import layer_sizes
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    return layer_sizes(
        subject, "Activation footprint per layer", "total_io_size_bytes", Axis("inputs and outputs", "bytes")
    )


CHART = Chart("Activation footprint per layer", "memory", 30, make, is_classic=True)

"""Latency per layer, colored by the precision of its first output.

What it shows: layers that compute in one precision and write another, as quantized convolutions that write floats.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import layer_times
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    return layer_times(
        subject, "Output precision per layer", "latency.avg_time", Axis("average time", "ms"), by="output_precision"
    )


CHART = Chart("Output precision per layer", "performance", 50, make, is_classic=True)

"""Latency per layer, colored by the precision the layer computes in.

What it shows: which precisions the time is spent in, and where in the engine one changes into another.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import layer_times
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    return layer_times(subject, "Precision per layer", "latency.avg_time", Axis("average time", "ms"), by="precision")


CHART = Chart("Precision per layer", "performance", 40, make, is_classic=True)

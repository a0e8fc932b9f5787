"""Latency per layer in milliseconds, in execution order, colored by type.

What it shows: one bar per layer, its average time. Tall bars are where time goes; bars that repeat are the blocks of
the model.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import layer_times
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    return layer_times(subject, "Latency per layer (ms)", "latency.avg_time", Axis("average time", "ms"), by="type")


CHART = Chart("Latency per layer (ms)", "performance", 20, make, is_classic=True)

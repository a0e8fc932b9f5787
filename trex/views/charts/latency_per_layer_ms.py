"""Latency per layer in milliseconds, in execution order, coloured by type.

What it shows: one bar per layer, its average time. Tall bars are where time goes; bars that repeat are the blocks of
the model.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import NOT_PROFILED, known_note, layer_bars
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    frame = subject.frame
    if frame["latency.avg_time"].isna().all():
        return NOT_PROFILED
    return layer_bars(
        frame,
        "Latency per layer",
        "latency.avg_time",
        Axis("average time", "ms"),
        note=known_note(frame["latency.avg_time"], "is not profiled", "are not profiled"),
    )


CHART = Chart("Latency per layer (ms)", "performance", 20, make, is_classic=True)

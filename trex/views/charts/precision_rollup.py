"""Layers and time by precision.

What it shows: two circles, how many layers compute in each precision and how much of the time they take. A precision
with few layers and much time is where a narrower one would pay.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import NO_LAYERS, column, known_note, shares
from trex.views.palette import PRECISION_COLORS
from trex.views.plot import Empty, Pies, Plot


def make(subject: Subject) -> Plot | Empty:
    frame = subject.frame
    if frame.empty:
        return NO_LAYERS
    circles = [shares(frame, "layers", "precision")]
    times = column(frame, "latency.avg_time")
    if times.notna().any():
        circles.append(shares(frame, "time", "precision", "latency.avg_time", "ms"))
    return Pies(
        "Precision rollup",
        pies=circles,
        colors=PRECISION_COLORS,
        note=known_note(times, "is not profiled", "are not profiled"),
    )


CHART = Chart("Precision rollup", "performance", 100, make, is_classic=True)

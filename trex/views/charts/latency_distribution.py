"""Distribution of layer latencies.

What it shows: how many layers take how long, colored by type. A tail on the right is worth a look each; a heap at the
left is many small kernels, which pay for their launches.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import NOT_PROFILED, colors_for, column, known_note, texts
from trex.views.plot import Axis, Empty, Histogram, Plot


def make(subject: Subject) -> Plot | Empty:
    times = column(subject.frame, "latency.avg_time")
    if times.isna().all():
        return NOT_PROFILED
    return Histogram(
        "Layer latency distribution",
        values=times.tolist(),
        value_axis=Axis("average time", "ms"),
        keys=texts(subject.frame, "type"),
        key_title="type",
        note=known_note(times, "is not profiled", "are not profiled"),
        colors=colors_for("type"),
    )


CHART = Chart("Layer latency distribution", "performance", 30, make, is_classic=True)

"""Time by type of layer and precision, as a table of shades.

What it shows: which kinds of layers spend how much time in which precision: a dark cell in a wide precision is where a
narrower type would pay most.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import NOT_PROFILED, column, known_note, texts
from trex.views.plot import Axis, Empty, Heatmap, Plot


def make(subject: Subject) -> Plot | Empty:
    times = column(subject.frame, "latency.avg_time")
    if not times.notna().any():
        return NOT_PROFILED
    kinds, precisions = texts(subject.frame, "type"), texts(subject.frame, "precision")
    sums: dict[tuple[str, str], float] = {}
    for kind, precision, time in zip(kinds, precisions, times.tolist(), strict=True):
        if time == time:
            sums[kind, precision] = sums.get((kind, precision), 0.0) + time
    by_kind = {kind: sum(each for key, each in sums.items() if key[0] == kind) for kind, _ in sums}
    rows = sorted(by_kind, key=lambda kind: -by_kind[kind])
    columns = sorted({precision for _, precision in sums})
    return Heatmap(
        "Time by type and precision",
        rows,
        columns,
        [[sums.get((row, each)) for each in columns] for row in rows],
        Axis("type"),
        Axis("precision"),
        Axis("sum of average times", "ms"),
        note=known_note(times, "is not profiled", "are not profiled"),
    )


CHART = Chart("Time by type and precision", "performance", 95, make)

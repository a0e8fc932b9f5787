"""Reformat layers by their origin: how many, and how long they take.

What it shows: why TensorRT put reformats in: at bindings, between formats (REFORMAT), around plugins, for slices and
concatenations, for Q/DQ.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import column, no_layers_of, rows_of, shares
from trex.views.plot import Empty, Pies, Plot


def make(subject: Subject) -> Plot | Empty:
    rows = rows_of(subject, "Reformat")
    if rows.empty:
        return no_layers_of("Reformat")
    circles = [shares(rows, "layers", "attr.origin")]
    if column(rows, "latency.avg_time").notna().any():
        circles.append(shares(rows, "time", "attr.origin", "latency.avg_time", "ms"))
    return Pies("Reformats by origin", pies=circles)


CHART = Chart("Reformats by origin", "reformats", 10, make, is_classic=True)

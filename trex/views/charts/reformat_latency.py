"""Latency of each Reformat layer, colored by its origin.

What it shows: which conversions cost most.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import no_layers_of, rows_of, timed_bars
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    rows = rows_of(subject, "Reformat")
    if rows.empty:
        return no_layers_of("Reformat")
    return timed_bars(rows, "Reformat latency", "latency.avg_time", Axis("average time", "ms"), by="attr.origin")


CHART = Chart("Reformat latency", "reformats", 20, make, is_classic=True)

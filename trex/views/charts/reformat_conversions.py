"""Time of Reformat layers by what they convert: type and layout before and after.

What it shows: the crossings between types and layouts, by cost. Without a profile they are counted.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import column, conversion_texts, grouped_bars, no_layers_of, rows_of
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    rows = rows_of(subject, "Reformat")
    if rows.empty:
        return no_layers_of("Reformat")
    rows = rows.assign(conversion=conversion_texts(subject, rows))
    is_timed = bool(column(rows, "latency.avg_time").notna().any())
    axis = Axis("sum of average times", "ms") if is_timed else Axis("layers")
    return grouped_bars(rows, "Reformats by conversion", "conversion", "latency.avg_time" if is_timed else None, axis)


CHART = Chart("Reformats by conversion", "reformats", 30, make, is_classic=True)

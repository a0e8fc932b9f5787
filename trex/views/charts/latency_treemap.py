"""Time by type, precision and layer, as areas.

What it shows: the same as the sunburst, easier to compare where layers are many.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import layer_tree
from trex.views.plot import Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    return layer_tree(subject, "Latency by type and precision", ("type", "precision", "Name"), "treemap")


CHART = Chart("Latency by type and precision", "performance", 120, make)

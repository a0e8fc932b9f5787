"""Time by type and layer, as rings.

What it shows: the types in the middle, their layers around, each as wide as its time.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import layer_tree
from trex.views.plot import Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    return layer_tree(subject, "Latency by type and layer", ("type", "Name"), "sunburst")


CHART = Chart("Latency by type and layer", "performance", 110, make)

"""Number of layers of each type, colored by precision.

What it shows: which types stayed in a wider precision than the rest.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import NO_LAYERS, grouped_bars
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    if subject.frame.empty:
        return NO_LAYERS
    return grouped_bars(subject.frame, "Precision per layer type", "type", None, Axis("layers"), by="precision")


CHART = Chart("Precision per layer type", "performance", 90, make, is_classic=True)

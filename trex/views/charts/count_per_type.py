"""Number of layers of each type.

What it shows: what the engine is made of. Many Reformat layers beside few others are worth a look.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import NO_LAYERS, grouped_bars
from trex.views.plot import Axis, Empty, Plot


def make(subject: Subject) -> Plot | Empty:
    if subject.frame.empty:
        return NO_LAYERS
    return grouped_bars(subject.frame, "Count per layer type", "type", None, Axis("layers"))


CHART = Chart("Count per layer type", "performance", 60, make, is_classic=True)

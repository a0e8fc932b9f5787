"""Bytes of activations that are live while each layer runs.

What it shows: where the peak is that decides how much memory the engine needs for activations, and how long it lasts.
The layers' inputs and outputs that the caller owns and the weights are not in it.
"""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import NO_LAYERS
from trex.views.plot import Axis, Empty, Lines, Plot


def make(subject: Subject) -> Plot | Empty:
    performance = subject.performance
    if performance is None or not performance.plan.layers:
        return NO_LAYERS
    memory = performance.memory
    if memory.peak is None:
        return Empty(
            "no layer tells the sizes of its tensors", "export the graph of an engine built with detailed verbosity"
        )
    live = [float(value) for value in memory.timeline.live_bytes.tolist()]
    unknown = memory.activations.unknown_count
    return Lines(
        "Memory of activations",
        [float(place) for place in range(len(live))],
        {"live activations": live},
        Axis("layer"),
        Axis("live activations", "bytes"),
        steps=True,
        fills=True,
        levels={"peak": float(memory.peak.size_bytes)},
        note=f"{unknown} tensors of unknown size are not in it" if unknown else "",
    )


CHART = Chart("Memory timeline", "memory", 70, make)

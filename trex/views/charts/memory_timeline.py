"""Bytes of activations that are live while each layer runs."""

from __future__ import annotations

from trex.views.chart import Chart, Subject
from trex.views.charting import NO_LAYERS, NO_SIZES
from trex.views.plot import Axis, Empty, Lines


def _draw(subject: Subject) -> Lines | Empty:
    performance = subject.performance
    if performance is None or not performance.plan.working_layers:
        return NO_LAYERS
    memory = performance.memory
    if memory.peak is None:
        return NO_SIZES
    live = [float(size) for size in memory.timeline.live_bytes.tolist()]
    unknown = memory.activations.unknown_count
    return Lines(
        [float(row) for row in range(len(live))],
        {"live activations": live},
        Axis("layer"),
        Axis("live activations", "bytes"),
        steps=True,
        fills=True,
        levels={"peak": float(memory.peak.size_bytes)},
        note=f"without {unknown} tensors of unknown size" if unknown else "",
    )


CHARTS = (
    Chart(
        "memory-timeline",
        "Memory timeline",
        "The peak decides how much memory the engine needs for activations; the chart shows where it is and how long "
        "it lasts. Weights, and inputs and outputs of the engine, are not included.",
        _draw,
        "memory",
    ),
)

"""How long a layer takes, against the slowest that is drawn: from pale yellow to dark red."""

from __future__ import annotations

from math import isfinite

from trex.graph.plan_graph import PlanGraph
from trex.views.diagram.coloring import Coloring, Latency, Paint
from trex.views.palette import UNKNOWN_COLOR
from trex.views.table import milliseconds

# Steps of one ramp, each darker than the one before; each with the part of the slowest time it begins at.
_STEPS = (
    (0.0, "#fff7dc"),
    (0.02, "#ffe7a3"),
    (0.05, "#fecb66"),
    (0.12, "#fd9a3c"),
    (0.3, "#f4602a"),
    (0.55, "#d7261e"),
    (0.8, "#8b0a1a"),
)


def paint(graph: PlanGraph, latency: Latency) -> list[Paint]:
    times = [node.ms(latency) for node in graph.layer_nodes]
    slowest = max((ms for ms in times if ms is not None and isfinite(ms)), default=0.0)
    words = [f"{milliseconds(part * slowest)} ms and more" if part else "less" for part, _ in _STEPS]
    paints = []
    for ms in times:
        if ms is None or not isfinite(ms):
            paints.append(Paint(UNKNOWN_COLOR, "not measured", len(_STEPS) + 1))
            continue
        step = max((i for i, (part, _) in enumerate(_STEPS) if ms >= part * slowest), default=0) if slowest > 0 else 0
        paints.append(Paint(_STEPS[step][1], words[step], len(_STEPS) - step))
    return paints


COLORING = Coloring("Layers by time", paint, is_of_boxes=True)

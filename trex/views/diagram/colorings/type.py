"""What a layer does: one hue for each kind of work."""

from __future__ import annotations

from trex.graph.plan_graph import PlanGraph
from trex.views.diagram.coloring import Coloring, Latency, Paint
from trex.views.palette import LAYER_COLORS


def paint(graph: PlanGraph, latency: Latency) -> list[Paint]:
    return [Paint(LAYER_COLORS[node.layer.type], node.layer.type) for node in graph.layer_nodes]


COLORING = Coloring("Layers by type", paint)

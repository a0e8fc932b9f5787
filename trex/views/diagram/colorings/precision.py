"""The type a layer computes in: FP32 red, FP16 orange, INT8 green …; gray if unknown."""

from __future__ import annotations

from trex.graph.plan_graph import LayerNode, PlanGraph
from trex.views.diagram.coloring import SEVERAL, Coloring, Latency, Paint
from trex.views.palette import PRECISION_COLORS


def paint(graph: PlanGraph, latency: Latency) -> list[Paint]:
    return [_paint(node) for node in graph.layer_nodes]


def _paint(node: LayerNode) -> Paint:
    if node.closed is not None and len({layer.precision for layer in node.layers}) > 1:
        return SEVERAL
    return Paint(PRECISION_COLORS[node.layer.precision], node.layer.precision)


COLORING = Coloring("Layers by precision", paint)

"""The stream a layer runs on: what has different colors may run at the same time."""

from __future__ import annotations

from dataclasses import replace

from trex.graph.plan_graph import LayerNode, PlanGraph
from trex.views.diagram.coloring import SEVERAL, Coloring, Latency, Paint
from trex.views.palette import UNKNOWN_COLOR, colors_of


def paint(graph: PlanGraph, latency: Latency) -> list[Paint]:
    streams = sorted({node.layer.stream for node in graph.layer_nodes if node.layer.stream is not None})
    colors = colors_of([str(stream) for stream in streams])
    paints: dict[int | None, Paint] = {
        stream: Paint(colors[str(stream)], f"stream {stream}", rank) for rank, stream in enumerate(streams, 1)
    }
    paints[None] = Paint(UNKNOWN_COLOR, "not reported", len(streams) + 1)
    several = replace(SEVERAL, rank=len(streams) + 2)
    return [several if _is_mixed(node) else paints[node.layer.stream] for node in graph.layer_nodes]


def _is_mixed(node: LayerNode) -> bool:
    return node.closed is not None and len({layer.stream for layer in node.layers}) > 1


COLORING = Coloring("Layers by stream", paint)

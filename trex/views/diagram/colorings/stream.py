"""The stream a layer runs on: what has different colours may run at the same time."""

from __future__ import annotations

from collections.abc import Sequence

from trex.graph.plan_graph import LayerNode
from trex.views.diagram.coloring import Coloring, Latency, Paint
from trex.views.palette import UNKNOWN_COLOR, colors_of


def paint(nodes: Sequence[LayerNode], latency: Latency) -> list[Paint]:
    streams = sorted({node.layer.stream for node in nodes if node.layer.stream is not None})
    colors = colors_of([str(stream) for stream in streams])
    place = {stream: number for number, stream in enumerate(streams, 1)}
    return [
        Paint(UNKNOWN_COLOR, "not reported", len(streams) + 1)
        if node.layer.stream is None
        else Paint(colors[str(node.layer.stream)], f"stream {node.layer.stream}", place[node.layer.stream])
        for node in nodes
    ]


COLORING = Coloring("Layers by stream", paint)

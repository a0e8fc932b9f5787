"""Node data for Model Explorer: the layers' times, or the values of --color-by, to lay over the graph of one engine."""

from __future__ import annotations

from trex.export.diagram import DiagramFormat, Drawing
from trex.export.graph_facts import GraphFacts
from trex.export.model_explorer import node_data_json


def render(drawing: Drawing) -> str:
    return node_data_json(GraphFacts(drawing.whole_graph, drawing.plan, drawing.style))


FORMAT = DiagramFormat((".node-data.json",), render)

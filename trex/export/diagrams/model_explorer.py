"""Model Explorer: the graph for Google's viewer of large models, layers in boxes of their modules."""

from __future__ import annotations

from trex.export.diagram import DiagramFormat, Drawing
from trex.export.graph_facts import GraphFacts
from trex.export.model_explorer import model_explorer_json


def render(drawing: Drawing) -> str:
    return model_explorer_json(GraphFacts(drawing.whole_graph, drawing.plan, drawing.style))


FORMAT = DiagramFormat((".model-explorer.json",), render)

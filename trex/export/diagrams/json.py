"""JSON: the graph as data, in node-link form; what is not known is null."""

from __future__ import annotations

from trex.export.diagram import DiagramFormat, Drawing
from trex.export.graph_document import graph_json
from trex.export.graph_facts import GraphFacts


def render(drawing: Drawing) -> str:
    return graph_json(GraphFacts(drawing.whole_graph, drawing.plan, drawing.style))


FORMAT = DiagramFormat((".json",), render)

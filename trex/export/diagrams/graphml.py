"""GraphML: the graph as typed data, for networkx, Gephi, yEd and Cytoscape."""

from __future__ import annotations

from trex.export.diagram import DiagramFormat, Drawing
from trex.export.graph_facts import GraphFacts
from trex.export.graphml import graphml_text


def render(drawing: Drawing) -> str:
    return graphml_text(GraphFacts(drawing.whole_graph, drawing.plan, drawing.style))


FORMAT = DiagramFormat((".graphml",), render)

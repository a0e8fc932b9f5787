"""Public: the graph of a plan, and how layers are coloured, under the names TREx users know.

Differs from NVIDIA's TREx: nodes are plain frozen facts (an edge holds node ids, not ports); a tensor name reused over
time is told apart into generations without regions as nodes; drawing needs no graphviz.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.graph.build import DrawablePlan, build_graph
from trex.graph.plan_graph import Edge, LayerNode, MemoryNode
from trex.graph.plan_graph import PlanGraph as _PlanGraph
from trex.views.diagram.colors import box_color
from trex.views.diagram.labels import layer_tooltip
from trex.views.diagram.style import LATENCY_TYPES, DiagramStyle

latency_types = LATENCY_TYPES

__all__ = [
    "Edge",
    "LayerNode",
    "MemoryNode",
    "PlanGraph",
    "latency_types",
    "layer_node_formatters",
    "layer_precision_formatter",
    "layer_type_formatter",
]


class PlanGraph(_PlanGraph):
    """The data flow of a plan: ``nodes``, ``layer_nodes``, ``memory_nodes``, ``edges`` (``edges_list``)."""

    def __init__(self, plan: DrawablePlan, *, include_constants: bool = False) -> None:
        graph = build_graph(plan, include_constants)
        super().__init__(graph.nodes, graph.edges, graph.generations, graph.name)


def layer_type_formatter(layer: Layer) -> dict[str, str]:
    """Attributes of a layer's node (Graphviz names), coloured by the layer's type."""
    return _node_attributes(layer, DiagramStyle(color_by="type"))


def layer_precision_formatter(layer: Layer) -> dict[str, str]:
    """Attributes of a layer's node (Graphviz names), coloured by the precision it computes in."""
    return _node_attributes(layer, DiagramStyle(color_by="precision"))


layer_node_formatters = {
    "layer_type": layer_type_formatter,
    "layer_precision_formatter": layer_precision_formatter,
}


def _node_attributes(layer: Layer, style: DiagramStyle) -> dict[str, str]:
    return {
        "style": "filled",
        "shape": "box",
        "fillcolor": box_color(layer, style),
        "color": "lightgray",
        "fontname": "Helvetica",
        "tooltip": layer_tooltip(layer, None, None),
    }

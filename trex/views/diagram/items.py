"""PlanGraph → items: what becomes a box each, in the order of the data flow, and the edges between them."""

from __future__ import annotations

from dataclasses import dataclass

from trex.graph.plan_graph import BETWEEN_KINDS, Edge, LayerNode, MemoryNode, PlanGraph

MOST_ALONE = 1_000
"""Inputs, and outputs, that no wire reaches and that have boxes of their own: real engines have fewer."""


@dataclass(slots=True)
class Item:
    """What will be a box: a layer, or one or several memory nodes.

    order: where it stands in the execution order. group: position in the graph's groups of the innermost around it.
    """

    order: tuple[float, int]
    layer: LayerNode | None
    memory: tuple[MemoryNode, ...]
    group: int | None = None

    @property
    def id(self) -> int:
        return self.layer.id if self.layer is not None else self.memory[0].id

    @property
    def is_dangling(self) -> bool:
        return bool(self.memory) and self.memory[0].kind == "dangling"

    @property
    def name(self) -> str:
        if self.layer is not None:
            return self.layer.layer.name
        first = self.memory[0]
        return first.origin if first.kind in ("from", "to") else first.name

    @property
    def layer_names(self) -> tuple[str, ...]:
        """Of the layer, or of all that it stands for."""
        return () if self.layer is None else tuple([layer.name for layer in self.layer.layers])


def items_of(graph: PlanGraph) -> tuple[list[Item], dict[int, int], list[tuple[Edge, int]]]:
    """Boxes to be, in an order along which data flows; each node's place in it; edges with their source's.

    Of very many inputs or outputs that no wire reaches, those after the first share a box.
    """
    items = []
    dangling: dict[int, list[MemoryNode]] = {}
    alone: dict[str, list[MemoryNode]] = {}
    for node in graph.nodes:
        if isinstance(node, LayerNode):
            items.append(Item((float(node.id), 1), node, (), graph.group_of[node.id]))
        elif node.kind == "dangling":
            # One box for each layer that reads such data, shared by all of it.
            for edge in graph.edges_from[node.id]:
                dangling.setdefault(edge.target, []).append(node)
        elif node.is_user and not graph.edges_from[node.id] and not graph.edges_into[node.id]:
            alone.setdefault(node.kind, []).append(node)
        else:
            items.append(Item(_order(graph, node), None, (node,), graph.group_of[node.id]))
    for nodes in alone.values():
        rest = [tuple(nodes[MOST_ALONE:])] if len(nodes) > MOST_ALONE else []
        for memory in (*((node,) for node in nodes[:MOST_ALONE]), *rest):
            items.append(Item(_order(graph, memory[0]), None, memory, graph.group_of[memory[0].id]))
    for reader, nodes in dangling.items():
        items.append(Item((float(reader), 0), None, tuple(nodes), graph.group_of[reader]))
    items.sort(key=lambda item: item.order)
    index = {item.id: i for i, item in enumerate(items) if not item.is_dangling}
    dangling_index = {int(item.order[0]): i for i, item in enumerate(items) if item.is_dangling}
    edges = []
    for edge in graph.edges:
        source = graph.nodes[edge.source]
        if isinstance(source, MemoryNode) and source.kind == "dangling":
            # One wire for the shared box: that of the first tensor.
            if items[dangling_index[edge.target]].id == edge.source:
                edges.append((edge, dangling_index[edge.target]))
        else:
            edges.append((edge, index[edge.source]))
    return items, index, edges


def _order(graph: PlanGraph, node: MemoryNode) -> tuple[float, int]:
    count = len(graph.layer_nodes)
    if node.kind == "output":
        return (float(count), node.id)
    if node.kind == "to":
        return (max((edge.source for edge in graph.edges_into[node.id]), default=0) + 0.5, node.id)
    if node.kind in BETWEEN_KINDS:
        last = max((edge.source for edge in graph.edges_into[node.id]), default=0)
        return (last + 0.5, node.id)
    readers = [edge.target for edge in graph.edges_from[node.id]]
    return (float(min(readers, default=-1)) - 0.5, node.id)

"""PlanGraph → graph in which each repeated block is drawn once, with the times of all repetitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trex.graph.blocks import Block, find_blocks
from trex.graph.plan_graph import BETWEEN_KINDS, Edge, LayerNode, Layers, MemoryNode, Node, PlanGraph
from trex.graph.subgraph import renumbered


def fold_blocks(graph: PlanGraph) -> PlanGraph:
    """One node per step of a block; its ``folded`` has the layers and times of all repetitions.

    Data from one repetition to the next becomes a carried edge that ``loops``. Data of single repetitions (a part of a
    cache, parameters) becomes one node with a ``count``. Each output of a block is one edge. Returns the
    same graph without repetitions. Linear.
    """
    blocks = find_blocks(graph)
    return _Fold(graph, blocks).folded() if blocks else graph


class _Fold:
    def __init__(self, graph: PlanGraph, blocks: Sequence[Block]) -> None:
        self.graph = graph
        # For each node: the node that replaces it, its repetition and its block (-1 outside blocks).
        self.replacement = list(range(len(graph.nodes)))
        self.repetition = [-1] * len(graph.nodes)
        self.block_of = [-1] * len(graph.nodes)
        self.members: dict[int, list[int]] = {}
        for number, block in enumerate(blocks):
            for step in range(block.length * block.count):
                node = block.first + step
                first = block.first + step % block.length
                self.replacement[node], self.repetition[node] = first, step // block.length
                self.block_of[node] = number
                self.members.setdefault(first, []).append(node)

    def folded(self) -> PlanGraph:
        graph = self.graph
        shared: dict[tuple[object, ...], int] = {}
        counts: dict[int, int] = {}
        # Memory between layers belongs to its writer's repetition, which must be known before the readers'.
        for node in graph.memory_nodes:
            key = self._key(node)
            if key is None:
                continue
            first = shared.setdefault(key, node.id)
            self.replacement[node.id] = first
            counts[first] = counts.get(first, 0) + 1
        nodes = [self._node(node, counts) for node in graph.nodes if self.replacement[node.id] == node.id]
        return renumbered(graph, nodes, self._edges())

    def _key(self, node: MemoryNode) -> tuple[object, ...] | None:
        """A key that is equal for memory nodes with one replacement; None for nodes that stay."""
        into, out = self.graph.edges_into[node.id], self.graph.edges_from[node.id]
        if node.kind in BETWEEN_KINDS:
            if not into:
                return None
            writer = max(edge.source for edge in into)
            if self.repetition[writer] < 0:
                return None
            self.repetition[node.id], self.block_of[node.id] = self.repetition[writer], self.block_of[writer]
            return (node.kind, self.replacement[writer], self._slot(writer, node.name, "outputs"))
        near = [(edge.target, "inputs") for edge in out] + [(edge.source, "outputs") for edge in into]
        if not near or len({self.repetition[other] for other, _ in near}) > 1 or self.repetition[near[0][0]] < 0:
            return None
        self.repetition[node.id], self.block_of[node.id] = self.repetition[near[0][0]], self.block_of[near[0][0]]
        ends = [(self.replacement[other], way, self._slot(other, node.name, way)) for other, way in near]
        return (node.kind, *sorted(ends))

    def _slot(self, node: int, name: str, way: str) -> int:
        there = self.graph.nodes[node]
        if not isinstance(there, LayerNode):
            return -1
        tensors = there.layer.inputs if way == "inputs" else there.layer.outputs
        # Further tensors of one layer are not distinguished.
        return next((slot for slot, tensor in enumerate(tensors[:64]) if tensor.name == name), -1)

    def _node(self, node: Node, counts: dict[int, int]) -> Node:
        if isinstance(node, MemoryNode):
            count = 1 if node.kind in BETWEEN_KINDS else counts.get(node.id, 1)
            return replace(node, count=count) if count > 1 else node
        members = self.members.get(node.id)
        if members is None:
            return node
        steps = [step for step in (self.graph.nodes[member] for member in members) if isinstance(step, LayerNode)]
        return replace(node, folded=Layers(tuple([step.layer for step in steps]), tuple([step.time for step in steps])))

    def _edges(self) -> list[Edge]:
        """The edges with replaced ends. Of coinciding edges, those of the first pair of nodes are kept."""
        owner: dict[tuple[int, int, bool], tuple[int, int]] = {}
        edges = []
        for edge in self.graph.edges:
            source, target = self.replacement[edge.source], self.replacement[edge.target]
            block = self.block_of[edge.source]
            loops = (
                block >= 0
                and block == self.block_of[edge.target]
                and self.repetition[edge.source] != self.repetition[edge.target]
            )
            pair = (edge.source, edge.target)
            if owner.setdefault((source, target, loops), pair) != pair:
                continue
            if loops:
                edges.append(replace(edge, source=source, target=target, carried=True, loops=True))
            else:
                edges.append(replace(edge, source=source, target=target))
        return edges

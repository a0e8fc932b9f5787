"""PlanGraph → the same graph with each repeated block drawn once, carrying the times of all its repetitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trex.graph.blocks import Block, find_blocks
from trex.graph.part import renumbered
from trex.graph.plan_graph import BETWEEN_KINDS, Edge, Folded, LayerNode, MemoryNode, Node, PlanGraph


def fold_blocks(graph: PlanGraph, blocks: Sequence[Block] | None = None) -> PlanGraph:
    """One node for each step of a block; its ``folded`` has the layers and times of all repetitions.

    What a repetition hands to the next becomes a carried edge that ``loops``. Data that each repetition has for
    itself (its part of a cache, its parameters) becomes one node with a ``count``. What leaves a block leaves it
    once. blocks: as ``find_blocks`` finds them, unless given. The graph itself when nothing repeats. Linear.
    """
    blocks = find_blocks(graph) if blocks is None else blocks
    return _Fold(graph, blocks).made() if blocks else graph


class _Fold:
    def __init__(self, graph: PlanGraph, blocks: Sequence[Block]) -> None:
        self.graph = graph
        # The node that stands for a node, and the repetition this one is in: -1 outside of blocks.
        self.stand_in = list(range(len(graph.nodes)))
        self.repetition = [-1] * len(graph.nodes)
        self.block_of = [-1] * len(graph.nodes)
        self.members: dict[int, list[int]] = {}
        for number, block in enumerate(blocks):
            for step in range(block.length * block.count):
                node = block.first + step
                first = block.first + step % block.length
                self.stand_in[node], self.repetition[node] = first, step // block.length
                self.block_of[node] = number
                self.members.setdefault(first, []).append(node)

    def made(self) -> PlanGraph:
        graph = self.graph
        shared: dict[tuple[object, ...], int] = {}
        counts: dict[int, int] = {}
        # Memory between layers stands where its writer does, and must be settled before what reads it.
        for node in graph.memory_nodes:
            key = self._key(node)
            if key is None:
                continue
            first = shared.setdefault(key, node.id)
            self.stand_in[node.id] = first
            counts[first] = counts.get(first, 0) + 1
        nodes = [self._node(node, counts) for node in graph.nodes if self.stand_in[node.id] == node.id]
        return renumbered(graph, nodes, self._edges())

    def _key(self, node: MemoryNode) -> tuple[object, ...] | None:
        """What nodes of memory share that one of them stands for; None for one that stands for itself."""
        into, out = self.graph.edges_into[node.id], self.graph.edges_from[node.id]
        if node.kind in BETWEEN_KINDS:
            if not into:
                return None
            writer = max(edge.source for edge in into)
            if self.repetition[writer] < 0:
                return None
            self.repetition[node.id], self.block_of[node.id] = self.repetition[writer], self.block_of[writer]
            return (node.kind, self.stand_in[writer], self._slot(writer, node.name, "outputs"))
        near = [(edge.target, "inputs") for edge in out] + [(edge.source, "outputs") for edge in into]
        if not near or len({self.repetition[other] for other, _ in near}) > 1 or self.repetition[near[0][0]] < 0:
            return None
        self.repetition[node.id], self.block_of[node.id] = self.repetition[near[0][0]], self.block_of[near[0][0]]
        places = [(self.stand_in[other], way, self._slot(other, node.name, way)) for other, way in near]
        return (node.kind, *sorted(places))

    def _slot(self, node: int, name: str, way: str) -> int:
        there = self.graph.nodes[node]
        if not isinstance(there, LayerNode):
            return -1
        tensors = there.layer.inputs if way == "inputs" else there.layer.outputs
        # Beyond this many, data of one layer is not told apart.
        return next((slot for slot, tensor in enumerate(tensors[:64]) if tensor.name == name), -1)

    def _node(self, node: Node, counts: dict[int, int]) -> Node:
        if isinstance(node, MemoryNode):
            count = 1 if node.kind in BETWEEN_KINDS else counts.get(node.id, 1)
            return replace(node, count=count) if count > 1 else node
        members = self.members.get(node.id)
        if members is None:
            return node
        layers = [there for there in (self.graph.nodes[member] for member in members) if isinstance(there, LayerNode)]
        return replace(
            node, folded=Folded(tuple([each.layer for each in layers]), tuple([each.time for each in layers]))
        )

    def _edges(self) -> list[Edge]:
        """Of the edges that come to lie on one another, those of one pair of nodes: the first that was met."""
        owner: dict[tuple[int, int, bool], tuple[int, int]] = {}
        edges = []
        for edge in self.graph.edges:
            source, target = self.stand_in[edge.source], self.stand_in[edge.target]
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

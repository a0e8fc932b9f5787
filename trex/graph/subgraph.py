"""PlanGraph and some of its nodes → their subgraph, with stubs at the cut edges."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from trex.graph.find import name_of
from trex.graph.plan_graph import Edge, LayerNode, MemoryNode, Node, PlanGraph
from trex.plan.generations import Generation


def subgraph(graph: PlanGraph, keep: Iterable[int]) -> PlanGraph:
    """The graph of these nodes and the edges between them, with new ids; layers keep their ``index``.

    Memory nodes next to a kept layer (engine inputs and outputs, constants, data without a writer) are kept too.
    Cut edges end in a ``from`` node for the writer outside and a ``to`` node for the readers outside, one per value,
    with the first of them as ``origin``. Linear in the graph.
    """
    kept = set(keep)
    kept_layers = {node.id for node in graph.layer_nodes if node.id in kept}
    for edge in graph.edges:
        for near, far in ((edge.source, edge.target), (edge.target, edge.source)):
            if near in kept_layers and isinstance(graph.nodes[far], MemoryNode):
                kept.add(far)
    if len(kept) == len(graph.nodes):
        return graph
    nodes: list[Node] = [node for node in graph.nodes if node.id in kept]
    edges: list[Edge] = []
    stubs: dict[tuple[str, int, str, int], int] = {}
    for edge in graph.edges:
        source, target = edge.source in kept, edge.target in kept
        if source and target:
            edges.append(edge)
        elif source or target:
            kind, outside = ("to", edge.target) if source else ("from", edge.source)
            # One stub per value, however many layers outside read it.
            key = (kind, edge.source, edge.tensor.name, edge.generation)
            stub = stubs.get(key)
            if stub is None:
                stub = stubs[key] = len(graph.nodes) + len(stubs)
                origin = name_of(graph.nodes[outside])
                nodes.append(MemoryNode(stub, kind, edge.tensor.name, edge.tensor, origin, edge.generation))
            elif source:
                continue
            ends = (edge.source, stub) if source else (stub, edge.target)
            edges.append(replace(edge, source=ends[0], target=ends[1], carried=False))
    return renumbered(graph, nodes, edges)


def renumbered(graph: PlanGraph, nodes: Iterable[Node], edges: Iterable[Edge]) -> PlanGraph:
    """A graph of these nodes, with ids from 0: layers in execution order, then memory.

    ``nodes`` and ``edges`` have ids of ``graph``; new nodes have ids after its last.
    """
    ordered = sorted(nodes, key=lambda node: (not isinstance(node, LayerNode), node.id))
    new = {node.id: number for number, node in enumerate(ordered)}
    moved = [replace(edge, source=new[edge.source], target=new[edge.target]) for edge in edges]
    moved.sort(key=lambda edge: edge.target)
    return PlanGraph(
        tuple([replace(node, id=number) for number, node in enumerate(ordered)]),
        tuple(moved),
        tuple(_kept_generations(graph.generations, new)),
        graph.name,
        plan=graph.plan,
        lint=graph.lint,
    )


def _kept_generations(generations: Iterable[Generation], new: dict[int, int]) -> Iterable[Generation]:
    """The values that a kept layer writes or reads, with new ids."""
    for generation in generations:
        writers, readers, carried = (
            tuple([new[number] for number in ids if number in new])
            for ids in (generation.writers, generation.readers, generation.carried_readers)
        )
        if writers or readers or carried:
            yield replace(generation, writers=writers, readers=readers, carried_readers=carried)

"""The model's module tree: layer1 contains layer1/0, which contains layer1/0/conv1."""

from __future__ import annotations

from collections.abc import Sequence

from trex.graph.module_steps import Steps, module_steps, shared_steps
from trex.graph.plan_graph import Edge, LayerNode, PlanGraph


def titles(graph: PlanGraph) -> list[tuple[str, ...]]:
    known: dict[Steps, tuple[str, ...]] = {}
    result = []
    for path in module_paths(graph):
        if path not in known:
            known[path] = tuple(["/".join(path[: depth + 1]) for depth in range(len(path))])
        result.append(known[path])
    return result


def module_paths(graph: PlanGraph) -> list[Steps]:
    """The steps of each layer's module. A layer without a module is in the common module of its neighbors: a reformat
    from ``/layer1/0/conv1`` to ``/layer1/0/conv2`` is in ``layer1/0``."""
    return filled_paths(
        graph, [module_steps(node.layer.module) if node.layer.module else None for node in graph.layer_nodes]
    )


def filled_paths(graph: PlanGraph, own: Sequence[Steps | None]) -> list[Steps]:
    """Each layer's own path; where that is None, what the paths of its neighbors share."""
    nodes = graph.layer_nodes
    before, after = list(own), list(own)
    for node in nodes:
        if own[node.id] is None:
            before[node.id] = _around(graph, before, graph.edges_into[node.id], "source")
    for node in reversed(nodes):
        if own[node.id] is None:
            after[node.id] = _around(graph, after, graph.edges_from[node.id], "target")
    return [path if path is not None else shared_steps((before[i] or (), after[i] or ())) for i, path in enumerate(own)]


def _around(graph: PlanGraph, paths: Sequence[Steps | None], edges: Sequence[Edge], end: str) -> Steps:
    """The common path of the layers at the other ends."""
    others = [getattr(edge, end) for edge in edges if not edge.carried]
    return shared_steps([paths[other] or () for other in others if isinstance(graph.nodes[other], LayerNode)])


GROUPING = titles

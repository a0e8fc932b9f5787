"""PlanGraph with groups → one of at most so many nodes: groups closed from the innermost up, else stretches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trex.core.layer import Layer
from trex.graph.close import close_groups
from trex.graph.plan_graph import Group, LayerNode, PlanGraph

STRETCH = "stretch"
# Closing that leaves less than this part of what may be left tells too little: stretches of layers tell more.
_COARSE = 20


def depths_of(groups: Sequence[Group]) -> list[int]:
    """How many groups are around each group."""
    depths: list[int] = []
    for group in groups:
        depths.append(0 if group.parent is None else depths[group.parent] + 1)
    return depths


def within_limit(graph: PlanGraph, most: int) -> PlanGraph:
    """The graph with so many groups closed, all of one depth, that at most ``most`` nodes are left.

    Where groups are missing, or closing them would leave next to nothing, layers that follow one another are closed
    as groups of the kind ``stretch``. Inputs and outputs of the engine are never closed, so more nodes may be left.
    The graph itself when it is small enough. Linear.
    """
    if len(graph.nodes) <= most:
        return graph
    depths = depths_of(graph.groups)
    left = _left_by_depth(graph, depths)
    depth = max((depth for depth, count in enumerate(left) if count <= most), default=None)
    if depth is not None and left[depth] * _COARSE >= most:
        return _closed_from(graph, depths, depth)
    graph = _closed_from(graph, depths, 0 if depth is None else depth + 1)
    return _in_stretches(graph, most) if len(graph.nodes) > most else graph


def _left_by_depth(graph: PlanGraph, depths: Sequence[int]) -> list[int]:
    """How many nodes are left when all groups of a depth and deeper ones are closed."""
    sizes = [len(group.nodes) for group in graph.groups]
    left = [len(graph.nodes)] * (max(depths, default=-1) + 1)
    for position in range(len(sizes) - 1, -1, -1):
        parent = graph.groups[position].parent
        if parent is not None:
            sizes[parent] += sizes[position]
        left[depths[position]] -= sizes[position] - 1
    return left


def _closed_from(graph: PlanGraph, depths: Sequence[int], depth: int) -> PlanGraph:
    return close_groups(graph, [position for position, each in enumerate(depths) if each == depth])


def _in_stretches(graph: PlanGraph, most: int) -> PlanGraph:
    """Layers that follow one another in the same group, closed."""
    runs = list(_runs(graph))
    rest = len(graph.nodes) - sum(len(run) for _, run in runs)
    size = max(2, -(-sum(len(run) for _, run in runs) // max(1, most - rest)))
    # Short runs leave more pieces than their layers would alone.
    while size < len(graph.nodes) and rest + sum(-(-len(run) // size) for _, run in runs) > most:
        size *= 2
    groups = list(graph.groups)
    inside: list[set[int]] = [set() for _ in groups]
    for parent, run in runs:
        for first in range(0, len(run), size):
            piece = run[first : first + size]
            if len(piece) > 1:
                groups.append(Group(_title(graph, piece), STRETCH, tuple(piece), parent))
                if parent is not None:
                    inside[parent].update(piece)
    for position, taken in enumerate(inside):
        group = groups[position]
        nodes = tuple([node for node in group.nodes if node not in taken])
        groups[position] = Group(group.title, group.kind, nodes, group.parent)
    kept = graph.generations, graph.name, tuple(groups), graph.plan, graph.lint
    made = PlanGraph(graph.nodes, graph.edges, *kept)
    return close_groups(made, range(len(graph.groups), len(groups)))


def _runs(graph: PlanGraph) -> Iterator[tuple[int | None, list[int]]]:
    """(group, ids) of layers that follow one another in one group."""
    run: list[int] = []
    for node in graph.layer_nodes:
        if run and graph.group_of[run[0]] != graph.group_of[node.id]:
            yield graph.group_of[run[0]], run
            run = []
        run.append(node.id)
    if run:
        yield graph.group_of[run[0]], run


def _title(graph: PlanGraph, nodes: Sequence[int]) -> str:
    indexes = [layer.index for number in nodes for layer in _layers(graph, number)]
    return f"layers {min(indexes):,} … {max(indexes):,}"


def _layers(graph: PlanGraph, number: int) -> Sequence[Layer]:
    node = graph.nodes[number]
    return node.layers if isinstance(node, LayerNode) else ()

"""PlanGraph with groups → graph of limited size: closes the innermost groups first, otherwise segments of layers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trex.core.layer import Layer
from trex.graph.close import close_groups
from trex.graph.plan_graph import Group, LayerNode, PlanGraph

SEGMENT = "segment"
# If closing groups leaves less than this part of the limit, segments of layers show more.
_COARSE = 20


def depths_of(groups: Sequence[Group]) -> list[int]:
    """Number of groups around each group."""
    depths: list[int] = []
    for group in groups:
        depths.append(0 if group.parent is None else depths[group.parent] + 1)
    return depths


def within_limit(graph: PlanGraph, most: int) -> PlanGraph:
    """The graph with all groups from one depth on closed, so that at most ``most`` nodes are left.

    Without groups, or if closing them would leave too few nodes, segments of consecutive layers are closed as groups of
    the kind ``segment``. Inputs and outputs of the engine always stay, so the result may be larger. Returns the same
    graph if it is small enough. Linear.
    """
    if len(graph.nodes) <= most:
        return graph
    depths = depths_of(graph.groups)
    left = _left_by_depth(graph, depths)
    depth = max((depth for depth, count in enumerate(left) if count <= most), default=None)
    if depth is not None and left[depth] * _COARSE >= most:
        return _closed_from(graph, depths, depth)
    graph = _closed_from(graph, depths, 0 if depth is None else depth + 1)
    return _in_segments(graph, most) if len(graph.nodes) > most else graph


def _left_by_depth(graph: PlanGraph, depths: Sequence[int]) -> list[int]:
    """Number of nodes if all groups from a depth on are closed, by depth."""
    sizes = [len(group.nodes) for group in graph.groups]
    left = [len(graph.nodes)] * (max(depths, default=-1) + 1)
    for position in range(len(sizes) - 1, -1, -1):
        parent = graph.groups[position].parent
        if parent is not None:
            sizes[parent] += sizes[position]
        left[depths[position]] -= sizes[position] - 1
    return left


def _closed_from(graph: PlanGraph, depths: Sequence[int], depth: int) -> PlanGraph:
    return close_groups(graph, [position for position, own in enumerate(depths) if own == depth])


def _in_segments(graph: PlanGraph, most: int) -> PlanGraph:
    """The graph with segments of consecutive layers in the same group closed."""
    runs = list(_runs(graph))
    rest = len(graph.nodes) - sum(len(run) for _, run in runs)
    size = max(2, -(-sum(len(run) for _, run in runs) // max(1, most - rest)))
    # Short runs have more segments than their share of layers.
    while size < len(graph.nodes) and rest + sum(-(-len(run) // size) for _, run in runs) > most:
        size *= 2
    groups = list(graph.groups)
    inside: list[set[int]] = [set() for _ in groups]
    for parent, run in runs:
        for first in range(0, len(run), size):
            segment = run[first : first + size]
            if len(segment) > 1:
                groups.append(Group(_title(graph, segment), SEGMENT, tuple(segment), parent))
                if parent is not None:
                    inside[parent].update(segment)
    for position, taken in enumerate(inside):
        group = groups[position]
        nodes = tuple([node for node in group.nodes if node not in taken])
        groups[position] = Group(group.title, group.kind, nodes, group.parent)
    return close_groups(graph.with_groups(groups), range(len(graph.groups), len(groups)))


def _runs(graph: PlanGraph) -> Iterator[tuple[int | None, list[int]]]:
    """(group, ids) of consecutive layers in one group."""
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

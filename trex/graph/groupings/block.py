"""The repetitions of repeated blocks, such as the 24 alike layers of a transformer; folded, one group for all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from trex.graph.blocks import find_blocks
from trex.graph.grouping import Grouping
from trex.graph.module_steps import module_steps, shared_steps
from trex.graph.plan_graph import LayerNode, PlanGraph


def titles(graph: PlanGraph) -> list[tuple[str, ...]]:
    nodes = graph.layer_nodes
    found: list[tuple[str, ...]] = [()] * len(nodes)
    if any(node.folded for node in nodes):
        stretches = list(folded_blocks(nodes))
        modules = [_module(nodes[first:end]) for first, end in stretches]
        for number, (first, end) in enumerate(stretches, 1):
            found[first:end] = [(_told(modules, number - 1) or f"block {number}",)] * (end - first)
        return found
    for number, block in enumerate(find_blocks(graph), 1):
        modules = [_module(nodes[first : first + block.length]) for first in block.occurrences]
        for turn, first in enumerate(block.occurrences):
            title = f"block {number} · {turn + 1} of {block.count}"
            module = _told(modules, turn)
            found[first : first + block.length] = [(f"{module} · {title}" if module else title,)] * block.length
    return found


def _told(modules: Sequence[str], turn: int) -> str:
    """The module of one of several stretches of layers, "" where another has the same."""
    return modules[turn] if len(set(modules)) == len(modules) else ""


def folded_blocks(nodes: Sequence[LayerNode]) -> Iterator[tuple[int, int]]:
    """(first, end) of each folded block's stretch of nodes."""
    first: int | None = None
    for place, node in enumerate(nodes):
        if first is not None and not _goes_on(nodes[place - 1], node):
            yield first, place
            first = None
        if first is None and node.folded is not None:
            first = place
    if first is not None:
        yield first, len(nodes)


def _goes_on(before: LayerNode, node: LayerNode) -> bool:
    """Whether a folded node's block has the next node, too: then its first layer runs before the other's last."""
    if before.folded is None or node.folded is None or before.folded.count != node.folded.count:
        return False
    return node.folded.layers[0].index < before.folded.layers[-1].index


def _module(nodes: Iterable[LayerNode]) -> str:
    """The module that all these layers are in, "" where they share none; those whose names tell none do not count."""
    return "/".join(shared_steps([module_steps(node.layer.module) for node in nodes if node.layer.module]))


GROUPING = Grouping(titles)

"""The repetitions of repeated blocks, such as the 24 equal layers of a transformer; one group if folded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from trex.graph.blocks import find_blocks
from trex.graph.module_steps import module_steps, shared_steps
from trex.graph.plan_graph import LayerNode, PlanGraph


def block_titles(graph: PlanGraph) -> list[tuple[str, ...]]:
    nodes = graph.layer_nodes
    titles: list[tuple[str, ...]] = [()] * len(nodes)
    if any(node.folded for node in nodes):
        ranges = list(folded_blocks(nodes))
        modules = _unique_modules([_module(nodes[first:end]) for first, end in ranges])
        for number, (first, end) in enumerate(ranges, 1):
            titles[first:end] = [(modules[number - 1] or f"block {number}",)] * (end - first)
        return titles
    for number, block in enumerate(find_blocks(graph), 1):
        modules = _unique_modules([_module(nodes[first : first + block.length]) for first in block.occurrences])
        for turn, first in enumerate(block.occurrences):
            title = f"block {number} · {turn + 1} of {block.count}"
            module = modules[turn]
            titles[first : first + block.length] = [(f"{module} · {title}" if module else title,)] * block.length
    return titles


def _unique_modules(modules: Sequence[str]) -> Sequence[str]:
    """The modules of several ranges of layers, "" for each unless all differ."""
    return modules if len(set(modules)) == len(modules) else [""] * len(modules)


def folded_blocks(nodes: Sequence[LayerNode]) -> Iterator[tuple[int, int]]:
    """(first, end) of each folded block's nodes."""
    first: int | None = None
    for position, node in enumerate(nodes):
        if first is not None and not _is_same_block(nodes[position - 1], node):
            yield first, position
            first = None
        if first is None and node.folded is not None:
            first = position
    if first is not None:
        yield first, len(nodes)


def _is_same_block(before: LayerNode, node: LayerNode) -> bool:
    """Whether two consecutive folded nodes are of one block: then their repetitions alternate."""
    if before.folded is None or node.folded is None or before.folded.count != node.folded.count:
        return False
    return node.folded.layers[0].index < before.folded.layers[-1].index


def _module(nodes: Iterable[LayerNode]) -> str:
    """The common module of the layers, "" if there is none; layers without a module do not count."""
    return "/".join(shared_steps([module_steps(node.layer.module) for node in nodes if node.layer.module]))


GROUPING = block_titles

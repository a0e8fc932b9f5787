"""PlanGraph and a grouping → graph with nested groups, such that no data flows out of a group and back into it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from trex.graph.grouping import GROUPINGS
from trex.graph.module_steps import shared_steps
from trex.graph.plan_graph import BETWEEN_KINDS, Group, LayerNode, MemoryNode, PlanGraph

# Minimum number of layers in a group.
LEAST_LAYERS = 2
# Maximum depth of nested groups.
_MOST_DEPTH = 32
# What the title of a part of a split group ends with, and a number of repetitions, which no part has.
PART = re.compile(r" \(\d+ of \d+\)$")
REPETITIONS = re.compile(r" ×[\d,]+$")
Titles = Sequence[tuple[str, ...]]
# A group within its parent: title, and a number if it is one of several. An item is a group or a node in none.
_Name = tuple[str, int]
_Item = _Name | int


def grouped(graph: PlanGraph, by: str) -> PlanGraph:
    """The graph with the groups of the grouping named ``by``. Raises TrexError if there is none, or if it cannot be
    loaded.
    """
    return with_groups(graph, by, GROUPINGS.chosen(by).value(graph))


def with_groups(graph: PlanGraph, kind: str, titles: Titles) -> PlanGraph:
    """The graph with groups of layers with the same titles; nearly linear in its size and the depth of the titles.

    titles: for each layer node, the titles of its groups, outermost first. Groups of fewer than two layers, groups that
    contain only one group, and a group of all layers are dropped. If data flows out of a group and back into it, the
    group is split, one part per consecutive run of its layers: ``encoder (1 of 2)``. Memory between layers is in the
    common group of its writers and readers, constant and dangling data in that of its readers. The title of a group of
    folded layers contains their repetitions: ``blocks/0 ×12``.
    """
    limited = [tuple(path[:_MOST_DEPTH]) for path in titles]
    if not any(limited):
        return graph
    return graph.with_groups(_Forest(graph, kind, limited).all_groups())


@dataclass(slots=True)
class _Draft:
    """A future group: its members at any depth in execution order, and the data flow between them."""

    title: str
    parent: int | None
    depth: int
    members: list[int]
    flows: list[tuple[int, int]]


class _Forest:
    def __init__(self, graph: PlanGraph, kind: str, titles: Titles) -> None:
        self.graph, self.kind = graph, kind
        self.titles: dict[int, tuple[str, ...]] = dict(enumerate(titles))
        self.order: dict[int, float] = {node.id: float(node.id) for node in graph.layer_nodes}
        for node in graph.memory_nodes:
            self._place_memory(node)
        self.groups: list[Group] = []
        # Repetitions of the layers of each group, 1 without folding.
        self.repeats: list[int] = []

    def _place_memory(self, node: MemoryNode) -> None:
        """Puts memory into the common group of its neighbors; inputs and outputs of the graph are in no group."""
        writers = [edge.source for edge in self.graph.edges_into[node.id] if edge.source in self.order]
        readers = [edge.target for edge in self.graph.edges_from[node.id] if edge.target in self.order]
        if node.kind in BETWEEN_KINDS and writers:
            order = max(self.order[writer] for writer in writers) + 0.5
        elif node.kind in ("constant", "dangling") and readers:
            order = min(self.order[reader] for reader in readers) - 0.5
        else:
            return
        self.order[node.id] = order
        self.titles[node.id] = shared_steps([self.titles[near] for near in (*writers, *readers)])

    def all_groups(self) -> list[Group]:
        members = sorted(self.order, key=lambda node: (self.order[node], node))
        flows = [
            (edge.source, edge.target)
            for edge in self.graph.edges
            if not edge.carried and edge.source in self.order and edge.target in self.order
        ]
        waiting = [_Draft("", None, 0, members, flows)]
        while waiting:
            draft = waiting.pop()
            while self._has_single_group(draft):
                draft.title = self.titles[draft.members[0]][draft.depth]
                draft.depth += 1
            position = None
            if draft.depth and len(draft.members) < len(members):
                position = len(self.groups)
                self.groups.append(Group(self._title(draft), self.kind, (), draft.parent))
            inner, ungrouped = self._inside(draft, position)
            if position is not None:
                self.groups[position] = replace(self.groups[position], nodes=tuple(sorted(ungrouped)))
            # The stack is reversed, so that groups are in execution order, each before its inner groups.
            waiting.extend(reversed(inner))
        return self.groups

    def _title(self, draft: _Draft) -> str:
        nodes = [self.graph.nodes[member] for member in draft.members]
        counts = {node.folded.count if node.folded else 1 for node in nodes if isinstance(node, LayerNode)}
        repeats = counts.pop() if len(counts) == 1 else 1
        self.repeats.append(repeats)
        is_in_parent = draft.parent is not None and self.repeats[draft.parent] == repeats
        return draft.title if repeats == 1 or is_in_parent else f"{draft.title} ×{repeats:,}"

    def _has_single_group(self, draft: _Draft) -> bool:
        """Whether a group contains only one other group."""
        first = self.titles[draft.members[0]] if draft.members else ()
        if len(first) <= draft.depth:
            return False
        title, depth = first[draft.depth], draft.depth
        return all(len(self.titles[node]) > depth and self.titles[node][depth] == title for node in draft.members)

    def _inside(self, draft: _Draft, parent: int | None) -> tuple[list[_Draft], list[int]]:
        """(the groups directly in a group, the nodes in none of them)."""
        item_of = self._items(draft)
        members: dict[_Name, list[int]] = {}
        ungrouped = []
        for node in draft.members:
            item = item_of.get(node)
            if item is None:
                ungrouped.append(node)
            else:
                members.setdefault(item, []).append(node)
        for item, nodes in list(members.items()):
            if sum(isinstance(self.graph.nodes[node], LayerNode) for node in nodes) < LEAST_LAYERS:
                ungrouped.extend(nodes)
                del members[item]
        flows: dict[_Name, list[tuple[int, int]]] = {item: [] for item in members}
        for source, target in draft.flows:
            item = item_of.get(source)
            if item is not None and item == item_of.get(target) and item in flows:
                flows[item].append((source, target))
        turns: dict[str, int] = {}
        for title, _ in members:
            turns[title] = turns.get(title, 0) + 1
        inner, turn = [], dict.fromkeys(turns, 0)
        for item, nodes in members.items():
            title = item[0]
            turn[title] += 1
            whole = REPETITIONS.sub("", title)
            words = f"{whole} ({turn[title]} of {turns[title]})" if turns[title] > 1 else title
            inner.append(_Draft(words, parent, draft.depth + 1, nodes, flows[item]))
        return inner, ungrouped

    def _items(self, draft: _Draft) -> dict[int, _Name]:
        """{member: inner group}, for the members in inner groups."""
        depth = draft.depth
        item_of = {node: (self.titles[node][depth], 0) for node in draft.members if len(self.titles[node]) > depth}
        tangled = _tangled(draft.members, draft.flows, item_of)
        if tangled:
            before: _Name | None = None
            number = 0
            for node in draft.members:
                item = item_of.get(node)
                if (item if item is not None else node) not in tangled:
                    continue
                if item is not None:
                    if before is None or before[0] != item[0]:
                        number += 1
                    item_of[node] = (item[0], number)
                before = item
        return item_of


def _tangled(members: Sequence[int], flows: Sequence[tuple[int, int]], item_of: Mapping[int, _Name]) -> set[_Item]:
    """Items that data leaves and returns to, and those in between."""
    first: dict[_Item, int] = {}
    for position, node in enumerate(members):
        first.setdefault(item_of.get(node, node), position)
    between: list[tuple[_Item, _Item]] = []
    in_order = True
    for source, target in flows:
        one, other = item_of.get(source, source), item_of.get(target, target)
        if one != other:
            between.append((one, other))
            in_order = in_order and first[one] < first[other]
    if in_order:
        return set()
    left = set(first)
    for pairs in (between, [(other, one) for one, other in between]):
        _remove_acyclic(left, pairs)
    return left


def _remove_acyclic(left: set[_Item], flows: Iterable[tuple[_Item, _Item]]) -> None:
    """Removes items without incoming flows, repeatedly."""
    after: dict[_Item, list[_Item]] = {}
    waits = dict.fromkeys(left, 0)
    for source, target in flows:
        if source in left and target in left:
            after.setdefault(source, []).append(target)
            waits[target] += 1
    free = [item for item, count in waits.items() if not count]
    while free:
        item = free.pop()
        left.discard(item)
        for target in after.get(item, ()):
            waits[target] -= 1
            if not waits[target]:
                free.append(target)

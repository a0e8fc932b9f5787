"""PlanGraph and a grouping → the graph with groups, nested, such that no data flows out of a group and back into it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from trex.graph.grouping import grouping
from trex.graph.module_steps import shared_steps
from trex.graph.plan_graph import BETWEEN_KINDS, Group, LayerNode, MemoryNode, PlanGraph

# Fewer layers are no group.
LEAST_LAYERS = 2
# A title for each of several layers, outermost first; deeper ones are left out.
_MOST_DEPTH = 32
Titles = Sequence[tuple[str, ...]]
# A group within a group: its title, and a number where it is one of several. An item is such, or a node in none.
_Name = tuple[str, int]
_Item = _Name | int


def grouped(graph: PlanGraph, by: str) -> PlanGraph:
    """The graph with the groups that the grouping called ``by`` makes. Raises TrexError for one that is none."""
    return with_groups(graph, by, grouping(by).titles(graph))


def with_groups(graph: PlanGraph, kind: str, titles: Titles) -> PlanGraph:
    """The graph with groups of layers that share a title; close to linear in its size and the titles' depth.

    titles: for each layer node, of the groups it is to be in, outermost first. Groups of fewer than two layers are
    none; a group of one group only is that one; one group of everything says nothing and is none. Where data flows
    out of a group and back into it, the group is drawn as several, one for each time that its layers are run:
    ``encoder (1 of 2)``. Memory between layers lies where all its writers and readers do, stored and dangling data
    with its readers. A group of folded layers says how often they are repeated: ``blocks/0 ×12``.
    """
    cut = [tuple(each[:_MOST_DEPTH]) for each in titles]
    if not any(cut):
        return graph
    groups = _Forest(graph, kind, cut).made()
    return PlanGraph(graph.nodes, graph.edges, graph.generations, graph.name, tuple(groups), graph.plan, graph.lint)


@dataclass(slots=True)
class _Draft:
    """A group to be: its members at any depth in order of execution, the data flow between them."""

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
            self._settle(node)
        self.groups: list[Group] = []
        # How often the layers of each group are repeated, 1 for groups of layers that are not folded.
        self.repeats: list[int] = []

    def _settle(self, node: MemoryNode) -> None:
        """Puts memory where all that touches it lies; what enters or leaves the graph lies in no group."""
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

    def made(self) -> list[Group]:
        members = sorted(self.order, key=lambda node: (self.order[node], node))
        flows = [
            (edge.source, edge.target)
            for edge in self.graph.edges
            if not edge.carried and edge.source in self.order and edge.target in self.order
        ]
        waiting = [_Draft("", None, 0, members, flows)]
        while waiting:
            draft = waiting.pop()
            while self._is_one(draft):
                draft.title = self.titles[draft.members[0]][draft.depth]
                draft.depth += 1
            place = None
            if draft.depth and len(draft.members) < len(members):
                place = len(self.groups)
                self.groups.append(Group(self._title(draft), self.kind, (), draft.parent))
            inner, loose = self._inside(draft, place)
            if place is not None:
                self.groups[place] = replace(self.groups[place], nodes=tuple(sorted(loose)))
            # The last is taken first: so groups come in order of execution, each before those in it.
            waiting.extend(reversed(inner))
        return self.groups

    def _title(self, draft: _Draft) -> str:
        nodes = [self.graph.nodes[member] for member in draft.members]
        counts = {node.folded.count if node.folded else 1 for node in nodes if isinstance(node, LayerNode)}
        repeats = counts.pop() if len(counts) == 1 else 1
        self.repeats.append(repeats)
        told = draft.parent is not None and self.repeats[draft.parent] == repeats
        return draft.title if repeats == 1 or told else f"{draft.title} ×{repeats:,}"

    def _is_one(self, draft: _Draft) -> bool:
        """Whether there is nothing in a group but one other."""
        first = self.titles[draft.members[0]] if draft.members else ()
        if len(first) <= draft.depth:
            return False
        title, depth = first[draft.depth], draft.depth
        return all(len(self.titles[node]) > depth and self.titles[node][depth] == title for node in draft.members)

    def _inside(self, draft: _Draft, place: int | None) -> tuple[list[_Draft], list[int]]:
        """The groups right within a group, and the nodes in none of them."""
        item_of = self._items(draft)
        members: dict[_Name, list[int]] = {}
        loose = []
        for node in draft.members:
            item = item_of.get(node)
            if item is None:
                loose.append(node)
            else:
                members.setdefault(item, []).append(node)
        for item, nodes in list(members.items()):
            if sum(isinstance(self.graph.nodes[node], LayerNode) for node in nodes) < LEAST_LAYERS:
                loose.extend(nodes)
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
            words = f"{title} ({turn[title]} of {turns[title]})" if turns[title] > 1 else title
            inner.append(_Draft(words, place, draft.depth + 1, nodes, flows[item]))
        return inner, loose

    def _items(self, draft: _Draft) -> dict[int, _Name]:
        """For each member that is in an inner group: its title, and a number where it is one of several."""
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
    """Items that data leaves and comes back to, and those on the way between such."""
    first: dict[_Item, int] = {}
    for place, node in enumerate(members):
        first.setdefault(item_of.get(node, node), place)
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
        _take_off(left, pairs)
    return left


def _take_off(left: set[_Item], flows: Iterable[tuple[_Item, _Item]]) -> None:
    """Takes off what nothing flows into, then what nothing of the rest flows into, and so on."""
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

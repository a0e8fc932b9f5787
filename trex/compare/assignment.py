"""Assign every fusion group to one engine so that the sum of layer times and reformats is minimal.

Chains and trees of groups are solved exactly. If branches join again, the result is improved until no change of a
single group helps. It is never worse than one engine for all groups.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_MOST_ROUNDS = 12
Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class GroupBorder:
    """Between the groups ``first`` < ``second``. costs[engine of first][engine of second], in ms."""

    first: int
    second: int
    costs: Matrix


@dataclass(frozen=True, slots=True)
class Gain:
    """What groups of one engine gain over ``engine`` for all of them. groups: ascending. own_ms: of their layers,
    infinite if a time is unknown; border_ms: of the reformats between and around them. Negative if slower.
    """

    groups: tuple[int, ...]
    engine: int
    own_ms: float
    border_ms: float


class AssignmentProblem:
    """groups: per group one cost per engine, infinite for an unknown one; every group has a finite cost."""

    def __init__(self, groups: Sequence[Sequence[float]], borders: Sequence[GroupBorder]) -> None:
        self.groups = groups
        self.borders = borders
        self._borders_of: list[list[GroupBorder]] = [[] for _ in groups]
        self._parent: list[GroupBorder | None] = [None] * len(groups)
        for border in borders:
            self._borders_of[border.first].append(border)
            self._borders_of[border.second].append(border)
            # The nearest group before it, so that chains are solved together; skip connections are left over.
            known = self._parent[border.second]
            if known is None or known.first < border.first:
                self._parent[border.second] = border

    def cost(self, engines: Sequence[int]) -> float:
        own = [costs[engine] for costs, engine in zip(self.groups, engines, strict=True)]
        borders = (border.costs[engines[border.first]][engines[border.second]] for border in self.borders)
        return math.fsum((*own, *borders))

    def solve(self) -> list[int]:
        """The best assignment, starting from every engine for all groups and from each group's own fastest; ties go to
        the first engine.
        """
        if not self.groups:
            return []
        engines = range(len(self.groups[0]))
        fastest = [min(engines, key=costs.__getitem__) for costs in self.groups]
        starts = [
            [engine if costs[engine] < math.inf else best for costs, best in zip(self.groups, fastest, strict=True)]
            for engine in engines
        ]
        return min((self._improved(start) for start in (*starts, fastest)), key=self.cost)

    def gain(self, engines: Sequence[int], groups: Sequence[int], other: int) -> Gain:
        """What these groups gain as assigned over assigning all of them to another engine."""
        inside = set(groups)
        own = [self.groups[group][other] - self.groups[group][engines[group]] for group in groups]
        saved = []
        for border in {id(border): border for group in groups for border in self._borders_of[group]}.values():
            first, second = (other if end in inside else engines[end] for end in (border.first, border.second))
            saved.append(border.costs[first][second] - border.costs[engines[border.first]][engines[border.second]])
        return Gain(tuple(groups), other, math.fsum(own), math.fsum(saved))

    def connected(self, engines: Sequence[int], group: int) -> list[int]:
        """The connected groups of the same engine. Reformats occur at their ends, so only together do they gain."""
        groups, pending = {group}, [group]
        while pending:
            for border in self._borders_of[pending.pop()]:
                for end in (border.first, border.second):
                    if end not in groups and engines[end] == engines[group]:
                        groups.add(end)
                        pending.append(end)
        return sorted(groups)

    def _improved(self, engines: list[int]) -> list[int]:
        best = self.cost(engines)
        for _ in range(_MOST_ROUNDS):
            changed = self._one_by_one(self._by_tree(engines))
            if not (cost := self.cost(changed)) < best - 1e-12:
                changed = self._one_by_one(engines)
                cost = self.cost(changed)
                if not cost < best - 1e-12:
                    break
            engines, best = changed, cost
        return engines

    def _by_tree(self, engines: Sequence[int]) -> list[int]:
        """The best assignment on the tree of parents; at other borders, the far end keeps its engine."""
        count = len(self.groups[0])
        costs = [list(own) for own in self.groups]
        for border in self.borders:
            if self._parent[border.second] is not border:
                for engine in range(count):
                    costs[border.second][engine] += border.costs[engines[border.first]][engine]
        choices: list[list[int]] = [[] for _ in self.groups]
        for group in range(len(self.groups) - 1, -1, -1):
            parent = self._parent[group]
            if parent is not None:
                for parent_engine, row in enumerate(parent.costs):
                    sums = [own + crossing for own, crossing in zip(costs[group], row, strict=True)]
                    best = min(range(count), key=sums.__getitem__)
                    choices[group].append(best)
                    costs[parent.first][parent_engine] += sums[best]
        assigned = [0] * len(self.groups)
        for group, own in enumerate(costs):
            parent = self._parent[group]
            if parent is None:
                assigned[group] = min(range(count), key=own.__getitem__)
            else:
                assigned[group] = choices[group][assigned[parent.first]]
        return assigned

    def _one_by_one(self, engines: Sequence[int]) -> list[int]:
        """Each group's best engine given its neighbors', back and forth until nothing changes."""
        assigned = list(engines)
        count = len(self.groups[0])
        for turn in range(_MOST_ROUNDS):
            changed = False
            groups = range(len(assigned)) if turn % 2 == 0 else range(len(assigned) - 1, -1, -1)
            for group in groups:
                costs = list(self.groups[group])
                for border in self._borders_of[group]:
                    for engine in range(count):
                        if border.first == group:
                            costs[engine] += border.costs[engine][assigned[border.second]]
                        else:
                            costs[engine] += border.costs[assigned[border.first]][engine]
                best = min(range(count), key=costs.__getitem__)
                if costs[best] < costs[assigned[group]] - 1e-15:
                    assigned[group] = best
                    changed = True
            if not changed:
                break
        return assigned

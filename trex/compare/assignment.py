"""Assign every fusion group to one engine so that the sum of layer times and reformats is minimal.

Chains and trees of groups are solved exactly. If branches join again, a tree is solved given the others, again until
that no longer helps. It is never worse than one engine for all groups.
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

    def ms(self, engines: Sequence[int]) -> float:
        """engines: one per group."""
        return self.costs[engines[self.first]][engines[self.second]]


class AssignmentProblem:
    """groups: per group one cost per engine, infinite for an unknown one; every group has a finite cost."""

    def __init__(self, groups: Sequence[Sequence[float]], borders: Sequence[GroupBorder]) -> None:
        self.groups = groups
        self.borders = borders
        self._parent: list[GroupBorder | None] = [None] * len(groups)
        for border in borders:
            # The nearest group before it, so that chains are solved together; skip connections are left over.
            known = self._parent[border.second]
            if known is None or known.first < border.first:
                self._parent[border.second] = border

    def cost(self, engines: Sequence[int]) -> float:
        own = [costs[engine] for costs, engine in zip(self.groups, engines, strict=True)]
        return math.fsum((*own, *(border.ms(engines) for border in self.borders)))

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

    def _improved(self, engines: list[int]) -> list[int]:
        best = self.cost(engines)
        for _ in range(_MOST_ROUNDS):
            changed = self._by_tree(engines)
            if not (cost := self.cost(changed)) < best - 1e-12:
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

"""Costs of units by label and of the borders between them → the labels of the least cost that linear time finds.

The labels are engines, the units what must be taken from one engine as a whole. Chains and trees of units are solved
exactly; where branches join again, the result is improved until nothing single is better. It is never worse than one
label for all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_MOST_ROUNDS = 12
Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Border:
    """Between the units ``first`` < ``second``. costs[label of first][label of second], in ms."""

    first: int
    second: int
    costs: Matrix


class Mixture:
    """units: per unit one cost per label, infinite for a label that it cannot have; every unit has a finite one."""

    def __init__(self, units: Sequence[Sequence[float]], borders: Sequence[Border]) -> None:
        self.units = units
        self.borders = borders
        self._at: list[list[tuple[int, Border]]] = [[] for _ in units]
        self._parent: list[Border | None] = [None] * len(units)
        for border in borders:
            self._at[border.first].append((border.second, border))
            self._at[border.second].append((border.first, border))
            # The nearest unit before it: a chain keeps together, skipped connections are what is left over.
            known = self._parent[border.second]
            if known is None or known.first < border.first:
                self._parent[border.second] = border

    def cost(self, labels: Sequence[int]) -> float:
        own = [costs[label] for costs, label in zip(self.units, labels, strict=True)]
        return math.fsum((*own, *(each.costs[labels[each.first]][labels[each.second]] for each in self.borders)))

    def solve(self) -> list[int]:
        """The best labels found, from every label alone and from each unit's own cheapest; ties go to the lowest."""
        if not self.units:
            return []
        count = len(self.units[0])
        starts = [self._uniform(label) for label in range(count)]
        starts.append([min(range(count), key=costs.__getitem__) for costs in self.units])
        found = [self._improved(start) for start in starts]
        return min(found, key=self.cost)

    def _uniform(self, label: int) -> list[int]:
        """The label wherever it can be, else the unit's cheapest."""
        count = len(self.units[0])
        return [label if costs[label] < math.inf else min(range(count), key=costs.__getitem__) for costs in self.units]

    def _improved(self, labels: list[int]) -> list[int]:
        best = self.cost(labels)
        for _ in range(_MOST_ROUNDS):
            found = self._one_by_one(self._by_tree(labels))
            if not (cost := self.cost(found)) < best - 1e-12:
                found = self._one_by_one(labels)
                cost = self.cost(found)
                if not cost < best - 1e-12:
                    break
            labels, best = found, cost
        return labels

    def _by_tree(self, labels: Sequence[int]) -> list[int]:
        """The best labels of the tree of parents, the other borders taken as if their far ends kept their labels."""
        count = len(self.units[0])
        costs = [list(own) for own in self.units]
        for border in self.borders:
            if self._parent[border.second] is not border:
                for label in range(count):
                    costs[border.second][label] += border.costs[labels[border.first]][label]
        choices: list[list[int]] = [[] for _ in self.units]
        for place in range(len(self.units) - 1, -1, -1):
            parent = self._parent[place]
            if parent is not None:
                own = costs[place]
                for above, row in enumerate(parent.costs):
                    sums = [mine + crossing for mine, crossing in zip(own, row, strict=True)]
                    below = min(range(count), key=sums.__getitem__)
                    choices[place].append(below)
                    costs[parent.first][above] += sums[below]
        found = [0] * len(self.units)
        for place, own in enumerate(costs):
            parent = self._parent[place]
            if parent is None:
                found[place] = min(range(count), key=own.__getitem__)
            else:
                found[place] = choices[place][found[parent.first]]
        return found

    def _one_by_one(self, labels: Sequence[int]) -> list[int]:
        """Each unit's best label given its neighbors', in passes there and back until nothing changes."""
        found = list(labels)
        count = len(self.units[0])
        for turn in range(_MOST_ROUNDS):
            changed = False
            places = range(len(found)) if turn % 2 == 0 else range(len(found) - 1, -1, -1)
            for place in places:
                costs = list(self.units[place])
                for other, border in self._at[place]:
                    if border.first == place:
                        for label in range(count):
                            costs[label] += border.costs[label][found[other]]
                    else:
                        row = border.costs[found[other]]
                        for label in range(count):
                            costs[label] += row[label]
                best = min(range(count), key=costs.__getitem__)
                if costs[best] < costs[found[place]] - 1e-15:
                    found[place] = best
                    changed = True
            if not changed:
                break
        return found

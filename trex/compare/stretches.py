"""A mixture's labels → Stretches: units beside one another that were taken from one engine, and what that gains.

Whether a unit is better elsewhere is a question of its whole stretch: the conversions that it saves or costs stand at
the stretch's ends, and a unit in the middle has none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from trex.compare.mixing import Border, Mixture


@dataclass(frozen=True, slots=True)
class Stretch:
    """units: in ascending order, all of one label. own_ms: what their layers take less than with ``against``; infinite
    where that has no known time. border_ms: what the conversions around and between them take less; negative: more.
    """

    units: tuple[int, ...]
    against: int
    own_ms: float
    border_ms: float


class Stretches:
    """Of the labels that a mixture was given; linear in units and borders."""

    def __init__(self, mixture: Mixture, labels: Sequence[int], favorite: int) -> None:
        self.mixture, self.labels, self.favorite = mixture, labels, favorite
        self._at: list[list[Border]] = [[] for _ in mixture.units]
        for border in mixture.borders:
            self._at[border.first].append(border)
            if border.second != border.first:
                self._at[border.second].append(border)
        self._of: dict[int, Stretch] = {}

    def of(self, unit: int) -> Stretch:
        """The stretch of a unit that is not taken from the favorite, against the favorite."""
        if unit not in self._of:
            found = self._gathered(unit)
            stretch = self.moved(found, self.favorite)
            self._of |= dict.fromkeys(found, stretch)
        return self._of[unit]

    def moved(self, units: Sequence[int], against: int) -> Stretch:
        """What these units gain as they are labeled against another label for all of them."""
        inside, labels = set(units), self.labels
        own = [self.mixture.units[unit][against] - self.mixture.units[unit][labels[unit]] for unit in units]
        borders = {id(border): border for unit in units for border in self._at[unit]}.values()
        saved = []
        for border in borders:
            ends = [against if end in inside else labels[end] for end in (border.first, border.second)]
            saved.append(border.costs[ends[0]][ends[1]] - border.costs[labels[border.first]][labels[border.second]])
        return Stretch(tuple(units), against, math.fsum(own), math.fsum(saved))

    def _gathered(self, unit: int) -> list[int]:
        found, pending = {unit}, [unit]
        while pending:
            for border in self._at[pending.pop()]:
                for end in (border.first, border.second):
                    if end not in found and self.labels[end] == self.labels[unit]:
                        found.add(end)
                        pending.append(end)
        return sorted(found)

"""Signs in a row → Runs: the stretches in which a pattern comes again and again, one right behind the other."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

# Places that are looked at, for each sign; what is found by then is what there is.
_EFFORT = 2


@dataclass(frozen=True, slots=True)
class Run:
    """Signs ``first`` … ``end`` - 1: each is that of ``period`` before it, and there are two periods or more."""

    first: int
    end: int
    period: int


def find_runs(signs: Sequence[int]) -> list[Run]:
    """Runs of a sequence of numbers from 0 up, each as long as it can be; in time n·log(n), long patterns first.

    Every pattern that comes three times or more is found, and most that come twice.
    """
    if len(signs) < 2:
        return []
    ranks = _Ranks(signs)
    known: dict[int, list[tuple[int, int]]] = {}
    effort = _EFFORT * len(signs) + 1000
    for place, period in ranks.repeats():
        runs = known.setdefault(period, [])
        at = bisect_right(runs, (place, len(signs))) - 1
        if at >= 0 and runs[at][1] > place:
            continue
        effort -= 1
        if effort < 0:
            break
        first = place - period - ranks.alike_before(place - period, place)
        end = place + ranks.alike_after(place - period, place)
        if end - first >= 2 * period:
            runs.insert(at + 1, (first, end))
    shortest: dict[tuple[int, int], int] = {}
    for period in sorted(known, reverse=True):
        for first, end in known[period]:
            # A pattern's multiples are patterns, too.
            shortest[first, end] = period
    return [Run(first, end, period) for (first, end), period in sorted(shortest.items())]


class _Ranks:
    """Which stretches are alike: for each power of two, a number for the stretch of that length at each place.

    After Karp, Miller and Rosenberg, Rapid identification of repeated patterns in strings, trees and arrays (1972).
    """

    def __init__(self, signs: Sequence[int]) -> None:
        level = np.asarray(signs, dtype=np.int64)
        self._levels = [level.astype(np.int32)]
        span = 1
        while 2 * span <= len(signs):
            pairs = level[:-span] * (int(level.max()) + 1) + level[span:]
            distinct, level = np.unique(pairs, return_inverse=True)
            level = level.astype(np.int64).reshape(-1)
            if len(distinct) == len(level):
                # Nothing this long comes twice.
                break
            self._levels.append(level.astype(np.int32))
            span *= 2
        # Single numbers are read four times as fast from a view as from the array itself.
        self._views = [level.data for level in self._levels]

    def repeats(self) -> Iterator[tuple[int, int]]:
        """(place, distance to where the same stretch was last) for stretches of each power of two, longest first.

        Of neighboring places with one distance, the first stands for all.
        """
        for level in reversed(self._levels):
            order = np.argsort(level, kind="stable")
            alike = level[order[1:]] == level[order[:-1]]
            places, periods = order[1:][alike], (order[1:] - order[:-1])[alike]
            ordered = np.lexsort((places, periods))
            places, periods = places[ordered], periods[ordered]
            leads = np.ones(len(places), dtype=bool)
            leads[1:] = (np.diff(places) != 1) | (np.diff(periods) != 0)
            yield from zip(places[leads].tolist(), periods[leads].tolist())

    def alike_after(self, a: int, b: int) -> int:
        """How many signs from ``a`` on are the same as from ``b`` > ``a`` on."""
        length = 0
        for number in range(len(self._views) - 1, -1, -1):
            ranks = self._views[number]
            while b + length < len(ranks) and ranks[a + length] == ranks[b + length]:
                length += 1 << number
        return length

    def alike_before(self, a: int, b: int) -> int:
        """How many signs before ``a`` are the same as before ``b`` > ``a``."""
        length = 0
        for number in range(len(self._views) - 1, -1, -1):
            ranks, span = self._views[number], 1 << number
            while a >= length + span and ranks[a - length - span] == ranks[b - length - span]:
                length += span
        return length

"""Sequence of numbers → Runs: the ranges in which a pattern repeats consecutively."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

# Limit of examined positions per number.
_EFFORT = 2


@dataclass(frozen=True, slots=True)
class Run:
    """Numbers ``first`` … ``end`` - 1: each equals the one ``period`` before; at least two periods."""

    first: int
    end: int
    period: int


def find_runs(signs: Sequence[int]) -> list[Run]:
    """Maximal runs of a sequence of numbers from 0, in time n·log(n).

    Every pattern that occurs at least three times is found, and most that occur twice.
    """
    if len(signs) < 2:
        return []
    ranks = _Ranks(signs)
    known: dict[int, list[tuple[int, int]]] = {}
    effort = _EFFORT * len(signs) + 1000
    for position, period in ranks.repeats():
        runs = known.setdefault(period, [])
        at = bisect_right(runs, (position, len(signs))) - 1
        if at >= 0 and runs[at][1] > position:
            continue
        effort -= 1
        if effort < 0:
            break
        first = position - period - ranks.equal_before(position - period, position)
        end = position + ranks.equal_after(position - period, position)
        if end - first >= 2 * period:
            runs.insert(at + 1, (first, end))
    shortest: dict[tuple[int, int], int] = {}
    for period in sorted(known, reverse=True):
        for first, end in known[period]:
            # Multiples of a pattern are patterns as well.
            shortest[first, end] = period
    return [Run(first, end, period) for (first, end), period in sorted(shortest.items())]


class _Ranks:
    """Equality of ranges: for each power of two, a number for the range of that length at each position.

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
                # No range of this length repeats.
                break
            self._levels.append(level.astype(np.int32))
            span *= 2
        # Reading single numbers from a view is four times as fast as from the array.
        self._views = [level.data for level in self._levels]

    def repeats(self) -> Iterator[tuple[int, int]]:
        """(position, distance to the last equal range) for ranges of each power of two, longest first.

        Only the first of adjacent positions with the same distance is listed.
        """
        for level in reversed(self._levels):
            order = np.argsort(level, kind="stable")
            equal = level[order[1:]] == level[order[:-1]]
            positions, periods = order[1:][equal], (order[1:] - order[:-1])[equal]
            ordered = np.lexsort((positions, periods))
            positions, periods = positions[ordered], periods[ordered]
            leads = np.ones(len(positions), dtype=bool)
            leads[1:] = (np.diff(positions) != 1) | (np.diff(periods) != 0)
            yield from zip(positions[leads].tolist(), periods[leads].tolist())

    def equal_after(self, a: int, b: int) -> int:
        """Length of the longest common range that starts at ``a`` and at ``b`` > ``a``."""
        length = 0
        for number in range(len(self._views) - 1, -1, -1):
            ranks = self._views[number]
            while b + length < len(ranks) and ranks[a + length] == ranks[b + length]:
                length += 1 << number
        return length

    def equal_before(self, a: int, b: int) -> int:
        """Length of the longest common range that ends before ``a`` and before ``b`` > ``a``."""
        length = 0
        for number in range(len(self._views) - 1, -1, -1):
            ranks, span = self._views[number], 1 << number
            while a >= length + span and ranks[a - length - span] == ranks[b - length - span]:
                length += span
        return length

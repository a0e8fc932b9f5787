"""Sequence of numbers → Runs: the ranges in which a pattern repeats consecutively."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

# Limit of examined periods: the most frequent distances between equal ranges.
_MOST_PERIODS = 500


@dataclass(frozen=True, slots=True)
class Run:
    """Numbers ``first`` … ``end`` - 1: each equals the one ``period`` before; at least two periods."""

    first: int
    end: int
    period: int


def find_runs(signs: Sequence[int]) -> list[Run]:
    """Maximal runs of a sequence of numbers from 0, in time n·log(n).

    Every pattern that occurs at least three times is found, and most that occur twice, except in sequences with more
    than 500 different distances between equal ranges.
    """
    numbers = np.asarray(signs, dtype=np.int64)
    periods: Counter[int] = Counter()
    for level in _levels(numbers):
        order = np.argsort(level, kind="stable")
        equal = level[order[1:]] == level[order[:-1]]
        values, counts = np.unique((order[1:] - order[:-1])[equal], return_counts=True)
        periods.update(dict(zip(values.tolist(), counts.tolist())))
    shortest: dict[tuple[int, int], int] = {}
    for period in sorted([period for period, _ in periods.most_common(_MOST_PERIODS)], reverse=True):
        # Multiples of a pattern are patterns as well.
        shortest |= dict.fromkeys(_runs(numbers, period), period)
    return [Run(first, end, period) for (first, end), period in sorted(shortest.items())]


def _levels(level: np.ndarray) -> Iterator[np.ndarray]:
    """For each power of two, a number for the range of that length at each position, the same for equal ranges.

    After Karp, Miller and Rosenberg, Rapid identification of repeated patterns in strings, trees and arrays (1972).
    """
    span = 1
    yield level
    while len(level) > span:
        pairs = level[:-span] * (int(level.max()) + 1) + level[span:]
        distinct, level = np.unique(pairs, return_inverse=True)
        level = level.astype(np.int64).reshape(-1)
        if len(distinct) == len(level):
            # No range of this length repeats.
            return
        yield level
        span *= 2


def _runs(numbers: np.ndarray, period: int) -> Iterator[tuple[int, int]]:
    """(first, end) of each run of at least two periods."""
    equal = np.concatenate(([False], numbers[period:] == numbers[:-period], [False]))
    starts, ends = np.flatnonzero(np.diff(equal.astype(np.int8))).reshape(-1, 2).T
    is_long = ends - starts >= period
    yield from zip(starts[is_long].tolist(), (ends[is_long] + period).tolist())

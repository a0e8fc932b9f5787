"""Samples → Levels: where the run changed from one level to another."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from trex.core.counted import counted
from trex.perf.samples.autocorrelation import local_time
from trex.perf.samples.blocks import block_medians
from trex.perf.samples.usable import Floats

FEWEST = 100
MATERIAL_PCT = 0.5
_BLOCK = 5
_BLOCKS = 1000
_SHORTEST = 4


@dataclass(frozen=True, slots=True)
class Level:
    """A stretch of samples, from ``first`` to before ``behind``, and its median in milliseconds."""

    first: int
    behind: int
    median_ms: float


@dataclass(frozen=True, slots=True)
class Levels:
    """levels: in order, one when nothing changed, none when unknown (reason says why). block_length: places are as
    fine as that many samples.
    """

    levels: tuple[Level, ...]
    block_length: int = 0
    reason: str = ""

    @property
    def changes(self) -> int | None:
        """How often the level changed; None when unknown."""
        return len(self.levels) - 1 if self.levels else None

    @property
    def largest_change_pct(self) -> float | None:
        """Highest over lowest level, minus one, in percent; None when unknown."""
        medians = [level.median_ms for level in self.levels]
        return 100.0 * (max(medians) / min(medians) - 1.0) if medians and min(medians) > 0.0 else None


def levels_of(values: Floats, median: float, step_ms: float, offset: int = 0) -> Levels:
    """Change points of the medians of at most 1 000 blocks by PELT (Killick, Fearnhead and Eckley 2012, Optimal
    detection of changepoints with a linear computational cost): the partition that minimises the squared deviations
    from the mean of each part plus a penalty per change.

    Penalty: 2 ln(blocks) · σ² · τ, the Bayesian information criterion's for two more parameters (where, and the new
    level). σ² is the variance of the noise, from the mean squared difference of neighbours (von Neumann 1941: a few
    changes of level hardly move it, and samples that gather at two places are noise to it), but no less than that of
    rounding to the timer's step, step²/12; τ the autocorrelation time of the noise (``local_time``). Blocks are of
    five samples at least, so that spikes move no median, and levels of four blocks at least. Neighbouring levels that
    differ by less than half a percent of the median or than a step of the timer are told as one. ``offset`` is the
    place of the first value in the column.
    """
    if len(values) < FEWEST:
        few = f"{counted(len(values), 'sample')}: too few to tell levels apart (at least {FEWEST})"
        return Levels((), reason=few)
    length = max(_BLOCK, -(-len(values) // _BLOCKS))
    medians = block_medians(values, length)
    time = local_time(medians)
    correlation = (time - 1.0) / (time + 1.0)  # of neighbours, were the noise a first-order autoregression
    neighbours = (2.0 * (1.0 - correlation)) ** 0.5
    noise = max(float(np.mean(np.diff(medians) ** 2)) ** 0.5 / neighbours, step_ms / 12.0**0.5)
    penalty = 2.0 * math.log(len(medians)) * noise**2 * time
    cuts = [0, *_partition(medians, penalty), len(medians)]
    least = max(MATERIAL_PCT / 100.0 * median, step_ms)
    levels = _merged(values, [*(cut * length for cut in cuts[:-1]), len(values)], least)
    return Levels(tuple(Level(each.first + offset, each.behind + offset, each.median_ms) for each in levels), length)


def _partition(values: Floats, penalty: float) -> list[int]:
    """Places at which new levels begin. Candidates that can never be the last change are pruned."""
    count = len(values)
    if penalty <= 0.0 or count < 2 * _SHORTEST:
        return []
    centred = values - values.mean()
    sums = np.concatenate(([0.0], np.cumsum(centred)))
    squares = np.concatenate(([0.0], np.cumsum(centred * centred)))
    best = np.full(count + 1, np.inf)
    best[0] = -penalty
    last = np.zeros(count + 1, dtype=np.int64)
    candidates = np.array([0])
    for end in range(_SHORTEST, count + 1):
        lengths = end - candidates
        costs = squares[end] - squares[candidates] - (sums[end] - sums[candidates]) ** 2 / lengths
        totals = best[candidates] + costs + penalty
        chosen = int(np.argmin(totals))
        best[end], last[end] = totals[chosen], candidates[chosen]
        kept = candidates[totals - penalty <= best[end]]
        candidates = np.append(kept, end - _SHORTEST + 1) if end - _SHORTEST + 1 >= _SHORTEST else kept
    found = []
    place = count
    while last[place] > 0:
        place = int(last[place])
        found.append(place)
    return found[::-1]


def _merged(values: Floats, cuts: list[int], least: float) -> list[Level]:
    levels: list[Level] = []
    for first, behind in pairwise(cuts):
        level = Level(first, behind, float(np.median(values[first:behind])))
        if levels and abs(levels[-1].median_ms - level.median_ms) < least:
            first = levels.pop().first
            level = Level(first, behind, float(np.median(values[first:behind])))
        levels.append(level)
    return levels

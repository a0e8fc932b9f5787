"""Samples → Levels: the points at which a run changed from one level to another."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from trex.core.counted import counted
from trex.perf.samples.series import Floats, block_medians

FEWEST = 100
MATERIAL_PCT = 0.5
_BLOCK = 5
_BLOCKS = 1000
_SHORTEST = 4


@dataclass(frozen=True, slots=True)
class Level:
    """A run of consecutive samples, from ``first`` to before ``behind``, and its median in milliseconds."""

    first: int
    behind: int
    median_ms: float


@dataclass(frozen=True, slots=True)
class Levels:
    """levels: in order, one if nothing changed, none if unknown (reason says why)."""

    levels: tuple[Level, ...]
    reason: str = ""

    @property
    def changes(self) -> int | None:
        """Number of changes of level; None if unknown."""
        return len(self.levels) - 1 if self.levels else None

    @property
    def largest_change_pct(self) -> float | None:
        """Highest over lowest level, minus one, in percent; None if unknown."""
        medians = [level.median_ms for level in self.levels]
        return 100.0 * (max(medians) / min(medians) - 1.0) if medians and min(medians) > 0.0 else None


def levels_of(values: Floats, median: float, step_ms: float, offset: int = 0) -> Levels:
    """Change points of the medians of at most 1 000 blocks by PELT (Killick, Fearnhead and Eckley 2012, Optimal
    detection of changepoints with a linear computational cost): the partition that minimizes the squared deviations
    from the mean of each part plus a penalty per change.

    Penalty: 3 ln(blocks) · σ², the Bayesian information criterion as modified for change points (Zhang and Siegmund
    2007: a position and a level count as three parameters). σ² is the variance of the noise, half the mean squared
    difference of neighbors (von Neumann 1941: a few changes of level hardly affect it, and samples with two modes are
    noise to it), but at least that of rounding to the timer's step, step²/12.

    Correlated noise looks like levels to this method. The levels are reported only if they explain the blocks better
    than a first-order autoregression about one mean does, by the same criterion: B ln(variance of the innovations) + 3
    ln(B) for each change. A clock that jumps between steps is quiet between the jumps; correlated noise is not.

    Blocks have at least five samples, so that spikes move no median, and levels at least four blocks. Neighboring
    levels that differ by less than half a percent of the median or than a step of the timer are merged. ``offset`` is
    the index of the first value in the column.
    """
    if len(values) < FEWEST:
        few = f"{counted(len(values), 'sample')}: too few to detect levels (at least {FEWEST})"
        return Levels((), reason=few)
    length = max(_BLOCK, -(-len(values) // _BLOCKS))
    medians = block_medians(values, length)
    noise = max(float(np.mean(np.diff(medians) ** 2) / 2.0) ** 0.5, step_ms / 12.0**0.5)
    cut_blocks = _partition(medians, 3.0 * math.log(len(medians)) * noise**2)
    cuts = [0, *(cut_blocks if explains_more(medians, cut_blocks, noise) else ()), len(medians)]
    least = max(MATERIAL_PCT / 100.0 * median, step_ms)
    levels = _merged(values, [*(cut * length for cut in cuts[:-1]), len(values)], least)
    return Levels(tuple(replace(one, first=one.first + offset, behind=one.behind + offset) for one in levels))


def explains_more(values: Floats, starts: list[int], noise: float) -> bool:
    """Whether levels that begin at ``starts`` explain more than an autoregression, given their parameters."""
    if not starts:
        return False
    lengths = np.diff([0, *starts, len(values)])
    means = np.add.reduceat(values, [0, *starts]) / lengths
    gain = math.log(_innovation(values - values.mean(), noise) / _innovation(values - np.repeat(means, lengths), noise))
    return len(values) * gain > 3.0 * math.log(len(values)) * len(starts)


def _innovation(residuals: Floats, noise: float) -> float:
    """Variance of the residuals after a first-order autoregression; at least a millionth of the noise's."""
    variance = float(residuals @ residuals)
    rho = float(residuals[1:] @ residuals[:-1]) / variance if variance > 0.0 else 0.0
    left = residuals[1:] - rho * residuals[:-1]
    return max(float(left @ left) / len(residuals), 1e-6 * noise**2)


def _partition(values: Floats, penalty: float) -> list[int]:
    """Indexes at which new levels begin. Candidates that can never be the last change are pruned."""
    count = len(values)
    if penalty <= 0.0 or count < 2 * _SHORTEST:
        return []
    centered = values - values.mean()
    sums = np.concatenate(([0.0], np.cumsum(centered)))
    squares = np.concatenate(([0.0], np.cumsum(centered * centered)))
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
    starts = []
    start = count
    while last[start] > 0:
        start = int(last[start])
        starts.append(start)
    return starts[::-1]


def _merged(values: Floats, cuts: list[int], least: float) -> list[Level]:
    levels: list[Level] = []
    for first, behind in pairwise(cuts):
        level = Level(first, behind, float(np.median(values[first:behind])))
        if levels and abs(levels[-1].median_ms - level.median_ms) < least:
            first = levels.pop().first
            level = Level(first, behind, float(np.median(values[first:behind])))
        levels.append(level)
    return levels

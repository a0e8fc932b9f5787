"""Samples → Spikes: single times far above the others, and whether they are periodic."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from trex.core.counted import counted
from trex.perf.samples.series import Floats, Integers
from trex.perf.samples.spread import Spread

FEWEST = 20
ABOVE_PCT = 2.0
_FENCE = 3.0
_FEWEST_GAPS = 6
_CHANCE = 1e-4
_PAUSE = 10


@dataclass(frozen=True, slots=True)
class Spikes:
    """count, share (0 to 1) of samples above limit_ms; None if unknown (reason says why).

    period: number of samples from one spike to the next, None if they are not periodic. in_bursts: the period
    holds within bursts, with long pauses between them.
    """

    count: int | None
    share: float | None = None
    limit_ms: float | None = None
    period: int | None = None
    in_bursts: bool = False
    reason: str = ""


def spikes_of(values: Floats, spread: Spread) -> Spikes:
    """Samples above the 75th percentile by three times the interquartile range (Tukey 1977, Exploratory Data Analysis:
    "far out") and above the median by 2 %.
    """
    if len(values) < FEWEST or not spread.median_ms > 0.0:
        return Spikes(None, reason=f"{counted(len(values), 'sample')}: too few to detect spikes (at least {FEWEST})")
    quartile = float(np.partition(values, (3 * len(values)) // 4)[(3 * len(values)) // 4])
    limit = max(quartile + _FENCE * spread.iqr_ms, spread.median_ms * (1.0 + ABOVE_PCT / 100.0))
    indexes = np.flatnonzero(values > limit)
    if not len(indexes):
        return Spikes(0, 0.0, limit)
    begun = indexes[np.diff(indexes, prepend=-2) > 1]
    period = period_of(begun)
    bursts = period is not None and float(np.diff(begun).max()) > _PAUSE * period
    return Spikes(len(indexes), len(indexes) / len(values), limit, period, bursts)


def period_of(indexes: Integers) -> int | None:
    """The period of ascending indexes, None if they are not periodic.

    Candidates are the median gap and the most frequent one; a gap matches within one sample or 5 %. A period is
    accepted if half of at least six gaps match, and if as many matches have a probability of less than 1 in 10 000
    (Chernoff bound) among random gaps (geometric) of the same mean.
    """
    gaps = np.diff(indexes)
    if len(gaps) < _FEWEST_GAPS:
        return None
    lengths, counts = np.unique(gaps, return_counts=True)
    best: tuple[float, int] = (0.0, 0)
    for candidate in {int(np.median(gaps)), int(lengths[np.argmax(counts)])}:
        tolerance = max(1.0, 0.05 * candidate)
        kept = np.abs(gaps - candidate) <= tolerance
        share = float(kept.mean())
        rate = 1.0 / float(gaps.mean())
        low, high = max(1.0, math.ceil(candidate - tolerance)), math.floor(candidate + tolerance)
        chance = (1.0 - rate) ** (low - 1) - (1.0 - rate) ** high
        if candidate > 2 and share >= 0.5 and _tail(len(gaps), int(kept.sum()), chance) < _CHANCE:
            best = max(best, (share, round(float(np.median(gaps[kept])))))
    return best[1] or None


def _tail(count: int, at_least: int, chance: float) -> float:
    """Upper bound (Chernoff and Hoeffding) of the probability of ``at_least`` of ``count`` events."""
    share = at_least / count
    if chance <= 0.0:
        return 0.0
    if share <= chance:
        return 1.0
    rest = 0.0 if share >= 1.0 else (1.0 - share) * math.log((1.0 - share) / (1.0 - chance))
    return math.exp(-count * (share * math.log(share / chance) + rest))

"""Samples → Spikes: single times far above the others, and whether they come regularly."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass

import numpy as np

from trex.core.counted import counted
from trex.perf.samples.spread import Spread
from trex.perf.samples.usable import Floats, Integers

FEWEST = 20
ABOVE_PCT = 2.0
RARE = 0.05
_FENCE = 3.0
_FEWEST_GAPS = 6
_CHANCE = 1e-4
_PAUSE = 10


@dataclass(frozen=True, slots=True)
class Spikes:
    """count, share (0 … 1) of samples above limit_ms; None when unknown (reason says why). worst_ms: the largest.

    period: every so many samples one begins, None when they do not come regularly. on_time: share of the gaps between
    them that are of this length. in_bursts: the rhythm holds in stretches, between which there are none for long.
    """

    count: int | None
    share: float | None = None
    limit_ms: float | None = None
    worst_ms: float | None = None
    period: int | None = None
    on_time: float | None = None
    in_bursts: bool = False
    reason: str = ""

    @property
    def are_rare(self) -> bool:
        """At most 5 %: more than that is a second mode or a broad tail rather than spikes."""
        return self.share is not None and self.share <= RARE


def spikes_of(values: Floats, spread: Spread) -> Spikes:
    """Samples above the 75th percentile by three times the interquartile range (Tukey 1977, Exploratory Data Analysis:
    "far out") and above the median by 2 %.
    """
    if len(values) < FEWEST or not spread.median_ms > 0.0:
        return Spikes(None, reason=f"{counted(len(values), 'sample')}: too few to see spikes (at least {FEWEST})")
    quartile = float(np.partition(values, (3 * len(values)) // 4)[(3 * len(values)) // 4])
    limit = max(quartile + _FENCE * spread.iqr_ms, spread.median_ms * (1.0 + ABOVE_PCT / 100.0))
    limit = min(limit, sys.float_info.max)
    places = np.flatnonzero(values > limit)
    if not len(places):
        return Spikes(0, 0.0, limit)
    begun = places[np.diff(places, prepend=-2) > 1]
    period, on_time = period_of(begun)
    bursts = period is not None and float(np.diff(begun).max()) > _PAUSE * period
    return Spikes(len(places), len(places) / len(values), limit, float(values.max()), period, on_time, bursts)


def period_of(places: Integers) -> tuple[int | None, float | None]:
    """(period, share of gaps that keep it) of ascending places; (None, None) when they come without a rhythm.

    Candidates are the middle gap and the most frequent one; a gap keeps time within one place or 5 %. The rhythm is
    believed when half of at least six gaps keep it and when that many would do so with a chance of less than 1 in
    10 000 (Chernoff bound) among gaps of the same mean that come at random (geometric).
    """
    gaps = np.diff(places)
    if len(gaps) < _FEWEST_GAPS:
        return None, None
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
    return (best[1], best[0]) if best[1] else (None, None)


def _tail(count: int, at_least: int, chance: float) -> float:
    """Upper bound (Chernoff and Hoeffding) of the chance of ``at_least`` of ``count`` events of this chance."""
    share = at_least / count
    if chance <= 0.0:
        return 0.0
    if share <= chance:
        return 1.0
    rest = 0.0 if share >= 1.0 else (1.0 - share) * math.log((1.0 - share) / (1.0 - chance))
    return math.exp(-count * (share * math.log(share / chance) + rest))

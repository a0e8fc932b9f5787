"""Histogram → Modes: whether samples gather at one place or at several."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from trex.core.counted import counted
from trex.perf.samples.histogram import Histogram
from trex.perf.samples.percentiles import median_of
from trex.perf.samples.usable import Floats

FEWEST = 100
LEAST_SHARE = 0.05
DEPTH = 0.5
SIGMAS = 5.0
APART_PCT = 0.5
_MOST = 6


@dataclass(frozen=True, slots=True)
class Mode:
    """One gathering: its median, the share of all samples (0 … 1) and its smallest and largest sample."""

    median_ms: float
    share: float
    low_ms: float
    high_ms: float


@dataclass(frozen=True, slots=True)
class Modes:
    """modes: ascending, one or more; none when unknown (reason says why). switches: how often neighboring samples
    lie in different modes; expected_switches: how often they would if their order were random.
    """

    modes: tuple[Mode, ...]
    switches: int = 0
    expected_switches: float = 0.0
    reason: str = ""

    @property
    def apart_pct(self) -> float | None:
        """From the lowest mode to the highest, in percent of the lowest; None when unknown, or the lowest is 0 ms."""
        if not self.modes or not self.modes[0].median_ms > 0.0:
            return None
        return 100.0 * (self.modes[-1].median_ms / self.modes[0].median_ms - 1.0)


def modes_of(values: Floats, ordered: Floats, histogram: Histogram | None, time: float) -> Modes:
    """Gatherings that a valley of the histogram separates.

    A valley separates when it holds at most half of what the lower of the two peaks beside it holds, when that is no
    chance (five standard deviations of the difference of two counts, widened by √τ because neighbors in time hang
    together: ``time``), when at least 5 % of the samples lie on either side, and when the peaks are two bins and half
    a percent apart. That is the excess-mass idea (Müller and Sawitzki 1991) with a stated threshold. Sarle's
    coefficient is not used: (skewness² + 1) / kurtosis exceeds its bound for skewed distributions, and latencies are
    skewed.
    """
    if len(values) < FEWEST or histogram is None:
        few = f"{counted(len(values), 'sample')}: too few to see modes (at least {FEWEST})"
        return Modes((), reason=few if len(values) < FEWEST else "all samples are equal")
    counts = np.asarray(histogram.counts, dtype=float)
    total = len(values)
    cuts = sorted(_valleys(histogram, counts, 0, len(counts), total, time))[: _MOST - 1]
    edges = [histogram.edge_ms(cut) for cut in cuts]
    bounds = [0, *np.searchsorted(ordered, edges, side="left").tolist(), total]
    places = np.searchsorted(np.asarray(edges), values, side="right")
    shares = np.diff(bounds) / total
    modes = [
        Mode(median_of(part), len(part) / total, float(part[0]), float(part[-1]))
        for part in (ordered[first:behind] for first, behind in pairwise(bounds))
    ]
    switches = int(np.count_nonzero(np.diff(places))) if cuts else 0
    return Modes(tuple(modes), switches, (total - 1) * float(1.0 - (shares**2).sum()) if cuts else 0.0)


def _valleys(histogram: Histogram, counts: Floats, first: int, behind: int, total: int, time: float) -> list[int]:
    """Bins of [first, behind) at which modes part, found at the most certain one first and then on either side."""
    part = counts[first:behind]
    if len(part) < 3:
        return []
    left, right = np.maximum.accumulate(part), np.maximum.accumulate(part[::-1])[::-1]
    lower = np.minimum(left, right)
    certainty = (lower - part) / np.sqrt(np.maximum(lower + part, 1.0) * time)
    inside = np.cumsum(part)
    enough = (inside - part >= LEAST_SHARE * total) & (inside[-1] - inside >= LEAST_SHARE * total)
    certainty[~enough | (part > DEPTH * lower)] = 0.0
    place = int(np.argmax(certainty))
    if certainty[place] < SIGMAS:
        return []
    lowest = np.flatnonzero(certainty >= certainty[place] - 1e-9)
    place = int(lowest[len(lowest) // 2])  # the middle of an empty valley
    low, high = int(np.argmax(part[: place + 1])), place + int(np.argmax(part[place:]))
    apart = (high - low) * histogram.width_ms
    if high - low < 2 or apart < APART_PCT / 100.0 * histogram.center_ms(first + low):
        return []
    cut = first + place
    return [
        cut,
        *_valleys(histogram, counts, first, cut, total, time),
        *_valleys(histogram, counts, cut, behind, total, time),
    ]

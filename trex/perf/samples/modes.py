"""SampleHistogram → Modes: whether samples cluster around one value or several."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from trex.core.counted import counted
from trex.perf.samples.histogram import SampleHistogram
from trex.perf.samples.series import Floats
from trex.perf.samples.spread import median_of

FEWEST = 100
LEAST_SHARE = 0.05
DEPTH = 0.5
SIGMAS = 5.0
APART_PCT = 0.5
_MOST = 6


@dataclass(frozen=True, slots=True)
class Mode:
    """One cluster: its median, its share of all samples (0 to 1), its smallest and largest sample."""

    median_ms: float
    share: float
    low_ms: float
    high_ms: float


@dataclass(frozen=True, slots=True)
class Modes:
    """modes: ascending, at least one; none if unknown (reason says why). switches: how often neighboring samples lie in
    different modes; expected_switches: the same in random order.
    """

    modes: tuple[Mode, ...]
    switches: int = 0
    expected_switches: float = 0.0
    reason: str = ""

    @property
    def apart_pct(self) -> float | None:
        """From the lowest mode to the highest, in percent of the lowest; None if unknown, or if the lowest is 0 ms."""
        if not self.modes or not self.modes[0].median_ms > 0.0:
            return None
        return 100.0 * (self.modes[-1].median_ms / self.modes[0].median_ms - 1.0)


def modes_of(values: Floats, ordered: Floats, histogram: SampleHistogram | None, time: float) -> Modes:
    """Clusters that a valley of the histogram separates.

    A valley separates if it holds at most half of the lower of its two peaks; if that is significant (five standard
    deviations of the difference of two counts, widened by √τ for correlated samples: ``time``); if at least 5 % of the
    samples lie on either side; and if the peaks are two bins and half a percent apart. That is the excess-mass idea
    (Müller and Sawitzki 1991) with a stated threshold. Sarle's coefficient is not used: (skewness² + 1) / kurtosis
    exceeds its bound for skewed distributions, and latencies are skewed.
    """
    if len(values) < FEWEST or histogram is None:
        few = f"{counted(len(values), 'sample')}: too few to detect modes (at least {FEWEST})"
        return Modes((), reason=few if len(values) < FEWEST else "all samples are equal")
    counts = np.asarray(histogram.counts, dtype=float)
    total = len(values)
    cuts = sorted(_valleys(histogram, counts, 0, len(counts), total, time))[: _MOST - 1]
    edges = [histogram.edge_ms(cut) for cut in cuts]
    bounds = [0, *np.searchsorted(ordered, edges, side="left").tolist(), total]
    mode_numbers = np.searchsorted(np.asarray(edges), values, side="right")
    shares = np.diff(bounds) / total
    modes = [
        Mode(median_of(part), len(part) / total, float(part[0]), float(part[-1]))
        for part in (ordered[first:behind] for first, behind in pairwise(bounds))
    ]
    switches = int(np.count_nonzero(np.diff(mode_numbers))) if cuts else 0
    return Modes(tuple(modes), switches, (total - 1) * float(1.0 - (shares**2).sum()) if cuts else 0.0)


def _valleys(histogram: SampleHistogram, counts: Floats, first: int, behind: int, total: int, time: float) -> list[int]:
    """Bins of [first, behind) that separate modes: the most significant first, then recursively on either side."""
    part = counts[first:behind]
    if len(part) < 3:
        return []
    left, right = np.maximum.accumulate(part), np.maximum.accumulate(part[::-1])[::-1]
    lower = np.minimum(left, right)
    certainty = (lower - part) / np.sqrt(np.maximum(lower + part, 1.0) * time)
    inside = np.cumsum(part)
    enough = (inside - part >= LEAST_SHARE * total) & (inside[-1] - inside >= LEAST_SHARE * total)
    certainty[~enough | (part > DEPTH * lower)] = 0.0
    deepest = int(np.argmax(certainty))
    if certainty[deepest] < SIGMAS:
        return []
    lowest = np.flatnonzero(certainty >= certainty[deepest] - 1e-9)
    deepest = int(lowest[len(lowest) // 2])  # the middle of an empty valley
    low, high = int(np.argmax(part[: deepest + 1])), deepest + int(np.argmax(part[deepest:]))
    apart = (high - low) * histogram.width_ms
    if high - low < 2 or apart < APART_PCT / 100.0 * histogram.center_ms(first + low):
        return []
    cut = first + deepest
    return [
        cut,
        *_valleys(histogram, counts, first, cut, total, time),
        *_valleys(histogram, counts, cut, behind, total, time),
    ]

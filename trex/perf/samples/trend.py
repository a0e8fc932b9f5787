"""Samples → SampleTrend: the drift of times over the run, and its significance."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from trex.core.counted import counted
from trex.perf.samples.autocorrelation import local_time
from trex.perf.samples.series import Floats, block_medians

FEWEST_BLOCKS = 10
SURE = 0.01
MATERIAL_PCT = 0.5
_BLOCKS = 200
_TIMES = 4.0
"""Blocks are four autocorrelation times long, so that their medians are nearly independent."""


@dataclass(frozen=True, slots=True)
class SampleTrend:
    """change_pct: slope times length of the run, in percent of the median. p: of the Mann–Kendall test, two-sided.
    Both None if unknown; reason says why.
    """

    change_pct: float | None
    p: float | None = None
    reason: str = ""

    @property
    def drifts(self) -> bool | None:
        """Significant (p below 0.01) and at least half a percent over the run; None if unknown."""
        if self.p is None or self.change_pct is None:
            return None
        return self.p < SURE and abs(self.change_pct) >= MATERIAL_PCT


def trend_of(values: Floats, median: float) -> SampleTrend:
    """Theil–Sen slope and Mann–Kendall test of the medians of at most 200 blocks.

    The blocks have at least five samples and four autocorrelation times of the noise (see ``local_time``): the test
    assumes independent observations, which samples of one run are not.
    """
    length = max(5, round(_TIMES * local_time(values)), -(-len(values) // _BLOCKS))
    count = len(values) // length
    if count < FEWEST_BLOCKS or not median > 0.0:
        few = f"{counted(len(values), 'sample')} make {counted(count, 'independent block')} (at least {FEWEST_BLOCKS})"
        return SampleTrend(None, reason=few)
    medians = block_medians(values, length)
    _, p = mann_kendall(medians)
    return SampleTrend(100.0 * theil_sen(medians) * count / median, p)


def theil_sen(values: Floats) -> float:
    """The slope per index: the median of the slopes of all pairs.

    Theil (1950), Sen (1968): Estimates of the regression coefficient based on Kendall's tau. n(n − 1)/2 pairs. Raises
    ValueError for fewer than two values.
    """
    count = len(values)
    if count < 2:
        raise ValueError("a slope needs two values at least")
    first, second = np.triu_indices(count, 1)
    return float(np.median((values[second] - values[first]) / (second - first)))


def mann_kendall(values: Floats) -> tuple[int, float]:
    """(S, two-sided p): pairs that rise minus pairs that fall, and the probability of such an S without a trend.

    Mann (1945), Kendall (1975): normal approximation with continuity correction, the variance corrected for ties.
    """
    first, second = np.triu_indices(len(values), 1)
    rise = int(np.sign(values[second] - values[first]).sum())
    variance = _variance(values)
    if variance <= 0.0 or rise == 0:
        return rise, 1.0
    return rise, 2.0 * NormalDist().cdf(-(abs(rise) - 1) / variance**0.5)


def _variance(values: Floats) -> float:
    """Variance of S without a trend: (n(n−1)(2n+5) − Σ t(t−1)(2t+5)) / 18 over groups of t equal values."""
    count = len(values)
    ties = np.unique(values, return_counts=True)[1].astype(float)
    return float((count * (count - 1) * (2 * count + 5) - (ties * (ties - 1) * (2 * ties + 5)).sum()) / 18.0)

"""Samples → Spread: their center and dispersion."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from trex.perf.samples.percentiles import median_of
from trex.perf.samples.series import Floats

NORMAL_MAD = 1.482602218505602
"""Standard deviation of a normal distribution over its median absolute deviation: 1 / Φ⁻¹(3/4)."""


@dataclass(frozen=True, slots=True)
class Spread:
    """In milliseconds; NaN with too few samples.

    deviation_ms: standard deviation with n − 1. mad_ms: median of the absolute deviations from the median, unscaled.
    iqr_ms: 75th minus 25th percentile.
    """

    minimum_ms: float
    maximum_ms: float
    mean_ms: float
    median_ms: float
    deviation_ms: float
    mad_ms: float
    iqr_ms: float

    @property
    def variation_pct(self) -> float:
        """Coefficient of variation, 100 · deviation / mean: trtexec reports unstable times above 1 % (2.5 % since
        10.13.2). NaN if the mean is 0 or unknown.
        """
        return 100.0 * (self.deviation_ms / self.mean_ms) if self.mean_ms > 0.0 else math.nan

    @property
    def robust_variation_pct(self) -> float:
        """The same from the median absolute deviation, 100 · 1.4826 · MAD / median: spikes do not affect it."""
        return 100.0 * NORMAL_MAD * (self.mad_ms / self.median_ms) if self.median_ms > 0.0 else math.nan


def spread_of(values: Floats, ordered: Floats) -> Spread:
    """``values`` in any order, ``ordered`` the same ascending. One sample has no deviation."""
    count = len(values)
    if not count:
        return Spread(*([math.nan] * 7))
    median = median_of(ordered)
    quarter, three = (max(0, math.ceil(share * count) - 1) for share in (0.25, 0.75))
    return Spread(
        float(ordered[0]),
        float(ordered[-1]),
        min(float(values.mean()), float(ordered[-1])),
        median,
        float(values.std(ddof=1)) if count > 1 else math.nan,
        float(np.median(np.abs(ordered - median))),
        float(ordered[three] - ordered[quarter]),
    )

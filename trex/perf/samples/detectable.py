"""Samples → Detectable: intervals of mean and median, and the smallest detectable difference between two runs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

from trex.perf.samples.autocorrelation import Autocorrelation
from trex.perf.samples.series import Floats
from trex.perf.samples.spread import Spread

ALPHA, POWER = 0.05, 0.8


@dataclass(frozen=True, slots=True)
class Detectable:
    """median_error_ms: standard error of the median. median_low_ms, median_high_ms: 95 % interval of the median.

    mean_pct, median_pct: the smallest difference, in percent, that two runs like this one detect with a power of 80 %
    at a level of 5 %. All None if unknown; reason says why.
    """

    median_error_ms: float | None = None
    median_low_ms: float | None = None
    median_high_ms: float | None = None
    mean_pct: float | None = None
    median_pct: float | None = None
    reason: str = ""


def detectable_of(ordered: Floats, spread: Spread, correlation: Autocorrelation, step_ms: float) -> Detectable:
    """Smallest detectable differences (z(1 − α/2) + z(power)) · √2 · standard error, for α = 0.05 and power 0.8.

    Standard error of the mean: deviation / √(effective count). Of the median: half the 95 % interval between order
    statistics, ranks n/2 ± 1.96 · n / (2 √(effective count)), over 1.96 (Conover 1999, Practical Nonparametric
    Statistics, with the effective count for dependent samples), and at least a step of the timer over √12, since no
    number of samples makes a constant clock finer. They cover the variation within one run, not that between builds,
    days or clocks.
    """
    for_mean, for_median = correlation.effective_for_mean, correlation.effective_for_median
    if not len(ordered) or not spread.median_ms > 0.0:
        return Detectable(reason="the median is 0 ms" if len(ordered) else "there are no samples")
    if for_mean is None or math.isnan(spread.deviation_ms):
        return Detectable(reason=correlation.reason or "the samples do not vary")
    normal = NormalDist()
    z = normal.inv_cdf(1.0 - ALPHA / 2.0)
    factor = (z + normal.inv_cdf(POWER)) * math.sqrt(2.0)
    mean_error = spread.deviation_ms / math.sqrt(for_mean)
    low, high = median_interval(ordered, for_median if for_median is not None else for_mean, z)
    median_error = max((high - low) / (2.0 * z), step_ms / math.sqrt(12.0))
    return Detectable(
        median_error,
        low,
        high,
        100.0 * factor * (mean_error / spread.mean_ms),
        100.0 * factor * (median_error / spread.median_ms),
    )


def median_interval(ordered: Floats, effective: float, z: float) -> tuple[float, float]:
    """The order statistics that enclose the median, with ``effective`` independent samples."""
    count = len(ordered)
    reach = z * count / (2.0 * math.sqrt(max(effective, 1.0)))
    low = max(0, math.floor(count / 2.0 - reach))
    high = min(count - 1, math.ceil(count / 2.0 + reach) - 1 + (count % 2 == 0))
    return float(ordered[low]), float(ordered[max(low, high)])

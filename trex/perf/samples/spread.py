"""Samples → Spread: their center and dispersion; and percentiles by trtexec's rule, each with its label."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from trex.perf.samples.series import Floats

LABELS = (1.0, 5.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9)
METHOD = "nearest rank, as trtexec: the smallest sample that p % of all samples do not exceed; the median of an even "
METHOD += "number of samples is the mean of the two middle ones"
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


def percentiles(ordered: Floats, labels: Sequence[float] = LABELS) -> Mapping[float, float]:
    """{label in percent: time in milliseconds} of samples in ascending order; empty for no samples.

    Nearest rank (the inverse of the empirical distribution, type 1 of Hyndman and Fan 1996): sample number ⌈p/100 · n⌉
    of n. trtexec leaves out the largest ⌊(1 − p/100) · n⌋ samples and reports the largest of the rest, which is the
    same; it reproduces every percentile that trtexec printed in thirteen real runs. NumPy's default (linear, type 7)
    interpolates between two samples: it differs by up to the gap between them, 0.6 % for the 99th percentile of 248
    samples, and gives times that were never measured. 50 is the median (see METHOD).

    A label outside 0 … 100 is a ValueError. The 99.9th percentile of fewer than 1 000 samples is their maximum.
    """
    if any(not 0.0 <= label <= 100.0 for label in labels):
        raise ValueError(f"percentiles are between 0 and 100: {tuple(labels)}")
    if not len(ordered):
        return {}
    return {
        label: median_of(ordered) if label == 50.0 else float(ordered[_rank(len(ordered), label)]) for label in labels
    }


def median_of(ordered: Floats) -> float:
    """The middle sample, or the mean of the two middle ones; NaN without samples."""
    count = len(ordered)
    if not count:
        return math.nan
    return float(ordered[(count - 1) // 2] + ordered[count // 2]) / 2


def _rank(count: int, label: float) -> int:
    # rounded first, so that 99 % of 200 is the 198th and not, by floating-point error, the 199th
    return min(count - 1, max(0, math.ceil(round(label * count / 100.0, 9)) - 1))

"""Ordered samples → SampleHistogram: counts in bins no finer than the timer."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from trex.perf.samples.series import Floats

MOST_BINS = 512
_TAIL = 0.005


@dataclass(frozen=True, slots=True)
class SampleHistogram:
    """counts: of bins of equal width from ``first_ms`` on. below, above: samples outside of them (at most half a
    percent at each end, so that spikes do not stretch the bins).
    """

    first_ms: float
    width_ms: float
    counts: tuple[int, ...]
    below: int
    above: int

    def edge_ms(self, bin_number: int) -> float:
        return self.first_ms + bin_number * self.width_ms

    def center_ms(self, bin_number: int) -> float:
        return self.first_ms + (bin_number + 0.5) * self.width_ms


def histogram_of(ordered: Floats, step_ms: float) -> SampleHistogram | None:
    """The body of the samples in bins by Freedman and Diaconis (1981), 2 · IQR / ∛n; None for fewer than two distinct
    values.

    The width is a whole number of the timer's steps, at least two, and edges lie between steps: bins with a varying
    number of steps would show a comb that is not in the samples. ``step_ms`` 0 is a timer without steps.
    """
    count = len(ordered)
    if count < 2 or ordered[0] == ordered[-1]:
        return None
    low, high = float(ordered[int(_TAIL * count)]), float(ordered[count - 1 - int(_TAIL * count)])
    if low == high:
        low, high = float(ordered[0]), float(ordered[-1])
    quartiles = float(ordered[(3 * count) // 4] - ordered[count // 4])
    width = max(2.0 * (quartiles / count ** (1 / 3)), (high - low) / MOST_BINS, math.ulp(0.0))
    first = low
    if step_ms:
        width = step_ms * max(2, math.ceil(width / step_ms - 1e-6))
        first = low - 0.5 * step_ms
    bins = max(1, math.ceil((high - first) / width + 1e-9))
    ranks = np.searchsorted(ordered, first + width * np.arange(bins + 1), side="left")
    return SampleHistogram(first, width, tuple(np.diff(ranks).tolist()), int(ranks[0]), int(count - ranks[-1]))

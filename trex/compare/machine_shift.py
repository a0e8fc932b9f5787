"""MachineShift: how much slower unchanged kernels run in the new engine: the machine's doing, not the engine's.

A kernel that is the same in both engines, by name, types, formats and sizes, does the same work. If all of these take
longer by one factor, the GPU, its clock or another load differs, and every other layer's time contains that factor too.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from trex.compare.causes import SAME, Change
from trex.compare.layer_times import STEP_MS
from trex.core.bounded_exponent import bounded_exp
from trex.core.counted import counted
from trex.core.signed import signed

FEWEST_KERNELS = 6
"""Effective number of unchanged kernels for a 95 % interval: six values lie on one side of their median by chance with
a probability of 2 · 0.5⁶ = 3 %.
"""
LEAST = 0.01
"""A smaller shift is within what profiles of one machine repeat."""
REPEATED = 0.032
"""The largest shift between published profiles of one machine (13 pairs)."""
LARGE = 0.1
"""From this shift on, up or down by a factor of 1.1, no causes follow.

A clock scales kernels bound by arithmetic and leaves those bound by memory, so a cause keeps an error of up to the
shift times its layers' time. At 10 % that error is as large as the causes that people look for. Published profiles of
one machine shift by at most 3.2 % (13 pairs), a slow run of one by a factor of 1.8.
"""
NAME = "speed of unchanged kernels"
_Z = 1.959964


@dataclass(frozen=True, slots=True)
class MachineShift:
    """factor: the new engine's time of unchanged kernels over the base's, 1.8 for 1.8 times as long. low, high: its
    95 % interval. kernels: number of unchanged layer groups.
    """

    factor: float
    low: float
    high: float
    kernels: int

    @property
    def is_shifted(self) -> bool:
        """Whether the interval excludes 1 and the shift is at least 1 %."""
        return not self.low <= 1.0 <= self.high and abs(math.log(self.factor)) >= math.log1p(LEAST)

    @property
    def is_large(self) -> bool:
        """Whether the shift is too large for causes."""
        return self.is_shifted and abs(math.log(self.factor)) > math.log1p(LARGE)

    @property
    def correction(self) -> float:
        """What the new engine's times are divided by: the factor, 1 without a certain shift."""
        return self.factor if self.is_shifted else 1.0

    @property
    def words(self) -> str:
        """``14 unchanged kernels take 1.80× as long in new (95 % interval 1.67× to 2.36×)``."""
        kernels = counted(self.kernels, "unchanged kernel takes", "unchanged kernels take")
        if self.is_large:
            interval = f"95 % interval {self.low:.2f}× to {self.high:.2f}×"
            return f"{kernels} {self.factor:.2f}× as long in new ({interval})"
        interval = f"95 % interval {signed(100.0 * self.low - 100.0)} to {signed(100.0 * self.high - 100.0)} %"
        if not self.is_shifted:
            return f"{kernels} as long in new as in base ({signed(100.0 * self.factor - 100.0)} %, {interval})"
        way = "longer" if self.factor > 1.0 else "less time"
        return f"{kernels} {abs(100.0 * self.factor - 100.0):.1f} % {way} in new ({interval})"


def machine_shift_of(changes: Iterable[Change]) -> MachineShift | None:
    """The median of ln(new / base) over unchanged kernels, weighted by w, the shorter of both times, so that swapping
    the engines inverts the factor and a kernel gains no weight by becoming slower. None with fewer than six effective
    kernels, (Σw)² / Σw² (Kish 1965, Survey Sampling).

    Half of the weight may deviate without moving a weighted median: kernels that read from another cache, or that are
    mostly launch. The interval is Woodruff's (1952) for a weighted quantile: the values at a half ± 1.96 / (2 √n) of
    the weight, n the effective number. Kernels within the profiler's step are left out.
    """
    changes = tuple(changes)
    same = [change for change in changes if change.words == SAME and change.is_known and _is_timed(change)]
    if not same:
        return None
    logs = np.array([math.log(change.right_ms / change.left_ms) for change in same])
    weights = np.array([min(change.left_ms, change.right_ms) for change in same])
    effective = float(weights.sum() ** 2 / np.square(weights).sum())
    if effective < FEWEST_KERNELS:
        return None
    order = np.argsort(logs, kind="stable")
    logs, weights = logs[order], weights[order]
    reached = np.cumsum(weights) / weights.sum()
    reach = _Z / (2.0 * math.sqrt(effective))
    low, middle, high = (_quantile(logs, reached, share) for share in (0.5 - reach, 0.5, 0.5 + reach))
    return MachineShift(bounded_exp(middle), bounded_exp(low), bounded_exp(high), len(same))


def _is_timed(change: Change) -> bool:
    return min(change.left_ms, change.right_ms) > STEP_MS


def _quantile(values: np.ndarray, reached: np.ndarray, share: float) -> float:
    """The value at a share of the weight; the mean of two neighbors exactly between them."""
    tolerance = 1e-9
    first = int(np.searchsorted(reached, share - tolerance))
    last = int(np.searchsorted(reached, share + tolerance))
    most = len(values) - 1
    return float(values[min(first, most)] + values[min(last, most)]) / 2.0

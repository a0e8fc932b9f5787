"""A series of measured times: the usable ones, medians of blocks, the step of the timer, ranks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trex.core.counted import counted
from trex.core.timings import LONGEST_MS

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
EVENT_STEP_MS = 0.000512
"""Resolution of CUDA's event timer, about half a microsecond (CUDA Runtime API, cudaEventElapsedTime); real profiles
hold multiples of 0.512 and 1.024 µs."""
_DIGITS = 6


@dataclass(frozen=True, slots=True, eq=False)
class Usable:
    """values: finite times in milliseconds, in the order of measurement. unknown, negative, zero: how many were
    left out for that reason.
    """

    values: Floats
    unknown: int = 0
    negative: int = 0
    zero: int = 0

    def __len__(self) -> int:
        return len(self.values)

    @property
    def left_out(self) -> int:
        return self.unknown + self.negative + self.zero

    @property
    def words(self) -> str:
        """The samples left out, "" for none."""
        parts = [
            (self.unknown, "sample without a number", "samples without a number"),
            (self.negative, "negative sample", "negative samples"),
            (self.zero, "sample of 0 ms", "samples of 0 ms"),
        ]
        counts = [counted(number, one, many) for number, one, many in parts if number]
        return f"left out: {', '.join(counts)}" if counts else ""


def usable(samples: Sequence[float] | Floats, warm_up_rows: int = 0, *, zero_is_a_time: bool = False) -> Usable:
    """The usable times of ``samples`` (milliseconds), without the first ``warm_up_rows``.

    NaN, negative numbers and those beyond ``LONGEST_MS`` are left out. So is zero, unless ``zero_is_a_time``: a
    difference of 0 ms between two CUDA events is below the timer's resolution, but a rounded difference of two clock
    readings may well be 0.
    """
    values = np.asarray(samples, dtype=np.float64).reshape(-1)[max(0, warm_up_rows) :]
    lowest = float(np.min(values, initial=np.inf))
    if lowest > 0.0 and float(np.max(values, initial=0.0)) <= LONGEST_MS:  # NaN fails the first comparison
        return Usable(values)
    finite = np.abs(values) <= LONGEST_MS  # NaN is not
    negative = finite & (values < 0.0)
    zero = values == 0.0
    kept = finite & ~negative
    if not zero_is_a_time:
        kept &= ~zero
    dropped_zeros = 0 if zero_is_a_time else int(zero.sum())
    return Usable(values[kept], int((~finite).sum()), int(negative.sum()), dropped_zeros)


def block_medians(values: Floats, length: int) -> Floats:
    """Medians of consecutive blocks of ``length`` samples, without a shorter block at the end."""
    count = len(values) // length
    whole = values[: count * length]
    return whole if length == 1 else np.median(whole.reshape(count, length), axis=1)


def step_of(ordered: Floats) -> float | None:
    """The timer's step in milliseconds; None if all samples are equal.

    The smallest difference between two samples that is more than the last of trtexec's six significant digits; if few
    samples repeat, those digits are the step. Never more than two steps of the event timer, or than one of the digits
    if that is coarser: two modes do not prove a coarse timer.
    """
    if len(ordered) < 2 or ordered[0] == ordered[-1]:
        return None
    differences = np.diff(ordered)
    different = differences[differences > 0.0]
    digit = 10.0 ** (math.floor(math.log10(float(ordered[-1]))) + 1 - _DIGITS)
    if 2 * len(different) > len(ordered):
        return float(max(min(different.min(), digit), 1e-12 * ordered[-1]))
    steps = different[different > 2.0 * digit]
    return min(float(steps.min()), max(2.0 * EVENT_STEP_MS, digit)) if len(steps) else digit


def clock_step_ms(last_timestamp_ms: float) -> float:
    """Resolution of a timestamp of that size in single precision, as trtexec stores the events of a run: a difference
    of two is no finer. 0.49 µs between 4.1 and 8.2 seconds after the start, 0.98 µs up to 16.4 seconds.
    """
    return float(np.spacing(np.float32(abs(last_timestamp_ms))))


def ranks(values: Sequence[float] | Floats) -> tuple[Floats, Integers]:
    """(rank of each value from 1 on, number of values of each distinct value in ascending order)."""
    _, groups, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2.0)[groups], counts


def spearman(first: Sequence[float] | Floats, second: Sequence[float] | Floats) -> float | None:
    """Spearman's rank correlation; None for fewer than two values, or if one series does not vary."""
    one, other = ranks(first)[0], ranks(second)[0]
    if len(one) < 2 or np.ptp(one) == 0.0 or np.ptp(other) == 0.0:
        return None
    return float(np.corrcoef(one, other)[0, 1])

"""A series of measured times: the usable ones, medians of blocks, and a factor that keeps sums finite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trex.core.counted import counted

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
_EXPONENT = 400
_SHIFT = 700


@dataclass(frozen=True, slots=True, eq=False)
class Usable:
    """values: finite times in milliseconds, in the order of measurement. rows: the index of each in the given column,
    without the warm-up. unknown, negative, zero: how many were left out for that reason.
    """

    values: Floats
    rows: Integers
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

    NaN, infinite and negative numbers are left out. So is zero, unless ``zero_is_a_time``: a difference of 0 ms between
    two CUDA events is below the timer's resolution, but a rounded difference of two clock readings may well be 0.
    """
    values = np.asarray(samples, dtype=np.float64).reshape(-1)[max(0, warm_up_rows) :]
    lowest = float(np.min(values, initial=np.inf))
    if lowest > 0.0 and np.isfinite(float(np.max(values, initial=0.0))):  # NaN fails the first comparison
        return Usable(values, np.arange(len(values)))
    finite = np.isfinite(values)
    negative = finite & (values < 0.0)
    zero = values == 0.0
    kept = finite & ~negative
    if not zero_is_a_time:
        kept &= ~zero
    rows = np.flatnonzero(kept)
    dropped_zeros = 0 if zero_is_a_time else int(zero.sum())
    return Usable(values[rows], rows, int((~finite).sum()), int(negative.sum()), dropped_zeros)


def block_medians(values: Floats, length: int) -> Floats:
    """Medians of consecutive blocks of ``length`` samples, without a shorter block at the end."""
    count = len(values) // length
    whole = values[: count * length]
    return whole if length == 1 else np.median(whole.reshape(count, length), axis=1)


def range_factor(largest: float) -> float:
    """The power of two to multiply samples by so that their squares neither overflow nor vanish.

    1 for realistic times. If the largest sample is beyond 2⁴⁰⁰, samples that vanish by the factor do not matter in a
    sum; order statistics use the samples themselves.
    """
    if largest > 2.0**_EXPONENT:
        return 2.0**-_SHIFT
    return 2.0**_SHIFT if largest < 2.0**-_EXPONENT else 1.0

"""A series of measured times: the usable ones, and medians of blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trex.core.counted import counted
from trex.core.timings import LONGEST_MS

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


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

"""Measured numbers → Usable: those that are times, in their order, and how many were not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from trex.core.counted import counted

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Usable:
    """values: finite times in milliseconds, in the order in which they were measured. rows: the place of each in the
    column as given, counted without the warm-up. unknown, negative, zero: how many were left out, and why.
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
        """What was left out, "" when nothing was."""
        parts = [
            (self.unknown, "sample without a number", "samples without a number"),
            (self.negative, "negative sample", "negative samples"),
            (self.zero, "sample of 0 ms", "samples of 0 ms"),
        ]
        told = [counted(number, one, many) for number, one, many in parts if number]
        return f"left out: {', '.join(told)}" if told else ""


def usable(samples: Sequence[float] | Floats, warm_up_rows: int = 0, *, zero_is_a_time: bool = False) -> Usable:
    """The times among ``samples`` (milliseconds), without the first ``warm_up_rows``.

    NaN, infinite and negative numbers are no times. Zero is none either, unless ``zero_is_a_time``: events that are
    0 ms apart were not told apart by the timer, while a rounded difference of two clock readings may well be 0.
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

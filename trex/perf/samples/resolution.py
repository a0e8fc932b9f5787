"""Ordered samples → the step of the timer."""

from __future__ import annotations

import math

import numpy as np

from trex.perf.samples.series import Floats

EVENT_STEP_MS = 0.000512
"""Resolution of CUDA's event timer, about half a microsecond (CUDA Runtime API, cudaEventElapsedTime); real profiles
hold multiples of 0.512 and 1.024 µs."""
_DIGITS = 6


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

"""A predicted time → samples: the durations that so many queries would show; all equal unless noise is asked for.

Noise is made, not predicted: a body with a spread of 0.4 % of the time, and one query in a hundred late by 2 % more on
average, as traces of trtexec with spin-wait on GPUs of their own show (coefficients of variation from 0.1 % to 0.7 %).
The mean of many is a little above the predicted time, their median is the predicted time. Layers are told in the steps
of the profiler's timer, up or down by chance, so that their mean stays what it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

SPREAD = 0.004
LATE_SHARE, LATE_BY = 0.01, 0.02
PROFILE_STEP_MS = 0.001024
"""Steps in which TensorRT's profiler tells the times of single runs, as real profiles show."""


def samples(ms: float, seed: int | str | None = None, queries: int = 1) -> tuple[float, ...]:
    """So many durations in milliseconds. seed: None for no noise; the same seed gives the same samples on every run."""
    if seed is None:
        return (ms,) * queries
    random = Random(f"{seed}")
    return tuple([ms * _factor(random) for _ in range(queries)])


def layer_samples(
    layers_ms: Sequence[float], seed: int | str | None = None, queries: int = 1
) -> tuple[tuple[float, ...], ...]:
    """The durations of each layer, query by query; without noise not in steps either."""
    if seed is None:
        return tuple((ms,) * queries for ms in layers_ms)
    return tuple(_in_steps(samples(ms, f"{seed}/{place}", queries), seed, place) for place, ms in enumerate(layers_ms))


def _in_steps(drawn: tuple[float, ...], seed: int | str, place: int) -> tuple[float, ...]:
    random = Random(f"{seed}/{place}/steps")
    return tuple([int(ms / PROFILE_STEP_MS + random.random()) * PROFILE_STEP_MS for ms in drawn])


def _factor(random: Random) -> float:
    body = 1 + max(-3.0, min(3.0, random.gauss(0.0, 1.0))) * SPREAD
    return body + random.expovariate(1 / LATE_BY) if random.random() < LATE_SHARE else body

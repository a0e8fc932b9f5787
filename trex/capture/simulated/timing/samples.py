"""A predicted time → samples: the durations that so many queries would show; all equal unless noise is asked for.

Noise is made, not predicted: a body with a spread of 0.4 % of the time, some of whose queries are late by 2 % more on
average, as traces of trtexec with spin-wait on GPUs of their own show (coefficients of variation from 0.1 % to 0.7 %).
The mean of many is a little above the predicted time, their median is the predicted time.
"""

from __future__ import annotations

from random import Random

SPREAD = 0.004
LATE_SHARE, LATE_BY = 0.01, 0.02


def samples(ms: float, seed: int | str | None = None, queries: int = 1) -> tuple[float, ...]:
    """So many durations in milliseconds. seed: None for no noise; the same seed gives the same samples on every run."""
    if seed is None:
        return (ms,) * queries
    random = Random(f"{seed}")
    return tuple(ms * _factor(random) for _ in range(queries))


def _factor(random: Random) -> float:
    body = 1 + max(-3.0, min(3.0, random.gauss(0.0, 1.0))) * SPREAD
    return body + random.expovariate(1 / LATE_BY) if random.random() < LATE_SHARE else body

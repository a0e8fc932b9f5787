"""A predicted time and a seed → durations of single queries; all equal without a seed.

Noise is invented, not predicted: a standard deviation of 0.4 % of the time, and one query in a hundred delayed by 2 %
on average, as in trtexec runs with spin-wait on idle GPUs (coefficients of variation from 0.1 % to 0.7 %). The mean of
many is slightly above the predicted time, their median is the predicted time.
"""

from __future__ import annotations

from random import Random

from trex.simulator.artifacts import QUERIES
from trex.simulator.engine_file import SimulatedEngine

SPREAD = 0.004
LATE_SHARE, LATE_BY = 0.01, 0.02

Samples = tuple[float, ...]


def engine_samples(engine: SimulatedEngine, seed: str) -> tuple[list[Samples] | None, Samples]:
    """(samples of each layer, of GPU compute) in milliseconds; (None, equal samples) without a seed."""
    if not seed:
        return None, (engine.compute_ms,) * QUERIES
    layers = [samples(ms or 0.0, f"{seed} {index}", QUERIES) for index, ms in enumerate(engine.layer_ms)]
    return layers, samples(engine.compute_ms, seed, QUERIES)


def samples(ms: float, seed: int | str, queries: int) -> Samples:
    """That many durations in milliseconds; the same seed gives the same samples on every run."""
    random = Random(f"{seed}")
    return tuple([ms * _factor(random) for _ in range(queries)])


def _factor(random: Random) -> float:
    body = 1 + max(-3.0, min(3.0, random.gauss(0.0, 1.0))) * SPREAD
    return body + random.expovariate(1 / LATE_BY) if random.random() < LATE_SHARE else body

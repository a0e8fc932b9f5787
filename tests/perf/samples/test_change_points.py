"""Levels that were put in are found, and none where there are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.perf.samples.test_autocorrelation import autoregressive
from trex.perf.samples.change_points import _partition, levels_of


def noise(count: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(1.0, 0.005, count)


def best_partition(values: np.ndarray, penalty: float, shortest: int = 4) -> list[int]:
    """The same partition by the plain recursion over every last change (Jackson and others 2005)."""

    def cost(first: int, behind: int) -> float:
        part = values[first:behind]
        return float(((part - part.mean()) ** 2).sum())

    best, last = {0: -penalty}, {0: 0}
    for end in range(shortest, len(values) + 1):
        choices = {s: best[s] + cost(s, end) + penalty for s in best if end - s >= shortest}
        last[end] = min(choices, key=lambda s: choices[s])
        best[end] = choices[last[end]]
    result, index = [], len(values)
    while last[index]:
        index = last[index]
        result.append(index)
    return result[::-1]


@pytest.mark.parametrize("seed", range(12))
def test_pruning_loses_nothing(seed: int):
    generator = np.random.default_rng(seed)
    values = generator.normal(size=90) + np.repeat(generator.normal(scale=2.0, size=6), 15)
    assert _partition(values, 2 * np.log(90)) == best_partition(values, 2 * np.log(90))


@pytest.mark.parametrize("count", [200, 1000, 20_000])
def test_one_step(count: int):
    values = noise(count) + np.where(np.arange(count) >= 0.4 * count, 0.03, 0.0)
    result: Any = levels_of(values, 1.0, 0.0)
    assert result.changes == 1
    assert abs(result.levels[1].first - 0.4 * count) <= 2 * max(5, count // 1000)
    assert result.largest_change_pct == pytest.approx(3.0, abs=0.3)
    assert (result.levels[0].first, result.levels[-1].behind) == (0, count)


def test_there_and_back_with_spikes():
    values = noise(6000)
    values[2000:3000] *= 1.05
    values[::53] *= 2
    result: Any = levels_of(values, 1.0, 0.0, offset=7)
    assert [round(level.median_ms, 2) for level in result.levels] == [1.0, 1.05, 1.0]
    assert abs(result.levels[1].first - 2007) <= 12


def test_nothing_where_nothing_is():
    assert sum(levels_of(noise(3000, seed), 1.0, 0.0).changes or 0 for seed in range(40)) == 0
    assert levels_of(np.ones(500), 1.0, 0.0).changes == 0
    mixed = noise(5000) + np.where(np.random.default_rng(1).random(5000) < 0.3, 0.06, 0.0)
    assert levels_of(mixed, 1.0, 0.0).changes == 0
    related = sum(levels_of(1 + 0.005 * autoregressive(0.9, 4000, seed), 1.0, 0.0).changes or 0 for seed in range(20))
    assert related <= 6


def test_steps_without_noise():
    values = np.repeat([1.0, 2.0], 300)
    assert levels_of(values, 1.5, 0.001).changes == 1


def test_too_few():
    result: Any = levels_of(np.ones(99), 1.0, 0.0)
    assert result.changes is None and result.largest_change_pct is None
    assert result.reason == "99 samples: too few to detect levels (at least 100)"


@pytest.mark.parametrize("count", [100, 250, 1000])
def test_short_dependent_runs_are_steady(count: int):
    runs = (1 + 0.006 * autoregressive(0.8, count, seed) for seed in range(60))
    assert sum(bool(levels_of(values, 1.0, 0.0).changes) for values in runs) <= 6


def test_a_clock_that_jumps_between_steps():
    generator = np.random.default_rng(0)
    levels = np.repeat(generator.choice([1.99, 2.013, 2.023, 2.056], size=15), 100)
    values = levels + generator.normal(0.0, 0.001, 1500)
    put_in = int(np.count_nonzero(np.diff(levels)))
    result: Any = levels_of(values, 1.99, 0.0002)
    # 1 % apart at least, but 2.013 and 2.023, which are reported as one
    near = int(np.count_nonzero(np.isclose(np.abs(np.diff(levels)), 0.01)))
    assert put_in - 2 * near <= result.changes <= put_in

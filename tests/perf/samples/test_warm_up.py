"""Beginnings that were put in are found, and none where there are none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from trex.perf.samples.warm_up import warm_up_of


def noise(count: int = 4000, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(1.0, 0.005, count)


@pytest.mark.parametrize("length", [10, 50, 300])
def test_a_slow_beginning(length: int):
    values = noise()
    values[:length] *= 1.1
    result: Any = warm_up_of(values)
    assert abs(result.samples - length) <= 5
    assert result.excess_pct == pytest.approx(10.0, abs=0.7)


def test_a_beginning_that_fades():
    values = noise() + 0.2 * np.exp(-np.arange(4000) / 50)
    result: Any = warm_up_of(values)
    assert 50 <= result.samples <= 300


def test_by_hand():
    # 20 blocks of five: one of 3, nineteen of 1. From the second on the error is 0: the cut is behind five samples.
    values = np.concatenate((np.full(5, 3.0), np.ones(95)))
    result: Any = warm_up_of(values)
    assert (result.samples, result.head_ms, result.rest_ms, result.excess_pct) == (5, 3.0, 1.0, 200.0)


def test_none():
    assert [warm_up_of(noise(seed=seed)).samples for seed in range(30)] == [0] * 30
    values = noise()
    values[3] = 50.0  # one spike
    assert warm_up_of(values).samples == 0
    assert warm_up_of(np.ones(200)).samples == 0
    half = noise() + np.where(np.arange(4000) < 2000, 0.1, 0.0)  # a level, not a beginning
    assert warm_up_of(half).samples == 0


def test_a_fast_beginning_and_a_long_trace():
    values = noise(100_000)
    values[:5000] *= 0.9
    result: Any = warm_up_of(values)
    assert result.samples == pytest.approx(5000, abs=10) and result.excess_pct < 0


def test_too_few():
    assert warm_up_of(np.ones(49)).samples is None and warm_up_of(np.ones(49)).excess_pct is None

"""Autocorrelation of series whose answer is known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from trex.perf.samples.autocorrelation import (
    autocorrelation_of,
    correlations_of,
    integrated_times,
    leading_correlations,
    local_time,
)


def autoregressive(rho: float, count: int, seed: int = 0) -> np.ndarray:
    """x(i) = rho · x(i−1) + noise: autocorrelation rho^k, integrated time (1 + rho) / (1 − rho)."""
    noise = np.random.default_rng(seed).standard_normal(count)
    values = np.empty(count)
    last = 0.0
    for index, item in enumerate(noise.tolist()):
        last = rho * last + item
        values[index] = last
    return values


def test_by_hand():
    # 1, 2, 3, 4 about their mean: −1.5, −0.5, 0.5, 1.5; lag 1: (0.75 − 0.25 + 0.75) / 5, lag 3: −2.25 / 5
    result: Any = correlations_of(np.array([[1.0, 2.0, 3.0, 4.0]]))[0]
    assert result == pytest.approx([1.0, 0.25, -0.3, -0.45])
    # pairs: 1 + 0.25, then −0.75: 2 · 1.25 − 1
    assert integrated_times(result[None])[0] == pytest.approx(1.5)


def test_as_the_sums_give_it():
    signal = pytest.importorskip("scipy.signal")
    values = autoregressive(0.7, 501)
    centered = values - values.mean()
    expected = signal.correlate(centered, centered, method="direct")[500:] / (centered @ centered)
    assert correlations_of(values[None])[0] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9, 0.98])
def test_time_of_an_autoregression(rho: float):
    values = autoregressive(rho, 200_000)
    result: Any = autocorrelation_of(values, float(np.median(values)))
    assert result.mean_time == pytest.approx((1 + rho) / (1 - rho), rel=0.15)
    # of the signs: Σ 2/π · arcsin(rho^k), less than that of the values
    signs = 1 + 2 * sum(2 / math.pi * math.asin(rho**lag) for lag in range(1, 1000))
    assert result.median_time == pytest.approx(signs, rel=0.15)
    assert result.effective_for_mean == pytest.approx(200_000 / result.mean_time)
    assert local_time(values) == pytest.approx(result.mean_time, rel=0.2)


def test_a_step_is_no_noise():
    values = np.random.default_rng(0).normal(1.0, 0.01, 4000)
    values[1500:] += 1.0
    result: Any = autocorrelation_of(values, 1.5)
    assert result.mean_time > 100
    assert local_time(values) < 2


def test_alternating_samples_count_as_independent():
    values: Any = 1.0 + 0.1 * (-1.0) ** np.arange(100)
    assert autocorrelation_of(values, 1.0).mean_time == 1.0


def test_unknown():
    assert autocorrelation_of(np.ones(5), 1.0).reason.startswith("5 samples are too few")
    constant = autocorrelation_of(np.ones(50), 1.0)
    assert constant.mean_time is None and "equal" in constant.reason
    assert constant.effective_for_median is None
    rows = np.stack((np.full(16, 0.1), np.arange(16.0)))
    assert np.isnan(integrated_times(correlations_of(rows))[0])


def test_the_first_lags_of_long_runs_are_those_of_all() -> None:
    values = np.random.default_rng(5).normal(size=70_000).cumsum() * 1e-3 + 5.0
    rows = np.stack((values, np.sign(values - np.median(values))))
    assert leading_correlations(rows)[:, :100] == pytest.approx(correlations_of(rows)[:, :100], abs=1e-9)

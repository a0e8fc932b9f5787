"""Trends by hand, and as SciPy's tests of the same name give them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.perf.samples.test_autocorrelation import autoregressive
from trex.perf.samples.trend import mann_kendall, theil_sen, trend_of


def test_by_hand():
    # 1 3 2 4: rises 1-3, 1-2, 1-4, 3-4, 2-4, falls 3-2: S = 4, variance 4·3·13/18; slopes 2 ½ 1 −1 ½ 2 → (½ + 1)/2
    values = np.array([1.0, 3.0, 2.0, 4.0])
    assert mann_kendall(values)[0] == 4
    assert theil_sen(values) == 0.75
    assert mann_kendall(np.ones(9)) == (0, 1.0)
    with pytest.raises(ValueError, match="two values"):
        theil_sen(values[:1])


@pytest.mark.parametrize("ties", [False, True])
def test_scipy_agrees(ties: bool):
    stats = pytest.importorskip("scipy.stats")
    values: Any = np.random.default_rng(3).normal(size=60) + 0.01 * np.arange(60)
    values = np.round(values, 0) if ties else values
    expected = stats.theilslopes(values, np.arange(60))
    assert theil_sen(values) == pytest.approx(expected.slope)
    # Kendall's tau against time is the same test; SciPy leaves out the correction for continuity
    rise, p = mann_kendall(values)
    without = stats.kendalltau(np.arange(60), values, method="asymptotic").pvalue
    z = stats.norm.isf(without / 2)
    assert stats.norm.isf(p / 2) == pytest.approx(z * (abs(rise) - 1) / abs(rise))


def test_a_drift_is_found_in_spite_of_spikes():
    values = np.random.default_rng(0).normal(1.0, 0.005, 5000) + np.linspace(0, 0.02, 5000)
    values[::97] += 0.5
    result: Any = trend_of(values, 1.01)
    assert result.drifts and result.change_pct == pytest.approx(2.0, rel=0.1)


def test_noise_that_hangs_together_is_no_drift():
    false = sum(bool(trend_of(100 + autoregressive(0.95, 4000, seed), 100.0).drifts) for seed in range(60))
    assert false <= 3


def test_too_few():
    result: Any = trend_of(np.ones(30), 1.0)
    assert result.drifts is None and result.reason == "30 samples make 6 independent blocks (at least 10)"
    assert trend_of(np.empty(0), float("nan")).drifts is None

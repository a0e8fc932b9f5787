"""Center and scatter by hand and as SciPy gives them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from trex.perf.samples.spread import NORMAL_MAD, median_of, percentiles, spread_of


def spread(values):
    array = np.asarray(values, dtype=float)
    return spread_of(array, np.sort(array))


def test_by_hand():
    # mean 4, squares 9 + 4 + 1 + 36 = 50 over 3; distances from the median 2.5: 1.5, 0.5, 0.5, 7.5
    result: Any = spread([1.0, 2.0, 3.0, 10.0])
    assert (result.minimum_ms, result.maximum_ms, result.mean_ms, result.median_ms) == (1, 10, 4, 2.5)
    assert result.deviation_ms == pytest.approx(math.sqrt(50 / 3))
    assert result.mad_ms == 1.0 and result.iqr_ms == 2.0
    assert result.variation_pct == pytest.approx(25 * math.sqrt(50 / 3))
    assert result.robust_variation_pct == pytest.approx(100 * 1.4826022 / 2.5)


def test_too_few():
    assert math.isnan(spread([]).median_ms) and math.isnan(spread([]).variation_pct)
    one = spread([2.0])
    assert one.median_ms == 2.0 and one.mad_ms == 0.0 and math.isnan(one.deviation_ms)


@pytest.mark.parametrize("count", [2, 5, 100, 1001])
def test_scipy_agrees(count: int):
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(count).lognormal(size=count)
    result: Any = spread(values)
    assert result.mad_ms == pytest.approx(stats.median_abs_deviation(values))
    assert result.variation_pct == pytest.approx(100 * stats.variation(values, ddof=1))
    assert pytest.approx(1 / stats.norm.ppf(0.75)) == NORMAL_MAD
    assert result.iqr_ms == pytest.approx(stats.iqr(values, interpolation="inverted_cdf"))


def test_percentiles_by_hand():
    # ⌈p/100 · 10⌉: 90 % → the 9th, 95 % and 99 % → the 10th, 1 % → the 1st; the median is between 5th and 6th.
    ordered = np.arange(1.0, 11.0)
    assert percentiles(ordered, (1, 50, 90, 95, 99, 100)) == {1: 1, 50: 5.5, 90: 9, 95: 10, 99: 10, 100: 10}
    assert percentiles(ordered, (0,)) == {0: 1}


def test_binary_fractions_do_not_shift_a_rank():
    assert percentiles(np.arange(1.0, 201.0), (99,)) == {99: 198}
    assert percentiles(np.arange(1.0, 1001.0), (99.9,)) == {99.9: 999}


@pytest.mark.parametrize("count", [1, 2, 3, 10, 99, 100, 101, 248, 1369])
def test_as_numpy_and_trtexec(count: int):
    ordered = np.sort(np.random.default_rng(count).lognormal(size=count))
    labels = (1.0, 5.0, 25.0, 75.0, 90.0, 95.0, 99.0)
    result: Any = percentiles(ordered, labels)
    assert list(result.values()) == list(np.percentile(ordered, labels, method="inverted_cdf"))
    # trtexec: of the samples without the largest ⌊(1 − p/100) · n⌋, the largest
    for label, value in result.items():
        assert value == ordered[max(0, count - 1 - math.floor(round((1 - label / 100) * count, 9)))]


@pytest.mark.parametrize("count", [7, 200, 999])
def test_scipy_agrees_on_percentiles(count: int):
    pytest.importorskip("scipy", "1.16")  # the first with quantile
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(count).gamma(2.0, size=count)
    result: Any = percentiles(np.sort(values), (1.0, 90.0, 95.0, 99.0))
    shares = np.array(list(result)) / 100
    assert list(result.values()) == stats.quantile(values, shares, method="inverted_cdf").tolist()


def test_no_samples_and_bad_labels():
    assert percentiles(np.empty(0)) == {}
    assert math.isnan(median_of(np.empty(0)))
    with pytest.raises(ValueError, match="between 0 and 100"):
        percentiles(np.ones(3), (101,))

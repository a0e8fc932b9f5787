"""Center and scatter by hand and as SciPy gives them."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest

from trex.perf.samples.spread import NORMAL_MAD, spread_of


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


@pytest.mark.parametrize("exponent", [-1070, -600, 600, 1020])
def test_numbers_whose_squares_vanish_or_overflow(exponent: int):
    result: Any = spread(np.ldexp([1.0, 2.0, 3.0, 10.0], exponent))
    exact = [math.ldexp(value, exponent) for value in (1.0, 10.0, 4.0, 2.5, math.sqrt(50 / 3), 1.0, 2.0)]
    expected = (
        result.minimum_ms,
        result.maximum_ms,
        result.mean_ms,
        result.median_ms,
        result.deviation_ms,
        result.mad_ms,
    )
    assert [*expected, result.iqr_ms] == pytest.approx(exact, rel=1e-12, abs=5e-324)
    if exponent > -1000:
        assert result.variation_pct == pytest.approx(25 * math.sqrt(50 / 3))


def test_the_largest_number_has_a_mean():
    result: Any = spread([5e-324, sys.float_info.max])
    assert result.mean_ms == result.median_ms == result.mad_ms == sys.float_info.max / 2
    assert result.deviation_ms == pytest.approx(sys.float_info.max / math.sqrt(2))


@pytest.mark.parametrize("count", [2, 5, 100, 1001])
def test_scipy_agrees(count: int):
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(count).lognormal(size=count)
    result: Any = spread(values)
    assert result.mad_ms == pytest.approx(stats.median_abs_deviation(values))
    assert result.variation_pct == pytest.approx(100 * stats.variation(values, ddof=1))
    assert pytest.approx(1 / stats.norm.ppf(0.75)) == NORMAL_MAD
    assert result.iqr_ms == pytest.approx(stats.iqr(values, interpolation="inverted_cdf"))

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
    found: Any = spread([1.0, 2.0, 3.0, 10.0])
    assert (found.minimum_ms, found.maximum_ms, found.mean_ms, found.median_ms) == (1, 10, 4, 2.5)
    assert found.deviation_ms == pytest.approx(math.sqrt(50 / 3))
    assert found.mad_ms == 1.0 and found.iqr_ms == 2.0
    assert found.variation_pct == pytest.approx(25 * math.sqrt(50 / 3))
    assert found.robust_variation_pct == pytest.approx(100 * 1.4826022 / 2.5)


def test_too_few():
    assert math.isnan(spread([]).median_ms) and math.isnan(spread([]).variation_pct)
    one = spread([2.0])
    assert one.median_ms == 2.0 and one.mad_ms == 0.0 and math.isnan(one.deviation_ms)


@pytest.mark.parametrize("exponent", [-1070, -600, 600, 1020])
def test_numbers_whose_squares_vanish_or_overflow(exponent: int):
    found: Any = spread(np.ldexp([1.0, 2.0, 3.0, 10.0], exponent))
    exact = [math.ldexp(value, exponent) for value in (1.0, 10.0, 4.0, 2.5, math.sqrt(50 / 3), 1.0, 2.0)]
    told = (found.minimum_ms, found.maximum_ms, found.mean_ms, found.median_ms, found.deviation_ms, found.mad_ms)
    assert [*told, found.iqr_ms] == pytest.approx(exact, rel=1e-12, abs=5e-324)
    if exponent > -1000:
        assert found.variation_pct == pytest.approx(25 * math.sqrt(50 / 3))


def test_the_largest_number_has_a_mean():
    found: Any = spread([5e-324, sys.float_info.max])
    assert found.mean_ms == found.median_ms == found.mad_ms == sys.float_info.max / 2
    assert found.deviation_ms == pytest.approx(sys.float_info.max / math.sqrt(2))


@pytest.mark.parametrize("count", [2, 5, 100, 1001])
def test_scipy_agrees(count: int):
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(count).lognormal(size=count)
    found: Any = spread(values)
    assert found.mad_ms == pytest.approx(stats.median_abs_deviation(values))
    assert found.variation_pct == pytest.approx(100 * stats.variation(values, ddof=1))
    assert pytest.approx(1 / stats.norm.ppf(0.75)) == NORMAL_MAD
    assert found.iqr_ms == pytest.approx(stats.iqr(values, interpolation="inverted_cdf"))

"""Center and scatter by hand and as SciPy gives them."""

from __future__ import annotations

import math
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


@pytest.mark.parametrize("count", [2, 5, 100, 1001])
def test_scipy_agrees(count: int):
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(count).lognormal(size=count)
    result: Any = spread(values)
    assert result.mad_ms == pytest.approx(stats.median_abs_deviation(values))
    assert result.variation_pct == pytest.approx(100 * stats.variation(values, ddof=1))
    assert pytest.approx(1 / stats.norm.ppf(0.75)) == NORMAL_MAD
    assert result.iqr_ms == pytest.approx(stats.iqr(values, interpolation="inverted_cdf"))

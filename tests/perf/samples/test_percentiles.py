"""Percentiles by hand, and as SciPy's and NumPy's nearest-rank method gives them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from trex.perf.samples.percentiles import median_of, percentiles


def test_by_hand():
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
def test_scipy_agrees(count: int):
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

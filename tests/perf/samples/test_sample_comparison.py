"""Two series compared, by hand and as SciPy compares them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.perf.samples.test_autocorrelation import autoregressive
from trex.perf.samples.sample_comparison import block_bootstrap_medians, compare_samples, mann_whitney


def test_ranks_by_hand():
    # of 3 · 2 pairs (1, 3, 5) against (2, 4), the first is larger in 3>2, 5>2, 5>4
    result: Any = mann_whitney(np.array([1.0, 3.0, 5.0]), np.array([2.0, 4.0]))
    assert (result.u, result.superiority, result.delta) == (3.0, 0.5, 0.0)
    assert mann_whitney(np.array([2.0, 3.0]), np.array([1.0, 2.0])).u == 3.5  # a tie counts half
    assert mann_whitney(np.ones(4), np.ones(5)).p == 1.0
    with pytest.raises(ValueError, match="both series"):
        mann_whitney(np.empty(0), np.ones(1))


@pytest.mark.parametrize("digits", [1, 6])
def test_scipy_agrees_on_ranks(digits: int):
    stats = pytest.importorskip("scipy.stats")
    generator = np.random.default_rng(0)
    first, second = np.round(generator.gamma(2.0, size=80), digits), np.round(generator.gamma(2.5, size=120), digits)
    expected = stats.mannwhitneyu(first, second, method="asymptotic")
    result: Any = mann_whitney(first, second, (1.0, 1.0))
    assert (result.u, result.p) == pytest.approx((expected.statistic, expected.pvalue))
    assert result.p_corrected == pytest.approx(result.p)
    assert mann_whitney(first, second, (9.0, 9.0)).p_corrected > result.p


def test_scipy_agrees_on_the_bootstrap():
    stats = pytest.importorskip("scipy.stats")
    generator = np.random.default_rng(0)
    first, second = generator.lognormal(0.1, 0.2, 150), generator.lognormal(0.0, 0.2, 200)
    result: Any = compare_samples(first, second)
    expected = stats.bootstrap(
        (first, second), lambda a, b, axis: np.median(a, axis=axis) / np.median(b, axis=axis),
        method="percentile", n_resamples=8000, rng=generator, vectorized=True,
    ).confidence_interval  # fmt: skip
    assert result.ratio == np.median(first) / np.median(second)
    assert (result.low, result.high) == pytest.approx((expected.low, expected.high), abs=0.006)


@pytest.mark.parametrize("count", [101, 400, 5000])
def test_counting_gives_the_medians_of_the_resamples(count: int):
    values = np.random.default_rng(count).gamma(2.0, size=count)
    length = 4
    result: Any = block_bootstrap_medians(values, length, 50, np.random.default_rng(7))
    blocks = values[: count // length * length].reshape(-1, length)
    drawn = np.random.default_rng(7).integers(0, len(blocks), size=(50, len(blocks)))
    expected = [np.median(blocks[rows]) for rows in drawn]
    assert result == pytest.approx(expected, rel=0.0 if count < 512 else 0.01, abs=1e-12)


def test_a_difference_is_seen_and_none_is_not():
    generator = np.random.default_rng(1)
    first, second = generator.normal(2.0, 0.02, 1000), generator.normal(1.0, 0.01, 1000)
    result: Any = compare_samples(first, second)
    assert result.differs and result.low < 2.0 < result.high and result.rank_test.superiority == 1.0
    assert compare_samples(second, second).differs is False


def test_the_same_seed_gives_the_same_interval():
    generator = np.random.default_rng(1)
    first, second = generator.normal(1.0, 0.02, 3000), generator.normal(1.0, 0.02, 2000)
    assert compare_samples(first, second, seed=3) == compare_samples(first, second, seed=3)
    assert compare_samples(first, second, seed=3) != compare_samples(first, second, seed=4)


def test_dependent_series_do_not_differ_by_chance():
    false_interval = false_p = false_plain = 0
    for seed in range(60):
        first, second = (100 + autoregressive(0.9, 2000, 2 * seed + item) for item in (0, 1))
        result: Any = compare_samples(first, second)
        false_interval += bool(result.differs)
        false_p += result.rank_test.p_corrected < 0.05
        false_plain += result.rank_test.p < 0.05
    assert false_interval <= 9 and false_p <= 9 < false_plain


def test_too_few():
    result: Any = compare_samples([1.0, 2.0], np.ones(50))
    assert (result.ratio, result.low, result.differs) == (1.5, None, None)
    assert result.reason == "the shorter series has 2 samples (at least 10)"
    nothing = compare_samples([], [1.0])
    assert nothing.ratio is None and nothing.rank_test is None
    assert compare_samples(np.ones(20), np.ones(20)).low == 1.0

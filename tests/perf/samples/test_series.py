"""What is a time and what is none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from trex.perf.samples.series import clock_step_ms, ranks, spearman, step_of, usable


def test_unusable_times_are_left_out_and_reported():
    result: Any = usable([9.0, 1.0, math.nan, -1.0, 0.0, math.inf, 2.0], warm_up_rows=1)
    assert result.values.tolist() == [1.0, 2.0]
    assert (result.unknown, result.negative, result.zero, result.left_out) == (2, 1, 1, 4)
    assert result.words == "left out: 2 samples without a number, 1 negative sample, 1 sample of 0 ms"


def test_zero_may_be_a_rounded_time():
    result: Any = usable([0.0, 0.01], zero_is_a_time=True)
    assert result.values.tolist() == [0.0, 0.01] and result.words == ""


def test_clean_samples_are_not_copied():
    values = np.array([1.0, 2.0])
    assert np.shares_memory(usable(values).values, values)
    assert len(usable([])) == 0
    assert len(usable([1.0], warm_up_rows=5)) == 0


def step(values: np.ndarray) -> float:
    result = step_of(values)
    assert result is not None
    return result


def six(values):
    return np.sort([float(f"{value:.6g}") for value in values])


def test_single_precision_shows_in_six_digits():
    # between 4096 and 8192 ms neighboring single-precision numbers are 2⁻¹¹ ms apart
    ticks = np.random.default_rng(0).integers(550, 575, 2000)
    assert step(six(ticks * 2.0**-11)) == pytest.approx(2.0**-11, rel=0.01)
    assert clock_step_ms(5000.0) == 2.0**-11 and clock_step_ms(3200.0) == 2.0**-12


def test_fine_samples_have_the_step_of_their_digits():
    values = np.random.default_rng(0).normal(2.0, 0.01, 1000)
    assert step(np.sort(values)) < 1e-5
    assert step(six(values)) == pytest.approx(1e-5, rel=0.5)


def test_two_places_are_no_timer():
    assert step(np.array([1.0] * 30 + [2.0] * 70)) <= 0.0011
    assert step_of(np.ones(10)) is None and step_of(np.ones(1)) is None and step_of(np.empty(0)) is None


def test_the_smallest_numbers_have_the_step_of_floating_point():
    assert step(np.array([5e-324] * 3 + [1e-323])) == 5e-324
    assert step(np.array([2e-310] * 3 + [4e-310])) == pytest.approx(1e-315)


def test_equal_values_share_the_mean_of_their_ranks():
    ranked, counts = ranks([3.0, 1.0, 3.0, 2.0])
    assert (ranked.tolist(), counts.tolist()) == ([3.5, 1.0, 3.5, 2.0], [1, 1, 2])


def test_rank_correlation():
    assert spearman([1, 2, 3], [10, 20, 30]) == pytest.approx(1.0)
    assert spearman([1, 2, 3], [3, 2, 1]) == pytest.approx(-1.0)
    assert spearman([1, 2, 2, 3], [1, 2, 3, 4]) == pytest.approx(0.9487, abs=1e-4)
    assert spearman([1], [2]) is None and spearman([1, 1], [1, 2]) is None and spearman([], []) is None

"""Steps of timers, found in samples as trtexec writes them."""

from __future__ import annotations

import numpy as np
import pytest

from trex.perf.samples.resolution import clock_step_ms, step_of


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

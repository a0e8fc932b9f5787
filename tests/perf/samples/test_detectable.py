"""What samples can show, by hand and by drawing many runs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from trex.perf.samples.autocorrelation import Autocorrelation, autocorrelation_of
from trex.perf.samples.detectable import detectable_of, median_interval
from trex.perf.samples.spread import spread_of


def detectable(values: np.ndarray, step: float = 0.0):
    ordered = np.sort(values)
    spread = spread_of(values, ordered)
    return detectable_of(ordered, spread, autocorrelation_of(values, spread.median_ms), step)


def test_by_hand():
    # two values, 0.9 and 1.1, 50 each, as if independent: deviation √(100 · 0.01 / 99), error / 10; 2.8016 · √2 · error
    values = np.tile([0.9, 1.1], 50)
    spread = spread_of(values, np.sort(values))
    result: Any = detectable_of(np.sort(values), spread, Autocorrelation(100, 1.0, 1.0), 0.0)
    error = math.sqrt(100 * 0.01 / 99) / 10
    assert result.mean_pct == pytest.approx(100 * 2.801585 * math.sqrt(2) * error)
    # ranks 50 ± 9.8: the 41st and the 60th, 0.9 and 1.1
    assert (result.median_low_ms, result.median_high_ms) == (0.9, 1.1)


def test_ranks_of_the_median():
    # Conover's: n = 100: 41st to 60th; a quarter as many independent samples, twice as far
    ordered = np.arange(1.0, 101.0)
    assert median_interval(ordered, 100, 1.96) == (41.0, 61.0)
    assert median_interval(ordered, 25, 1.96) == (31.0, 71.0)
    assert median_interval(ordered, 1, 1.96) == (1.0, 100.0)


def test_the_interval_covers_the_median():
    generator = np.random.default_rng(0)
    hits = 0
    for _ in range(400):
        result: Any = detectable(generator.exponential(1.0, 200) + 1)
        hits += result.median_low_ms <= 1 + math.log(2) <= result.median_high_ms
    assert 0.92 <= hits / 400 <= 0.99


def test_power_is_as_said():
    stats = pytest.importorskip("scipy.stats")
    generator = np.random.default_rng(1)
    difference = np.mean([detectable(generator.normal(1.0, 0.02, 400)).mean_pct for _ in range(40)]) / 100
    # independent samples have a time of 1 or a little more: the textbook's difference or a little more
    assert difference == pytest.approx(2.8016 * math.sqrt(2) * 0.02 / 20, rel=0.12)
    seen = 0
    for _ in range(400):
        a, b = generator.normal(1.0, 0.02, 400), generator.normal(1.0 + difference, 0.02, 400)
        seen += stats.ttest_ind(a, b).pvalue < 0.05
    assert seen / 400 == pytest.approx(0.84, abs=0.08)


def test_a_coarse_timer_is_never_finer_than_its_step():
    values = np.full(1000, 1.0)
    values[::3] = 1.01
    assert detectable(values, 0.01).median_error_ms == pytest.approx(0.01 / math.sqrt(12))


def test_unknown():
    assert detectable(np.empty(0)).reason == "there are no samples"
    assert "too few" in detectable(np.ones(3)).reason
    assert "equal" in detectable(np.ones(300)).reason and detectable(np.ones(300)).median_pct is None

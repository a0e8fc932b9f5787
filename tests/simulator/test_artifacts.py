"""Samples are equal without a seed; with one, they vary like those of real runs."""

from __future__ import annotations

from statistics import mean, median, pstdev

import pytest

from trex.simulator.artifacts import samples


def test_a_seed_gives_the_same_samples_again():
    assert samples(1.5, 3, 50) == samples(1.5, 3, 50) != samples(1.5, 4, 50)
    assert samples(1.5, "3", 50) == samples(1.5, 3, 50)
    assert samples(1.5, 3, 50)[:10] == samples(1.5, 3, 10)


def test_the_spread_is_that_of_real_runs():
    drawn = samples(2.0, 1, 5000)
    assert median(drawn) == pytest.approx(2.0, rel=1e-3)
    assert 0.001 < pstdev(drawn) / mean(drawn) < 0.02
    assert min(drawn) > 0.98 * 2.0
    assert max(drawn) > 1.02 * 2.0

"""Samples: none differ without a seed; with one, as traces do."""

from __future__ import annotations

from statistics import mean, median, pstdev

import pytest

from trex.simulator.timing.samples import PROFILE_STEP_MS, layer_samples, samples


def test_without_a_seed_all_are_equal():
    assert samples(1.5, queries=4) == (1.5,) * 4
    assert samples(1.5, queries=0) == ()


def test_a_seed_gives_the_same_samples_again():
    assert samples(1.5, 3, 50) == samples(1.5, 3, 50) != samples(1.5, 4, 50)
    assert samples(1.5, "3", 50) == samples(1.5, 3, 50)
    assert samples(1.5, 3, 50)[:10] == samples(1.5, 3, 10)


def test_the_spread_is_that_of_traces():
    drawn = samples(2.0, 1, 5000)
    assert median(drawn) == pytest.approx(2.0, rel=1e-3)
    assert 0.001 < pstdev(drawn) / mean(drawn) < 0.02
    assert min(drawn) > 0.98 * 2.0
    assert max(drawn) > 1.02 * 2.0


def test_layers_are_told_in_the_steps_of_the_timer_and_keep_their_mean():
    times = (0.0065, 0.3, 0.0)
    drawn = layer_samples(times, 5, 4000)
    assert drawn == layer_samples(times, 5, 4000)
    for ms, each in zip(times, drawn):
        assert mean(each) == pytest.approx(ms, rel=0.01)
        assert all(abs(value / PROFILE_STEP_MS - round(value / PROFILE_STEP_MS)) < 1e-6 for value in each)
    assert layer_samples(times, None, 2) == ((0.0065, 0.0065), (0.3, 0.3), (0.0, 0.0))

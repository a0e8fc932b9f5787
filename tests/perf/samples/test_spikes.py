"""Spikes and their rhythm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from trex.perf.samples.spikes import period_of, spikes_of
from trex.perf.samples.spread import spread_of


def spikes(values: np.ndarray):
    return spikes_of(values, spread_of(values, np.sort(values)))


def noise(count: int = 5000) -> np.ndarray:
    return np.random.default_rng(0).normal(1.0, 0.002, count)


def test_every_hundredth():
    values = noise()
    values[50::100] += 0.3
    values[[17, 1234]] += 0.4  # two others
    result: Any = spikes(values)
    assert (result.count, result.period, result.in_bursts) == (52, 100, False)
    assert result.share == 52 / 5000


def test_a_spike_of_three_samples_begins_once():
    values = noise()
    for start in range(40, 5000, 250):
        values[start : start + 3] += 0.3
    result: Any = spikes(values)
    assert (result.count, result.period) == (60, 250)


def test_bursts():
    values = noise()
    values[1000:1300:6] += 0.3
    values[4000:4300:6] += 0.3
    result: Any = spikes(values)
    assert (result.period, result.in_bursts) == (6, True)


@pytest.mark.parametrize("seed", range(20))
def test_chance_has_no_rhythm(seed: int):
    indexes = np.flatnonzero(np.random.default_rng(seed).random(20_000) < 0.01)
    assert period_of(indexes) is None


def test_none():
    assert spikes(noise()).count == 0 and spikes(np.ones(100)).count == 0
    small = noise()
    small[::100] += 0.015  # far out, but less than 2 %
    assert spikes(small).count == 0
    assert spikes(np.ones(10)).count is None and "10 samples" in spikes(np.ones(10)).reason
    assert period_of(np.array([1, 100, 200])) is None

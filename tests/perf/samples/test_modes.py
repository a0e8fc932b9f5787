"""Modes that were put in are found; skew, steps and chance make none."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from trex.perf.samples.histogram import histogram_of
from trex.perf.samples.modes import Modes, modes_of


def modes(values: np.ndarray, step: float = 0.0, time: float = 1.0) -> Modes:
    ordered = np.sort(values)
    return modes_of(values, ordered, histogram_of(ordered, step), time)


def normal(count: int, at: float, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(at, 0.005, count)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5])
def test_two(share: float):
    values = normal(5000, 1.0, 0) + np.where(np.random.default_rng(1).random(5000) < share, 0.05, 0.0)
    result: Any = modes(values)
    assert [mode.median_ms for mode in result.modes] == pytest.approx([1.0, 1.05], abs=0.002)
    assert result.modes[1].share == pytest.approx(share, abs=0.02)
    assert result.apart_pct == pytest.approx(5.0, abs=0.3)
    # by turns: as many switches as random order has, 2 · share · (1 − share) of the pairs
    assert result.switches == pytest.approx(result.expected_switches, rel=0.1)


def test_three_in_stretches():
    values = np.concatenate([normal(2000, at, seed) for seed, at in enumerate((1.0, 1.1, 1.3))])
    result: Any = modes(values)
    assert len(result.modes) == 3 and result.switches == 2 and result.expected_switches > 1000


@pytest.mark.parametrize("seed", range(10))
def test_one(seed: int):
    generator = np.random.default_rng(seed)
    for values in (
        generator.normal(1.0, 0.01, 4000),
        generator.lognormal(0.0, 0.5, 4000),
        1 + generator.exponential(0.1, 4000),
        generator.uniform(1.0, 2.0, 4000),
    ):
        assert len(modes(values).modes) == 1


def test_steps_of_the_timer_are_no_modes():
    tick = 2.0**-12
    values = np.round(normal(6000, 0.28, 0) / tick) * tick
    coarse = np.round(values / (2 * tick)) * (2 * tick)
    # the first part of a run in fine, the second in coarse steps, as single precision has it
    mixed = np.concatenate((values[:2000], coarse[2000:]))
    for item in (values, coarse, mixed):
        assert len(modes(item, tick).modes) == 1


def test_two_places_without_width():
    result: Any = modes(np.array([1.0] * 300 + [2.0] * 700), 0.001)
    assert [(mode.median_ms, mode.share) for mode in result.modes] == [(1.0, 0.3), (2.0, 0.7)]


def test_unknown():
    assert modes(np.arange(1.0, 50.0)).reason == "49 samples: too few to detect modes (at least 100)"
    assert modes(np.ones(200)).reason == "all samples are equal" and modes(np.ones(200)).apart_pct is None

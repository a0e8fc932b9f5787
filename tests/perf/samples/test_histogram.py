"""Every sample is in the histogram, also where samples are as small or as large as numbers get."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest

from trex.perf.samples.histogram import MOST_BINS, histogram_of

TINY, HUGE = 5e-324, sys.float_info.max


def test_every_sample_is_in_the_histogram():
    values = np.random.default_rng(0).lognormal(size=3000)
    result: Any = histogram_of(np.sort(values), 0.0)
    assert sum(result.counts) + result.below + result.above == 3000
    assert result.below <= 15 and result.above <= 16
    assert result.center_ms(0) - result.edge_ms(0) == pytest.approx(result.width_ms / 2)
    assert histogram_of(np.ones(10), 0.0) is None


def test_the_width_is_whole_steps_and_edges_lie_between_them():
    result: Any = histogram_of(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]), 1.0)
    # 2 · (7 − 3) / ∛8 = 4 steps
    assert (result.first_ms, result.width_ms, result.counts) == (0.5, 4.0, (4, 4))


@pytest.mark.parametrize("step", [0.0, TINY])
def test_the_smallest_number_among_ordinary_ones(step: float):
    # IQR 3 − 2·tiny, 2 · 3 / ∛5 wide; of the smallest number's steps that is too many to count
    result: Any = histogram_of(np.array([TINY, 2 * TINY, 1.0, 3.0, 5.0]), step)
    assert (result.first_ms, result.counts, result.below, result.above) == (TINY, (4, 1), 0, 0)
    assert result.width_ms == pytest.approx(6.0 / 5 ** (1 / 3))


def test_neighbors_of_the_smallest_number():
    result: Any = histogram_of(np.array([TINY] * 3 + [2 * TINY]), TINY)
    assert (result.width_ms, result.counts) == (2 * TINY, (4,))
    # without steps the width is no finer than numbers are
    result = histogram_of(np.array([TINY] * 7 + [2 * TINY]), 0.0)
    assert (result.width_ms, result.counts) == (TINY, (7, 1))


def test_the_largest_numbers():
    result: Any = histogram_of(np.array([HUGE / 4] * 4 + [HUGE] * 4), 0.0)
    # 2 · ¾ · largest / ∛8
    assert result.width_ms == pytest.approx(0.75 * HUGE) and result.counts == (4, 4)
    result = histogram_of(np.array([1.0, HUGE, HUGE]), 1e303)
    assert result.counts == (1, 2)


@pytest.mark.parametrize("step", [0.0, TINY, 1.0, 1e300])
def test_the_smallest_and_the_largest_number_in_one_run(step: float):
    result: Any = histogram_of(np.array([TINY, 1e-300, 1.0, 1e300, HUGE]), step)
    assert math.isfinite(result.width_ms) and 0 < len(result.counts) <= MOST_BINS + 1
    assert (result.counts[0], sum(result.counts), result.below, result.above) == (4, 5, 0, 0)


@pytest.mark.parametrize("exponent", [-1060, -700, 0, 700, 1020])
def test_a_power_of_two_moves_no_sample_to_another_bin(exponent: int):
    values = np.arange(1.0, 9.0)
    result: Any = histogram_of(np.ldexp(values, exponent), math.ldexp(1.0, exponent))
    assert result.counts == (4, 4) and result.width_ms == math.ldexp(4.0, exponent)

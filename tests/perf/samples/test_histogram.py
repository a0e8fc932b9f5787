"""Every sample is in the histogram, and its edges lie between the timer's steps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from trex.perf.samples.histogram import histogram_of


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


@pytest.mark.parametrize("exponent", [-20, 0, 40])
def test_a_power_of_two_moves_no_sample_to_another_bin(exponent: int):
    values = np.arange(1.0, 9.0)
    result: Any = histogram_of(np.ldexp(values, exponent), math.ldexp(1.0, exponent))
    assert result.counts == (4, 4) and result.width_ms == math.ldexp(4.0, exponent)

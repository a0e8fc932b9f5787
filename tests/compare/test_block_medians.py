"""Block medians: tabulated quantiles and autocorrelated series."""

from __future__ import annotations

import numpy as np
import pytest

from tests.compare.truth.runs import correlated, white
from trex.compare.block_medians import blocks_differ, long_block_medians


def test_autocorrelation_lengthens_blocks():
    random = np.random.default_rng(1)
    assert len(long_block_medians(white(0.01)(random, 1000))) == 30
    assert len(long_block_medians(correlated(0.01, 0.97)(random, 1000))) < 10
    assert len(long_block_medians(np.linspace(1.0, 2.0, 10))) == 4


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_false_alarms_and_power(rho):
    noise = correlated(0.01, rho)
    alarms, missed = 0, 0
    for seed in range(100):
        random = np.random.default_rng(seed)
        one, other = noise(random, 1000), noise(random, 1000)
        alarms += blocks_differ(one, other)
        missed += not blocks_differ(one, 1.03 * other)
    assert alarms <= 12 and missed == 0


def test_constant_series():
    assert not blocks_differ(np.ones(20), np.ones(20))
    assert blocks_differ(np.ones(20), np.full(20, 1.01))

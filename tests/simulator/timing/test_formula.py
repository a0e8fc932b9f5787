"""The formula, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from trex.simulator.timing.constants import POWER, layer_ms


def test_nothing_to_do_takes_the_launch():
    assert layer_ms(0.004, 0.001, 0.0, 0.0, 0.0) == pytest.approx(0.005)


def test_the_longer_of_computing_and_waiting_counts():
    assert layer_ms(0.0, 0.0, 3.0, 1.0, 0.0) == pytest.approx(3.0)
    assert layer_ms(0.0, 0.0, 1.0, 3.0, 0.0) == pytest.approx(3.0)


def test_computing_and_moving_hide_behind_one_another_in_part():
    together = layer_ms(0.0, 0.0, 1.0, 0.0, 1.0)
    assert 1.0 < together < 2.0
    assert together == pytest.approx(2 ** (1 / POWER))


def test_it_holds_for_columns_as_for_numbers():
    computed, moved = np.array([0.1, 2.0, 0.0]), np.array([0.3, 0.0, 0.2])
    column = layer_ms(0.004, 0.001, computed, 0.15, moved)
    assert column.tolist() == [
        pytest.approx(layer_ms(0.004, 0.001, float(a), 0.15, float(b))) for a, b in zip(computed, moved)
    ]

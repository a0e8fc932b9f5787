"""The table of deviates of series without a change."""

from __future__ import annotations

import numpy as np
import pytest

from trex.store.change_limits import _CHANCES, _DEVIATES, chance_of
from trex.store.change_points import largest_deviates


@pytest.mark.parametrize("count", [4, 8, 24])
def test_a_simulation_finds_the_same(count: int) -> None:
    """20 000 series of normal noise: the share beyond each deviate is its chance, within four standard errors."""
    deviates = largest_deviates(np.random.default_rng(1).standard_normal((20_000, count)))
    for chance, deviate in zip(_CHANCES, _DEVIATES[count], strict=True):
        share = float((deviates > deviate).mean())
        assert abs(share - chance) < 4.0 * (chance / 20_000) ** 0.5, (count, chance, share)


def test_chances_fall_with_the_deviate_and_rise_with_the_count() -> None:
    deviates = np.linspace(1.0, 9.0, 60)
    counts = (4, 5, 7, 12, 20, 100, 700, 1000)
    table = np.array([[chance_of(float(deviate), count) for deviate in deviates] for count in counts])
    assert (np.diff(table, axis=1) <= 0.0).all()
    assert (np.diff(table[:, (deviates > 2.4) & (deviates < 4.0)], axis=0) >= 0.0).all()
    assert table.max() == 1.0 and 0.0 < table.min() < 1e-9


def test_rows_give_their_own_chances() -> None:
    for count, row in _DEVIATES.items():
        assert [chance_of(deviate, count) for deviate in row] == pytest.approx(_CHANCES, rel=1e-6)

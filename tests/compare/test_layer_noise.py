"""Trends of layers: beyond the scatter of unchanged kernels, or not."""

from __future__ import annotations

import pytest

from trex.compare.causes import Cause, Change
from trex.compare.layer_noise import LEAST_CHANGE, LayerTrend, layer_trends
from trex.compare.matching.match import Match


def change(left_ms: float, right_ms: float, *, left: int = 1, right: int = 1, known: bool = True) -> Change:
    match = Match(tuple(range(left)), tuple(range(right)), "the test", 1.0)
    return Change(match, Cause.SAME_KERNEL, "", left_ms, right_ms, known)


@pytest.mark.parametrize(
    "one, trend",
    [
        (change(1.0, 1.2), LayerTrend.SLOWER),
        (change(1.2, 1.0), LayerTrend.FASTER),
        (change(1.0, 1.04), LayerTrend.UNCHANGED),
        (change(0.0, 1.0, left=0), LayerTrend.NEW),
        (change(1.0, 0.0, right=0), LayerTrend.GONE),
        (change(0.0, 1.0, left=0, known=False), LayerTrend.NEW),
        (change(1.0, 2.0, known=False), LayerTrend.UNKNOWN),
        (change(0.001, 0.002), LayerTrend.UNCHANGED),  # one step of the profiler
        (change(0.0, 0.5), LayerTrend.SLOWER),
        (change(0.5, 0.0), LayerTrend.FASTER),
        (change(0.010, 0.013, left=3), LayerTrend.UNCHANGED),  # a step for each of the layers
    ],
)
def test_trend_of_one_change(one: Change, trend: LayerTrend):
    found = layer_trends([one])
    assert found.of == (trend,) and found.limit == LEAST_CHANGE


def test_unchanged_kernels_determine_the_scatter():
    steady = [change(1.0, 1.0 + (0.001 if at % 2 else -0.001)) for at in range(20)]
    found = layer_trends([*steady, change(1.0, 1.04)])
    assert found.limit == pytest.approx(0.0305, abs=1e-3) and found.of[-1] is LayerTrend.SLOWER
    unsteady = [change(1.0, 1.05 if at % 2 else 0.95) for at in range(20)]
    found = layer_trends([*unsteady, change(1.0, 1.15)])
    assert found.limit > 0.15 and set(found.of) == {LayerTrend.UNCHANGED}


def test_swapped_sides_swap_the_trends():
    there, back = layer_trends([change(1.0, 2.0)]).of, layer_trends([change(2.0, 1.0)]).of
    assert (there, back) == ((LayerTrend.SLOWER,), (LayerTrend.FASTER,))
    assert layer_trends([]).of == ()

"""Which way layers went: by more than unchanged kernels scatter, or not at all."""

from __future__ import annotations

import pytest

from trex.compare.aligning.match import Match
from trex.compare.causes import Cause, Change
from trex.compare.trend import LEAST, Trend, trends_of


def change(left_ms: float, right_ms: float, *, left: int = 1, right: int = 1, known: bool = True) -> Change:
    match = Match(tuple(range(left)), tuple(range(right)), "the test", 1.0)
    return Change(match, Cause.SAME_KERNEL, "", left_ms, right_ms, known)


@pytest.mark.parametrize(
    "one, trend",
    [
        (change(1.0, 1.2), Trend.SLOWER),
        (change(1.2, 1.0), Trend.FASTER),
        (change(1.0, 1.04), Trend.UNCHANGED),
        (change(0.0, 1.0, left=0), Trend.NEW),
        (change(1.0, 0.0, right=0), Trend.GONE),
        (change(0.0, 1.0, left=0, known=False), Trend.NEW),
        (change(1.0, 2.0, known=False), Trend.UNKNOWN),
        (change(0.001, 0.002), Trend.UNCHANGED),  # one step of the profiler
        (change(0.0, 0.5), Trend.SLOWER),
        (change(0.5, 0.0), Trend.FASTER),
        (change(0.010, 0.013, left=3), Trend.UNCHANGED),  # a step for each of the layers
    ],
)
def test_one_change(one: Change, trend: Trend):
    found = trends_of([one])
    assert found.of == (trend,) and found.limit == LEAST


def test_layers_of_the_same_kernels_tell_the_scatter():
    steady = [change(1.0, 1.0 + (0.001 if at % 2 else -0.001)) for at in range(20)]
    found = trends_of([*steady, change(1.0, 1.04)])
    assert found.limit == pytest.approx(0.0305, abs=1e-3) and found.of[-1] is Trend.SLOWER
    unsteady = [change(1.0, 1.05 if at % 2 else 0.95) for at in range(20)]
    found = trends_of([*unsteady, change(1.0, 1.15)])
    assert found.limit > 0.15 and set(found.of) == {Trend.UNCHANGED}


def test_sides_exchanged_exchange_the_trends():
    there, back = trends_of([change(1.0, 2.0)]).of, trends_of([change(2.0, 1.0)]).of
    assert (there, back) == ((Trend.SLOWER,), (Trend.FASTER,))
    assert trends_of([]).of == ()

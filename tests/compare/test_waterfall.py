"""The steps add up to the whole difference, with the right signs."""

from __future__ import annotations

import math

import pytest

from trex.compare.causes import Cause, Change
from trex.compare.matching.match import Match
from trex.compare.waterfall import BETWEEN, LAUNCHES, LAYER_SUM, Waterfall, waterfall_of
from trex.perf.measures import Measure

UNKNOWN = Measure("GPU compute", reason="there is no trace")


def contribution(fall: Waterfall, cause: Cause) -> float:
    """Of one cause in ms, 0.0 if it did not occur."""
    return sum(step.difference_ms for step in fall.steps if step.name == cause.value)


def change(cause: Cause, left_ms: float, right_ms: float, *, is_known: bool = True) -> Change:
    return Change(Match((0,), (0,), "", 1.0), cause, "", left_ms, right_ms, is_known)


CHANGES = (
    change(Cause.PRECISION, 1.0, 0.4),
    change(Cause.PRECISION, 0.5, 0.3),
    change(Cause.REFORMATS, 0.0, 0.2),
    change(Cause.SAME_KERNEL, 0.1, 0.1),
)


def by_name(found: Waterfall) -> dict[str, float]:
    return {step.name: step.difference_ms for step in found.steps}


def test_without_gpu_compute_layer_times_are_compared():
    found = waterfall_of(CHANGES, UNKNOWN, UNKNOWN, (3, 4))
    assert found.basis == LAYER_SUM and found.reason == "there is no trace"
    assert (found.left_ms, found.right_ms) == (pytest.approx(1.6), pytest.approx(1.0))
    assert contribution(found, Cause.PRECISION) == pytest.approx(-0.8)
    assert contribution(found, Cause.REFORMATS) == pytest.approx(0.2)
    assert math.fsum(by_name(found).values()) == pytest.approx(found.difference_ms, abs=1e-12)


def test_launches_and_the_rest_between_the_layers():
    """Rests: 2.0 − 1.6 = 0.4 over 4 layers, 1.5 − 1.0 = 0.5 over 5: g = 0.1 both, so all is one more launch."""
    found = waterfall_of(CHANGES, Measure("", 2.0), Measure("", 1.5), (4, 5))
    assert found.basis == "GPU compute"
    assert by_name(found)[LAUNCHES] == pytest.approx(0.1)
    assert by_name(found)[BETWEEN] == pytest.approx(0.0, abs=1e-12)
    assert math.fsum(by_name(found).values()) == pytest.approx(-0.5, abs=1e-12)


def test_equal_layer_counts_have_no_launch_step():
    found = waterfall_of(CHANGES, Measure("", 2.0), Measure("", 1.5), (4, 4))
    assert LAUNCHES not in by_name(found)
    assert by_name(found)[BETWEEN] == pytest.approx(0.1)


def test_a_match_with_an_unknown_time_saves_nothing():
    """0.3 ms on the left and an unknown time on the right are no saving of 0.3 ms."""
    found = waterfall_of(
        (*CHANGES, change(Cause.UNEXPLAINED, 0.3, 0.0, is_known=False)), Measure("", 2.0), Measure("", 1.5), (5, 5)
    )
    assert (found.unknown, found.basis, found.is_known) == (1, LAYER_SUM, True)
    assert Cause.UNEXPLAINED.value not in by_name(found)
    assert (found.left_ms, found.right_ms) == (pytest.approx(1.6), pytest.approx(1.0))
    assert (found.layers_left_ms, found.layers_right_ms) == (pytest.approx(1.9), pytest.approx(1.0))
    assert math.fsum(by_name(found).values()) == pytest.approx(found.difference_ms, abs=1e-12)


def test_without_any_times():
    found = waterfall_of((change(Cause.UNEXPLAINED, 0.0, 0.0, is_known=False),), UNKNOWN, UNKNOWN, (1, 1))
    assert not found.is_known and found.reason == "no layer times in either engine"


@pytest.mark.parametrize("is_known", [False, True])
def test_an_engine_without_times_is_not_faster(is_known):
    """Whether its layers were not timed or all take 0 ms."""
    gone = Change(Match((3,), (), "", 1.0), Cause.LAYERS, "layer removed", 0.1, 0.0)
    sides = Measure("", 2.0), Measure("", 1.5)
    found = waterfall_of((change(Cause.UNEXPLAINED, 0.3, 0.0, is_known=is_known), gone), *sides, (2, 1))
    assert not found.is_known and found.reason == "no layer times in new"
    back = waterfall_of((change(Cause.UNEXPLAINED, 0.0, 0.3, is_known=is_known),), *sides, (1, 1))
    assert not back.is_known and back.reason == "no layer times in base"


def test_signs_of_steps():
    changes = (change(Cause.TACTIC, 1.0, 2.0), change(Cause.FUSION, 1.0, 0.5))
    slow, fast = waterfall_of(changes, Measure("", None), Measure("", None), (2, 2)).steps
    assert (slow.name, slow.difference_ms) == ("tactic changed", 1.0)
    assert (fast.name, fast.difference_ms) == ("fusion gained or lost", -0.5)

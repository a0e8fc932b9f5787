"""Layers slower than the baseline's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.baselines import conv, engine, pair, timed
from tests.rules.cases import finding, only_unchecked, reports
from tests.rules.planting import Planter, against_baseline, slowed_layer
from trex.plan.engine_plan import EnginePlan

RULE = "slower-than-baseline"


def test_what_takes_longer_saves_the_difference():
    found = finding(RULE, timed(1.0, 3.0), timed(1.0, 2.0))
    assert found.layers == (1,)
    assert found.savings == pytest.approx({1: 1.0})  # 3 · (1 − 2/3)
    assert "50 % more" in found.message


def test_equal_faster_and_hardly_slower_layers_are_none():
    assert reports(RULE, timed(1.0, 2.0), timed(1.0, 2.0)) == []
    assert reports(RULE, timed(1.0, 1.0), timed(1.0, 2.0)) == []
    assert reports(RULE, timed(1.0, 2.015), timed(1.0, 2.0)) == []  # 0.75 % is below what two runs differ by
    assert reports(RULE, timed(1.0, 2.03), timed(1.0, 2.0), share=2.0) == []  # 1.5 %, 1 % of the engine's time
    assert reports(RULE, timed(1.0, 2.0)) == []  # no baseline


def test_it_is_unchecked_of_other_operators_devices_or_without_times():
    other = engine([conv("/other/Conv", "x", "y")], {"/other/Conv": 1.0})
    assert "no operator" in only_unchecked(RULE, timed(1.0, 2.0), other).reason
    assert "different devices" in only_unchecked(RULE, timed(1, 2, device="A"), timed(1, 1, device="B")).reason
    assert "no layer profile" in only_unchecked(RULE, engine(pair()), timed(1.0, 2.0)).reason


def test_a_prediction_against_a_measurement_shows_nothing():
    real, guess = timed(1.0, 3.0), timed(1.0, 2.0)
    guess = EnginePlan(guess.engine, guess.layer_times, metadata=replace(guess.metadata, simulated=True))
    said = only_unchecked(RULE, real, guess)
    assert "the baseline is predicted and the engine measured" in said.reason
    assert said.hint.startswith("measure both")


# ---- The defect that tests plant into engines, and its sound twin


PLANTER = Planter(against_baseline(slowed_layer(1.5)), against_baseline(slowed_layer(1.003)))

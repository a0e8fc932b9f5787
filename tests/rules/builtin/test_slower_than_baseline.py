"""Layers slower than the baseline's."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.baselines import conv, engine, pair, timed
from tests.rules.making import answers, finding, untold
from trex.plan.engine_plan import EnginePlan

RULE = "slower_than_baseline"


def test_what_takes_longer_is_priced_with_the_difference():
    found = finding(RULE, timed(1.0, 3.0), timed(1.0, 2.0))
    assert found.layers == (1,)
    assert found.at_stake == pytest.approx({1: 1.0})  # 3 · (1 − 2/3)
    assert "50 % more" in found.message


def test_equal_faster_and_hardly_slower_layers_are_none():
    assert answers(RULE, timed(1.0, 2.0), timed(1.0, 2.0)) == []
    assert answers(RULE, timed(1.0, 1.0), timed(1.0, 2.0)) == []
    assert answers(RULE, timed(1.0, 2.015), timed(1.0, 2.0)) == []  # 0.75 % is below what two runs differ by
    assert answers(RULE, timed(1.0, 2.03), timed(1.0, 2.0), share=2.0) == []  # 1.5 %, 1 % of the engine's time
    assert answers(RULE, timed(1.0, 2.0)) == []  # no baseline


def test_it_cannot_be_told_of_other_operators_devices_or_without_times():
    other = engine([conv("/other/Conv", "x", "y")], {"/other/Conv": 1.0})
    assert "no operator" in untold(RULE, timed(1.0, 2.0), other).reason
    assert "different devices" in untold(RULE, timed(1, 2, device="A"), timed(1, 1, device="B")).reason
    assert "no layer profile" in untold(RULE, engine(pair()), timed(1.0, 2.0)).reason


def test_a_prediction_beside_a_measurement_tells_nothing():
    real, guess = timed(1.0, 3.0), timed(1.0, 2.0)
    guess = EnginePlan(guess.engine, guess.layer_times, metadata=replace(guess.metadata, simulated=True))
    said = untold(RULE, real, guess)
    assert "not like with like, the baseline was predicted and the engine measured" in said.reason
    assert said.hint.startswith("measure both")

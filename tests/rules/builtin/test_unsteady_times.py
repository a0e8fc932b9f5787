"""Runs that were not steady."""

from __future__ import annotations

from random import Random

import pytest

from tests.raw_records import chain
from tests.rules.cases import finding, only_unchecked, plan_of, reports
from tests.rules.planting import Ground, Planter, whole
from trex.core.note import Note
from trex.rules.finding import Severity

RULE = "unsteady-times"


def noise(count: int, level: float, seed: int = 0) -> list[float]:
    random = Random(seed)
    return [level * (1.0 + 0.002 * (random.random() - 0.5)) for _ in range(count)]


def traced(times: list[float]):
    return plan_of(chain("a", "b"), {"a": 1.0, "b": 1.0}, trace={"computeMs": times})


def test_two_levels_are_reported_with_what_they_differ_by():
    found = finding(RULE, traced(noise(400, 2.0) + noise(400, 2.2, 1)))
    assert "1 change of level" in found.message
    change = next(each.value for each in found.evidence if each.what == "largest change")
    assert change == pytest.approx(10.0, abs=0.3)  # 2.2 / 2.0 − 1
    assert found.severity is Severity.WARNING and not found.savings


def test_a_slow_beginning_asks_for_a_longer_warm_up():
    found = finding(RULE, traced(noise(100, 3.0) + noise(700, 2.0, 1)))
    assert any("--warmUp" in each for each in found.fix)


def test_steady_times_and_changes_below_the_limit_are_none():
    assert reports(RULE, traced(noise(800, 2.0))) == []
    slight = traced(noise(400, 2.0) + noise(400, 2.04, 1))
    assert finding(RULE, slight).severity is Severity.NOTE  # 2 % is below 5 %
    assert reports(RULE, slight, change=3.0) == []


def test_only_changes_that_medians_do_not_survive_come_first():
    slight, large = (traced(noise(400, 2.0) + noise(400, level, 1)) for level in (2.08, 2.2))
    assert (finding(RULE, slight).severity, finding(RULE, slight).is_first) == (Severity.NOTE, False)
    assert (finding(RULE, large).severity, finding(RULE, large).is_first) == (Severity.WARNING, True)


def test_averages_far_from_medians_show_a_disturbed_profile():
    note = Note("averages-off-medians", "the layers' averages add up to 15.29 ms, their medians to 12.97 ms")
    disturbed = finding(RULE, plan_of(chain("a"), {"a": 1.0}, notes=[note]))
    assert disturbed.message.startswith("The layer profile was disturbed") and disturbed.is_first
    assert disturbed.severity is None  # a warning


def test_without_a_trace_trtexecs_own_warning_counts():
    plan = plan_of(chain("a"), {"a": 1.0}, notes=[Note("unstable-gpu-time", "GPU compute time is unstable, CoV = 9 %")])
    assert "CoV = 9 %" in finding(RULE, plan).message


def test_it_is_unchecked_without_a_trace_or_with_few_samples():
    assert "--exportTimes" in only_unchecked(RULE, plan_of(chain("a"), {"a": 1.0})).hint
    assert "too few" in only_unchecked(RULE, traced([2.0, 2.1, 1.9])).reason
    assert reports(RULE, plan_of(chain("a"))) == []  # nothing was measured


# ---- The defect that tests plant into engines, and its sound twin


def unsteady(ground: Ground) -> None:
    half_way = len(ground.trace) // 2
    factor = ground.random.uniform(1.05, 1.3)
    ground.trace = [*ground.trace[:half_way], *(ms * factor for ms in ground.trace[half_way:])]


def spikes(ground: Ground) -> None:
    for place in ground.random.sample(range(len(ground.trace)), 3):
        ground.trace[place] *= 1.5


PLANTER = Planter(whole(unsteady), whole(spikes))

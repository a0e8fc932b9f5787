"""Times of one run that contradict each other."""

from __future__ import annotations

import pytest

from tests.raw_records import chain
from tests.rules.cases import finding, plan_of, reports
from tests.rules.planting import Planter, in_proportion, whole
from trex.core.note import Note
from trex.plan.engine_plan import EnginePlan
from trex.plan.time_notes import TIMES_CONTRADICT, WRONG_TIMES
from trex.rules.finding import Severity

RULE = "contradictory-times"


def test_a_profile_in_other_units_is_an_error_and_comes_first():
    found = finding(RULE, plan_of(chain("a"), {"a": 880.0}, latency={"GPU Compute Time": 0.88}))
    assert found.is_first and found.severity is Severity.ERROR and not found.savings
    assert "the layers add up to 880 ms, GPU compute by trtexec's summary is 0.88 ms" in found.message


def test_the_overhead_of_timing_layers_is_none():
    for layers_ms in (0.5, 2.0):
        assert reports(RULE, plan_of(chain("a"), {"a": layers_ms}, latency={"GPU Compute Time": 1.0})) == []
    assert reports(RULE, plan_of(chain("a"), {"a": 1e6})) == []


@pytest.mark.parametrize("code", [code for code in WRONG_TIMES if code != TIMES_CONTRADICT])
def test_times_that_no_gate_believes_are_an_error(code: str) -> None:
    plan = plan_of(chain("a"), {"a": 0.5}, latency={"GPU Compute Time": 0.4})
    wrong = EnginePlan(
        plan.engine, plan.layer_times, None, plan.metadata, notes=(Note(code, "why", severity="problem"),)
    )
    one = finding(RULE, wrong)
    assert one.severity is Severity.ERROR and one.message.endswith(": why")


# ---- The defect that tests plant into engines, and its sound twin


PLANTER = Planter(whole(in_proportion("GPU Compute Time", 0.001)), whole(in_proportion("GPU Compute Time", 0.97)))

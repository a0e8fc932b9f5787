"""GPUs that were slowed while they were measured."""

from __future__ import annotations

from tests.raw_records import chain
from tests.rules.making import answers, finding, plan_of, untold, watched

RULE = "throttled_gpu"


def test_a_slowdown_is_told_with_its_reason_and_how_long():
    hot = ("software-thermal-slowdown",)
    telemetry = watched([1400.0] * 10 + [1100.0] * 10, [()] * 10 + [hot] * 10)
    found = finding(RULE, plan_of(chain("a"), {"a": 1.0}, telemetry=telemetry))
    assert "software-thermal-slowdown" in found.message
    values = {each.what: each.value for each in found.evidence}
    assert values["slowed for"] == 0.9  # from the sample at 1.0 s to the last, at 1.9 s
    assert values["lowest SM clock"] == 1100.0


def test_steady_clocks_and_clocks_set_by_the_user_are_no_throttling():
    free = watched([1400.0] * 20, [()] * 20)
    assert answers(RULE, plan_of(chain("a"), {"a": 1.0}, telemetry=free)) == []
    set_by_user = watched([1000.0] * 20, [("application-clocks",)] * 20)
    assert answers(RULE, plan_of(chain("a"), {"a": 1.0}, telemetry=set_by_user)) == []


def test_it_cannot_be_told_when_nothing_watched():
    assert "nothing watched" in untold(RULE, plan_of(chain("a"), {"a": 1.0})).reason
    assert answers(RULE, plan_of(chain("a"))) == []

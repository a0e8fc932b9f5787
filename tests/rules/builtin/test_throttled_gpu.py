"""GPUs that were slowed while they were measured."""

from __future__ import annotations

from collections.abc import Callable

from tests.raw_records import chain
from tests.rules.cases import finding, monitored, only_unchecked, plan_of, reports
from tests.rules.planting import Ground, Planter, whole

RULE = "throttled-gpu"


def test_a_slowdown_is_reported_with_its_reason_and_how_long():
    hot = ("software-thermal-slowdown",)
    telemetry = monitored([1400.0] * 10 + [1100.0] * 10, [()] * 10 + [hot] * 10)
    found = finding(RULE, plan_of(chain("a"), {"a": 1.0}, telemetry=telemetry))
    assert "software-thermal-slowdown" in found.message
    values = {each.what: each.value for each in found.evidence}
    assert values["throttled for"] == 0.9  # from the sample at 1.0 s to the last, at 1.9 s
    assert values["lowest SM clock"] == 1100.0


def test_steady_clocks_and_clocks_set_by_the_user_are_no_throttling():
    free = monitored([1400.0] * 20, [()] * 20)
    assert reports(RULE, plan_of(chain("a"), {"a": 1.0}, telemetry=free)) == []
    set_by_user = monitored([1000.0] * 20, [("application-clocks",)] * 20)
    assert reports(RULE, plan_of(chain("a"), {"a": 1.0}, telemetry=set_by_user)) == []


def test_it_is_unchecked_when_nothing_watched():
    assert "not monitored" in only_unchecked(RULE, plan_of(chain("a"), {"a": 1.0})).reason
    assert reports(RULE, plan_of(chain("a"))) == []
    unread = plan_of(chain("a"), {"a": 1.0}, telemetry=monitored([1000.0] * 20, [None] * 20))
    assert "reasons for the clocks were not monitored" in only_unchecked(RULE, unread).reason


# ---- The defect that tests plant into engines, and its sound twin


def clocks(reason: str) -> Callable[[Ground], None]:
    def change(ground: Ground) -> None:
        count = ground.random.randrange(12, 40)
        held = ground.random.randrange(4, count - 4)
        reasons = [()] * held + [(reason,)] * (count - held)
        ground.telemetry = monitored([1400.0] * held + [1100.0] * (count - held), reasons)

    return change


PLANTER = Planter(whole(clocks("software-power-cap")), whole(clocks("application-clocks")))

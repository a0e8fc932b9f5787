"""Tactics that were skipped for want of memory."""

from __future__ import annotations

from tests.raw_records import chain
from tests.rules.cases import finding, only_unchecked, plan_of, reports
from tests.rules.planting import Planter, noted, whole
from trex.core.note import Note
from trex.rules.finding import Severity

RULE = "skipped-tactics"
BUILT = {"engine_built_s": 12.0}


def test_what_the_builder_says_is_a_finding():
    note = Note("tactics-skipped-for-workspace", "12 tactics were not tried for want of workspace", "more: 1024")
    found = finding(RULE, plan_of(chain("a"), notes=[note], milestones=BUILT, build={"Memory Pools": "workspace: 1"}))
    assert "12 tactics" in found.message and found.fix[0] == "more: 1024"
    assert found.evidence[0].value == "workspace: 1"


def test_a_workspace_in_the_wrong_unit_is_a_warning():
    note = Note("tiny-workspace", "the engine was built with a workspace of 0.000976562 MiB")
    assert finding(RULE, plan_of(chain("a"), notes=[note])).severity is Severity.WARNING


def test_a_log_that_says_nothing_of_it_is_none():
    assert reports(RULE, plan_of(chain("a"), milestones=BUILT)) == []


def test_it_is_unchecked_without_a_log():
    assert "no build log" in only_unchecked(RULE, plan_of(chain("a"))).reason


# ---- The defect that tests plant into engines, and its sound twin


PLANTER = Planter(
    whole(noted("tactics-skipped-for-workspace", "3 tactics were not tried")), whole(noted("weights-narrowed", "…"))
)

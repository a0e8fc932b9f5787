"""Kernels whose choice another build may not repeat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tests.raw_records import chain
from tests.rules.cases import finding, only_unchecked, plan_of, reports
from tests.rules.planting import Ground, Planter, whole
from trex.core.layer import Role
from trex.core.metadata import Metadata
from trex.core.tactic_trial import TacticTrial
from trex.engine_plan import load
from trex.plan.engine_plan import EnginePlan

RULE = "close-tactics"


def plan(*trials: TacticTrial, milestones: dict[str, float] | None = None) -> EnginePlan:
    records = [{**each, "TacticValue": "0x0000000000000001"} for each in chain("a", "b", "c")]
    made = plan_of(records, {"a": 1.0, "b": 2.0, "c": 1.0})
    made.build_metadata = replace(Metadata(), trials=trials, milestones=milestones or {})
    return made


def trial(layer: str, second_ms: float, tactic: int = 1) -> TacticTrial:
    return TacticTrial(layer, tactic, 1.0, 2, second_ms, 12)


def test_the_closest_come_first():
    found = finding(RULE, plan(trial("a", 1.019), trial("b", 1.002), trial("c", 1.5)))
    assert (
        "2 kernels lead the next tactic by less than 2 %, of 3 timed in the build log: b (0.2 %) and a (1.9 %)"
        in found.message
    )
    assert found.layers == (1, 0) and not found.savings
    assert found.evidence[0].value == "1 ms, the next 1.002 ms, of 12 tactics"
    assert {each.what: each.value for each in found.evidence}["share of the engine's time"] == "75.0 %"


def test_choices_by_more_are_none():
    assert reports(RULE, plan(trial("a", 1.03), trial("b", 2.0))) == []
    assert finding(RULE, plan(trial("a", 1.03)), margin=5.0).layers == (0,)


def test_a_tactic_that_the_engine_has_not_is_none_of_it():
    assert "other names" in only_unchecked(RULE, plan(trial("x", 1.0), trial("a", 1.0, tactic=7))).reason


def test_it_is_unchecked_without_a_verbose_log():
    assert "no build log" in only_unchecked(RULE, plan()).reason
    assert "contains no times" in only_unchecked(RULE, plan(milestones={"engine_built_s": 2.0})).reason


def test_real_logs(shared_logs: Path):
    for name, number, timed in (
        ("trt8.4-mnist-fp16-build-verbose.log", 3, 8),
        ("trt8.6-build-verbose.log", 1, 8),
        ("trt10.16-trtexec-02.log", 5, 9),
    ):
        found = finding(RULE, load(shared_logs / name))
        assert len(found.layers) == number and f"of {timed} timed in the build log" in found.message, name


# ---- The defect that tests plant into engines, and its sound twin


def trials(margin_pct: float) -> Callable[[Ground], None]:
    """A verbose log in which the second tactic of one layer came so near to the first, of all others far behind."""

    def change(ground: Ground) -> None:
        close = ground.random.choice([each for each in ground.layers if each.role is Role.KERNEL])
        ground.layers = [replace(each, tactic_value=number + 1) for number, each in enumerate(ground.layers)]
        ground.trials = tuple(
            TacticTrial(each.name, number + 1, 1.0, 0, 1.0 + (margin_pct if each.name == close.name else 40) / 100, 9)
            for number, each in enumerate(ground.layers)
        )

    return change


PLANTER = Planter(whole(trials(0.3)), whole(trials(8.0)))

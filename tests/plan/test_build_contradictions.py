"""Figures of a build log against each other."""

from __future__ import annotations

import pytest

from tests.raw_records import chain
from trex.compare.condition import read_condition
from trex.compare.gate import GateStatus, judge
from trex.compare.plan_diff import PlanDiff
from trex.core.metadata import Metadata
from trex.ingest.graph_json import engine_from_records
from trex.plan.build_contradictions import BUILD_TIME_CONTRADICTS, other_build_time
from trex.plan.engine_plan import EnginePlan


@pytest.mark.parametrize(
    ("milestones", "is_noted"),
    [
        ({"engine_built_s": 15.1, "engine_generation_s": 14.7}, False),
        ({"engine_built_s": 14.7, "engine_generation_s": 14.75}, False),
        ({"engine_built_s": 0.01, "engine_generation_s": 14.7}, True),
        ({"engine_built_s": 0.0, "engine_generation_s": 14.7}, True),
        ({"engine_generation_s": 14.7}, False),
        ({"engine_built_s": 0.01}, False),
    ],
)
def test_a_build_takes_as_long_as_its_builder(milestones: dict[str, float], is_noted: bool) -> None:
    notes = list(other_build_time(Metadata(milestones=milestones, sources=("m.log",))))
    assert [(note.code, note.severity, note.where) for note in notes] == [
        (BUILD_TIME_CONTRADICTS, "problem", "m.log")
    ] * is_noted


def of_logs(run: dict[str, float], build: dict[str, float]) -> EnginePlan:
    engine = engine_from_records(chain("a"))
    return EnginePlan(engine, None, None, Metadata(milestones=run), Metadata(milestones=build))


def test_each_log_is_held_against_itself() -> None:
    of_two = of_logs({"engine_built_s": 5.0, "engine_generation_s": 4.5}, {"engine_generation_s": 100.0})
    damaged = of_logs({}, {"engine_built_s": 0.01, "engine_generation_s": 14.7})
    assert [any(note.code == BUILD_TIME_CONTRADICTS for note in plan.notes) for plan in (of_two, damaged)] == [
        False,
        True,
    ]


def test_a_gate_of_build_times_that_contradict_is_inconclusive() -> None:
    base = of_logs({}, {"engine_built_s": 15.0, "engine_generation_s": 14.7})
    new = of_logs({}, {"engine_built_s": 0.01, "engine_generation_s": 14.7})
    assert gated(base, base) is GateStatus.PASSED
    assert gated(base, new) is GateStatus.INCONCLUSIVE


def gated(base: EnginePlan, new: EnginePlan) -> GateStatus:
    (result,) = judge(PlanDiff(base, new), [read_condition("build-time>+50%")])
    return result.status

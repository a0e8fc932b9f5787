"""Times of all files in one other unit contradict the GPU alone, and every view says so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.raw_records import chain, layer, tensor
from tests.rules.cases import plan_of
from trex.compare.condition import read_condition
from trex.compare.gate import GateStatus, judge
from trex.compare.plan_diff import PlanDiff
from trex.core.note import Note
from trex.core.tensor import ShapeRange
from trex.engine_plan import summary_dict
from trex.perf.performance import Performance
from trex.perf.roofline import FASTER_THAN_POSSIBLE
from trex.plan.engine_plan import EnginePlan
from trex.plan.time_notes import TIMES_CONTRADICT
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.lint import lint
from trex.rules.qdq_report import qdq_report
from trex.views.layers import layers_document
from trex.views.qdq import qdq_document
from trex.views.summary import summary_document

NAMES = "abcdef"
GPU = {"Selected Device": "NVIDIA A100 80GB PCIe"}


def plan(ms: float | None, device: dict[str, str] | None = None, names: str = NAMES) -> EnginePlan:
    """Small layers of so many milliseconds each, and per-query times that agree."""
    times = None if ms is None else dict.fromkeys(names, ms)
    compute = (len(names) * (ms or 3.0),) * 30
    return plan_of(chain(*names), times, device=GPU if device is None else device, trace={"computeMs": compute})


def problems(of: EnginePlan) -> list[Note]:
    return [note for note in Performance(of).contradicted if note.code == TIMES_CONTRADICT]


@pytest.mark.parametrize("ms", [0.001, 0.005, 0.05])
def test_times_of_the_right_unit(ms: float) -> None:
    assert problems(plan(ms)) == []


def test_a_loop_of_many_passes_is_no_other_unit() -> None:
    jump = {"Name": "j", "LayerType": "cjmp", "Inputs": [], "Outputs": [], "TacticName": ""}
    times = dict.fromkeys(NAMES, 5.0)
    trace = {"computeMs": (30.0,) * 30}
    assert problems(plan_of([*chain(*NAMES), jump], times, device=GPU, trace=trace)) == []


@pytest.mark.parametrize(
    ("ms", "words"), [(5.0, "times longer than usual on NVIDIA A100"), (5e-6, "takes less than 500")]
)
def test_every_view_doubts_times_of_another_unit(ms: float, words: str) -> None:
    wrong, right = plan(ms), plan(0.005)
    (note,) = problems(wrong)
    assert words in note.message and "not in milliseconds" in note.message
    result = lint(Performance(wrong))
    assert result.diagnosis is not None and result.diagnosis.state == "contradictory-times"
    assert any(note.message in finding.message for finding in result.findings)
    document = summary_document(wrong, lint=result)
    assert note in summary_document(wrong).notes and summary_dict(wrong)["Problems"] == note.message
    assert "Problems" not in summary_dict(right)
    assert note in document.notes and "cannot be trusted" in str(document.section("headline").blocks)
    analyzed = AnalyzedEngine(Performance(wrong))
    assert note in layers_document(wrong.df, wrong).notes and note in qdq_document(analyzed, qdq_report(analyzed)).notes
    for diff in (PlanDiff(wrong, right), PlanDiff(right, wrong), PlanDiff(right, right, None, None, (), (wrong,))):
        (judged,) = judge(diff, [read_condition("latency>+3%")])
        assert judged.status is GateStatus.INCONCLUSIVE and "contradict" in judged.words


def test_an_inference_without_layer_times() -> None:
    assert "an inference of 6 layers takes 18 ms" in problems(plan(None))[0].message


def test_layers_of_unknown_bytes_may_take_all_the_time() -> None:
    """Where only the whole inference is measured."""
    wires = [tensor(name, [-1, 64, 112, 112]) for name in "0123456789"]
    open_ones = [layer(f"o{at}", "PointWiseV2", [wires[at]], [wires[at + 1]]) for at in range(9)]
    assert not problems(plan_of([*chain(*NAMES), *open_ones], None, device=GPU, trace={"computeMs": (6.0,) * 30}))


@pytest.mark.parametrize(("ms", "is_noted"), [(0.002, True), (0.1, False)])
def test_an_inference_that_is_faster_than_its_layers_can_be(ms: float, is_noted: bool) -> None:
    """By the bytes that no cache holds, 0.06 ms on an A100."""
    wide = layer("a", "PointWiseV2", [tensor("x", [64, 64, 112, 112])], [tensor("y", [64, 64, 112, 112])])
    of = plan_of([wide], None, device=GPU, trace={"computeMs": (ms,) * 30})
    notes = [note for note in Performance(of).notes if note.code == FASTER_THAN_POSSIBLE]
    assert [note.severity for note in notes] == ["warning"] * is_noted


@pytest.mark.parametrize(
    ("ms", "words"), [(0.005, ""), (0.5, ""), (30.0, "times longer than usual"), (1e-6, "takes less than 500")]
)
def test_dynamic_shapes_are_between_their_limits(ms: float, words: str) -> None:
    wires = [tensor(name, [-1, 64, 112, 112]) for name in "0123456"]
    records = [layer(name, "PointWiseV2", [wires[at]], [wires[at + 1]]) for at, name in enumerate(NAMES)]
    of = plan_of(records, dict.fromkeys(NAMES, ms), device=GPU)
    limits = ShapeRange(*((batch, 64, 112, 112) for batch in (1, 8, 64)))
    inputs = tuple(replace(one, profiles=(limits,) if one.is_input else ()) for one in of.engine.bindings)
    of.engine = replace(of.engine, bindings=inputs)
    found = problems(of)
    assert len(found) == bool(words) and all(words in note.message for note in found)


def test_what_cannot_be_judged_is_not_doubted() -> None:
    assert problems(plan(5.0, device={})) == [] and problems(plan(5.0, names="abcd")) == []

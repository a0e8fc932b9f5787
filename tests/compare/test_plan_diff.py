"""Whole comparisons of incomplete, odd and equal engines: unknown stays unknown, and sums add up."""

from __future__ import annotations

import math
from array import array
from dataclasses import replace

import pytest

from tests.compare.predicted import measured
from tests.compare.profiled import made
from tests.compare.truth.scenarios import base_of, pairs_of
from tests.compare.truth.spelling import Spelled, Speller, times_of
from tests.simulated_examples import load_simulated
from trex.compare.causes import Cause
from trex.compare.condition import read_condition
from trex.compare.gate import GateStatus, judge
from trex.compare.operation_times import VIEW
from trex.compare.operation_weights import ALONE, EQUAL
from trex.compare.plan_diff import PlanDiff
from trex.compare.series import EngineSeries
from trex.compare.significance import SpeedOutcome
from trex.compare.waterfall import LAYER_SUM
from trex.core.metadata import LatencySummary, Metadata
from trex.core.timings import LayerTimes, QueryTimes
from trex.ingest.graph_json import engine_from_documents
from trex.plan.engine_plan import EnginePlan
from trex.views.compare.document import comparison_document, series_document
from trex.views.document import Detail

CONDITIONS = ("latency>+3%", "compute>+0.1ms", "layer:*>+10%")


def told(found: PlanDiff) -> str:
    """All sentences about a pair as one text; the difference adds up whatever is missing."""
    total = math.fsum(step.difference_ms for step in found.waterfall.steps)
    assert math.isclose(total, found.waterfall.difference_ms, rel_tol=1e-9, abs_tol=1e-12)
    judged = judge(found, [read_condition(each) for each in CONDITIONS])
    document = comparison_document(found, Detail(5, True), judged)
    return " ".join(
        [document.statement, *(text for section in document.sections for text in section.statements)]
        + [note.message for note in found.notes]
        + [each.words for each in judged]
    )


def plan(network: str = "residual", spelled: Spelled = Spelled(), blocks: int = 3) -> EnginePlan:  # noqa: B008
    draft = base_of(network, blocks, 0)
    return Speller(draft, spelled).plan(times_of(draft, 0.0, "bad input"))


def bare(engine: EnginePlan) -> EnginePlan:
    return EnginePlan(engine.engine)


def retimed(engine: EnginePlan, ms: float | None, share: int = 1) -> EnginePlan:
    """Every ``share``-th layer with this time."""
    assert engine.layer_times is not None
    rows = tuple(
        replace(row, average_ms=ms, median_ms=ms) if place % share == 0 else row
        for place, row in enumerate(engine.layer_times.records)
    )
    return EnginePlan(engine.engine, LayerTimes(rows))


def test_different_models_say_how_much_matched():
    found = PlanDiff(plan("residual", blocks=6), plan("encoder", blocks=4))
    assert "unlike-engines" in {note.code for note in found.notes}
    share = f"{100 * found.alignment.matched_share:.0f} %"
    text = told(found)
    assert found.alignment.matched_share < 0.5 and share in text and "different" in text


def test_models_of_one_family():
    found = PlanDiff(plan(blocks=6), plan(blocks=5))
    assert found.alignment.matched_share > 0.7 and not found.alignment.notes


@pytest.mark.parametrize("left", [True, False])
def test_origins_on_one_side_are_enough(left):
    sides = Spelled(version="8.4", origins=False), Spelled(version="10.4")
    found = PlanDiff(*(plan(spelled=each) for each in (sides if left else sides[::-1])))
    assert found.alignment.matched_share == 1.0
    assert {change.cause for change in found.changes} <= {Cause.SAME_KERNEL}
    told(found)


def test_layer_names_only():
    names = Spelled(version="8.4", origins=False, only_names=True)
    found = PlanDiff(plan(spelled=names), plan(spelled=names))
    assert found.alignment.matched_share == 1.0
    assert {change.cause for change in found.changes} == {Cause.UNEXPLAINED}
    assert PlanDiff(plan(), plan(spelled=names)).alignment.matched_share > 0.8
    told(found)


@pytest.mark.parametrize("lacks", ["left", "right", "both"])
def test_without_a_profile(lacks):
    sides = [bare(plan()) if lacks in (side, "both") else plan() for side in ("left", "right")]
    found = PlanDiff(sides[0], sides[1])
    assert "no-profile" in {note.code for note in found.notes}
    assert found.alignment.matched_share == 1.0
    assert found.main.outcome is SpeedOutcome.UNKNOWN
    verdicts = judge(found, [read_condition(each) for each in CONDITIONS])
    assert {each.status for each in verdicts} == {GateStatus.INCONCLUSIVE}
    assert "Can't tell where the difference comes from: no layer times in" in told(found)
    assert not found.waterfall.is_known


@pytest.mark.parametrize("lacks", ["left", "right"])
def test_tables_leave_unprofiled_times_empty(lacks):
    """No difference anywhere but of the engine as a whole, and no time of the side that has none."""
    sides = [bare(plan()) if lacks == side else plan() for side in ("left", "right")]
    found = PlanDiff(sides[0], sides[1])
    (sums, *_) = series_document(EngineSeries(sides[0], [sides[1], sides[1]]), Detail(5)).section("operations").tables
    tables = {section.name: section.tables for section in comparison_document(found, Detail(5)).sections}
    side = "base (ms)" if lacks == "left" else "new (ms)"
    seen = 0
    for table in (each for name in ("inventory", "layers", "operations") for each in tables[name]):
        titles = [column.heading for column in table.columns]
        for title in {side, "difference (ms)"} & set(titles):
            assert {row[titles.index(title)] for row in table.rows} == {None}, (table.title, title)
            seen += 1
    assert seen >= 8
    assert {row[1 if lacks == "left" else 2] for row in sums.rows} == {None}


def test_without_per_query_times_the_verdict_is_unknown():
    whole = load_simulated("resnet18-fp16")
    found = PlanDiff(EnginePlan(whole.engine, whole.layer_times), whole)
    assert found.main.outcome is SpeedOutcome.UNKNOWN and found.main.is_significant is None
    assert "no time in base" in told(found)


@pytest.mark.parametrize("ms", [0.0, None, math.nan, math.inf, -1.0])
@pytest.mark.parametrize("share", [1, 3])
def test_invalid_times(ms, share):
    for left, right in ((plan(), retimed(plan(), ms, share)), (retimed(plan(), ms, share), plan())):
        found = PlanDiff(left, right)
        text = told(found)
        assert "nan" not in text.lower().split() and "inf" not in text.lower().split()
        for change in found.changes:
            assert math.isfinite(change.difference_ms)
            assert change.speedup is None or 0.0 < change.speedup < math.inf
        if ms != 0.0:
            assert found.waterfall.unknown > 0 and found.waterfall.basis == LAYER_SUM
        else:
            assert "zero-times" in {note.code for note in found.notes}
        assert found.waterfall.is_known == (share > 1)


def test_one_engine_twice():
    for name in ("resnet18-fp16", "resnet18-int8", "transformer-fp16"):
        found = PlanDiff(load_simulated(name), load_simulated(name))
        assert found.waterfall.difference_ms == 0.0
        assert found.main.outcome is SpeedOutcome.SAME and found.main.is_one_run
        assert found.alignment.matched_share == 1.0
        assert all(change.match.left == change.match.right for change in found.changes)
        verdicts = judge(found, [read_condition(each) for each in ("latency>+0%", "layer:*>+0%")])
        assert {each.status for each in verdicts} == {GateStatus.PASSED}
        assert "No difference" in told(found)


def test_other_shapes_are_a_cause():
    for _, make in pairs_of("another batch", "both with ONNX origins", 2, 1):
        pair = make()
        found = PlanDiff(pair.left, pair.right)
        assert {change.cause for change in found.changes} == {Cause.SHAPES}
        assert found.alignment.matched_share == 1.0
        told(found)


def test_odd_samples():
    engine = plan()
    for values in ([], [1.0], [1.0] * 50, [math.nan] * 20):
        times = QueryTimes({"computeMs": array("d", values)})
        odd = EnginePlan(engine.engine, engine.layer_times, times)
        for found in (PlanDiff(odd, engine), PlanDiff(engine, odd), PlanDiff(odd, odd)):
            assert found.main.is_significant is not True
            told(found)


def test_no_layers():
    empty = EnginePlan(replace(plan().engine, layers=()))
    for found in (PlanDiff(empty, plan()), PlanDiff(plan(), empty), PlanDiff(empty, empty)):
        assert all(not change.match.is_matched for change in found.changes)
        told(found)


@pytest.mark.parametrize("network", ["resnet18-int8", "resnet18-fp16"])
@pytest.mark.parametrize("is_new", [False, True])
def test_an_engine_and_its_layer_names(network, is_new):
    whole = made(network)
    names = engine_from_documents([{"Layers": [layer.name for layer in whole.engine.layers]}])
    bare_names = EnginePlan(names, whole.layer_times, whole.query_times)
    found = PlanDiff(whole, bare_names) if is_new else PlanDiff(bare_names, whole)
    assert found.alignment.matched_share > 0.95
    assert all(math.isclose(change.difference_ms, 0.0, abs_tol=1e-9) for change in found.changes)
    causes = {change.cause for change in found.changes if change.match.is_matched}
    assert causes <= {Cause.UNEXPLAINED, Cause.REFORMATS}
    assert all(operation.difference_ms in (None, 0.0) for operation in found.operations)
    which = "new engine" if is_new else "base"
    assert f"precisions of the {which} are unknown" in told(found)
    for charges in EngineSeries(found.left, [found.right]).operation_times:
        assert {operation.rule for operation in charges.operations.values()} <= {ALONE, EQUAL, VIEW}


def test_engines_are_compared_by_one_statistic():
    """A profile of TensorRT 8.2 has averages only: the medians of the other engine are no base for them."""
    layers = plan()
    assert layers.layer_times is not None
    rows = [replace(row, average_ms=1.3 * (row.average_ms or 0.0)) for row in layers.layer_times.records]
    both = EnginePlan(layers.engine, LayerTimes(tuple(rows)))
    averages = EnginePlan(layers.engine, LayerTimes(tuple(replace(row, median_ms=None) for row in rows)))
    assert both.layers_ms < averages.layers_ms
    for found in (PlanDiff(both, averages), EngineSeries(both, [averages]).comparisons[0]):
        assert found.left.layers_ms == found.right.layers_ms == averages.layers_ms
        assert "layer-averages" in {note.code for note in found.notes}
    assert PlanDiff(both, both).left is both


def test_p99_with_an_unknown_warm_up_on_one_side_is_not_judged():
    known, other = measured(1.0), measured(1.0, seed=2)
    assert other.query_times is not None
    for rows, codes in ((10, ["warm-up-unknown"]), (0, [])):
        times = replace(other.query_times, warm_up_rows=rows)
        diff = PlanDiff(known, EnginePlan(other.engine, other.layer_times, times, other.metadata))
        assert [note.code for note in diff.doubted] == codes and set(diff.doubted) <= set(diff.notes)
        p99, compute = judge(diff, [read_condition("p99>+50%"), read_condition("compute>+50%")])
        assert (p99.status, compute.status) == (
            GateStatus.INCONCLUSIVE if codes else GateStatus.PASSED,
            GateStatus.PASSED,
        )


def test_times_of_no_query_are_no_times():
    known, other = measured(1.0), measured(1.0, seed=2)
    assert known.query_times is not None and other.query_times is not None
    times = replace(known.query_times, warm_up_rows=10)
    empty = QueryTimes({}, None, other.query_times.source)
    pair = [EnginePlan(one.engine, one.layer_times, own, one.metadata) for one, own in ((known, times), (other, empty))]
    for left, right in (pair, pair[::-1]):
        (result,) = judge(PlanDiff(left, right), [read_condition("p99>+50%")])
        assert result.status is GateStatus.INCONCLUSIVE


def test_a_mean_is_compared_with_a_mean():
    """Of a summary without a median and without queries."""
    queries = measured(1.0)
    summary = Metadata(latency={"GPU Compute Time": LatencySummary(0.8, 9.0, 2.0, None)})
    alone = EnginePlan(queries.engine, queries.layer_times, None, summary)
    found = PlanDiff(alone, queries).main
    assert (found.left_ms, found.right_ms) == (2.0, pytest.approx(1.0, rel=0.01)) and "By the means" in found.sentence
    assert found.right_ms != PlanDiff(queries, measured(1.0, seed=2)).main.left_ms


@pytest.mark.parametrize("side", ["base", "new"])
def test_warnings_of_either_side_are_shown(side: str) -> None:
    """A run next to the graph of another build: its own files say so, and the causes are those of the wrong graph."""
    whole, part = plan(), plan()
    assert part.layer_times is not None
    part = EnginePlan(part.engine, replace(part.layer_times, records=part.layer_times.records[1:]))
    (warning,) = (note for note in part.notes if note.code == "layers-not-profiled")
    assert warning.severity == "warning"
    diff = PlanDiff(*((part, whole) if side == "base" else (whole, part)))
    assert f"{side}: {warning.message}" in {note.message for note in diff.notes}
    series = EngineSeries(*((whole, [whole, part]) if side == "new" else (part, [whole, whole])))
    assert any(note.code == warning.code for note in series.notes)

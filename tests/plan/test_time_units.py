"""Files in other units contradict other times of the same inference; real files never do."""

from __future__ import annotations

import math
from array import array
from dataclasses import replace
from pathlib import Path

import pytest

from tests.engines import READABLE
from tests.plan.one_run import COUNT, only, profile, scaled, summary, trace
from tests.raw_records import layer
from tests.synthetic import Case
from trex.core.metadata import Metadata
from trex.core.timings import MISSING_TIMES, LayerTime, LayerTimes, QueryTimes
from trex.engine_plan import load
from trex.ingest.differing_times import TWO_RUNS
from trex.ingest.graph_json import engine_from_records
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan
from trex.plan.time_notes import (
    CONTRADICTED,
    COPIED_QUERIES,
    SHARES_CONTRADICT,
    THROUGHPUT_CONTRADICTS,
    TIMES_CONTRADICT,
)
from trex.plan.time_units import contradictions


def test_files_of_one_unit_agree() -> None:
    assert contradictions(profile(), trace(), summary()) == ()
    assert contradictions(None, None, Metadata()) == ()
    assert contradictions(LayerTimes(()), QueryTimes({}), Metadata()) == ()


@pytest.mark.parametrize("scale", [1000.0, 0.001])
def test_a_profile_in_another_unit(scale: float) -> None:
    note = only(contradictions(profile(scale), trace(), summary()))
    assert note.code == TIMES_CONTRADICT and note.severity == "problem" and note.where == "m.profile.json"
    assert "as if one of them were not in milliseconds" in note.message
    assert "times contradict that the layers add up to" in note.message


@pytest.mark.parametrize("scale", [1000.0, 0.001])
@pytest.mark.parametrize("other", ["layers", "summary", "both"])
def test_per_query_times_in_another_unit(scale: float, other: str) -> None:
    note = only(
        contradictions(
            profile() if other != "summary" else None, trace(scale), summary() if other != "layers" else Metadata()
        )
    )
    assert (note.code == TIMES_CONTRADICT and "per-query times" in note.message) or "start and end" in note.message


def test_a_summary_or_a_column_in_another_unit() -> None:
    assert only(contradictions(profile(), trace(), summary(1000.0))).where == "m.log"
    assert only(contradictions(None, trace(spread=1000.0), Metadata())).code == TIMES_CONTRADICT


@pytest.mark.parametrize("scale", [0.5, 1.8])
def test_a_trace_of_another_run_than_the_summary(scale: float) -> None:
    note = only(contradictions(profile(), trace(scale), summary()))
    assert note.code == TWO_RUNS and "two runs" in note.message
    assert contradictions(profile(), trace(1.005), summary()) == ()


@pytest.mark.parametrize(
    ("scale", "longest", "is_noted"), [(0.3, 1, True), (2.5, 1, True), (2.5, 0.5, False), (2.5, 0.8, True)]
)
def test_a_profile_of_other_clocks_or_another_engine(scale: float, longest: float, is_noted: bool) -> None:
    """longest: share of the layers' time that is on one stream."""
    ms = math.fsum(record.ms or 0.0 for record in profile(scale).records)
    on_streams = ([longest * ms], [(1 - longest) * ms]) if longest < 1 else ()
    for times, facts in ((trace(), Metadata()), (None, summary()), (trace(), summary())):
        notes = contradictions(profile(scale), times, facts, on_streams)
        assert [note.code for note in notes] == [TWO_RUNS] * is_noted


@pytest.mark.parametrize("scale", [1000.0, 0.001, 1 / 32])
@pytest.mark.parametrize("is_summary", [True, False])
def test_a_latency_without_gpu_compute(scale: float, is_summary: bool) -> None:
    """In us, in s, or of one of 32 items."""
    for factor, is_noted in ((1.0, False), (scale, True)):
        queries, facts = trace(factor), summary(factor)
        queries = QueryTimes({"latencyMs": queries.columns["computeMs"]}, source=queries.source)
        facts = Metadata(latency={"Latency": facts.latency["GPU Compute Time"]}, sources=facts.sources)
        notes = contradictions(profile(), None if is_summary else queries, facts if is_summary else Metadata())
        assert [note.severity for note in notes] == ["problem"] * is_noted


@pytest.mark.parametrize(
    ("ratio", "streams", "severity"),
    [
        (4.0, 1, None),
        (6.0, 1, "warning"),
        (12.0, 1, "problem"),
        (6.0, 3, None),
        (12.0, 3, "warning"),
        (60.0, 3, "problem"),
    ],
)
def test_short_layers_do_not_take_ten_times_gpu_compute(ratio: float, streams: int, severity: str | None) -> None:
    """Profiling may cost more than they take, so no layer shows it."""
    ms = [0.01] * 60
    layers = LayerTimes(tuple(LayerTime(f"l{at}", at, None, one, one, None) for at, one in enumerate(ms)))
    queries = QueryTimes({"computeMs": array("d", [sum(ms) / ratio] * 20)})
    on_streams = [ms[at::streams] for at in range(streams)] if streams > 1 else ()
    notes = contradictions(layers, queries, Metadata(), on_streams)
    assert [note.severity for note in notes] == [severity] * (severity is not None)


@pytest.mark.parametrize(("enqueue_ms", "is_noted"), [(1.75, False), (0.3, True)])
def test_gpu_compute_of_a_host_bound_run_may_be_any_times_the_layers(enqueue_ms: float, is_noted: bool) -> None:
    queries = QueryTimes({"computeMs": array("d", [1.8] * 50), "enqueueMs": array("d", [enqueue_ms] * 50)})
    notes = contradictions(profile(), queries, Metadata())
    assert [note.code for note in notes] == [TWO_RUNS] * is_noted


def test_times_of_two_optimization_profiles_in_one_file() -> None:
    """Neither their sum nor their percentages are those of one."""
    names = [f"{name}{suffix}" for suffix in ("", " [profile 1]") for name in "abcd"]
    records = tuple(LayerTime(name, 0, None, 0.25, 0.25, 12.5) for name in names)
    layers = [layer(name, "PointWiseV2", ["x"], ["y"]) for name in names]
    plan = EnginePlan(engine_from_records(layers), LayerTimes(records, 10), trace())
    assert not [note for note in plan.notes if note.code in (TWO_RUNS, TIMES_CONTRADICT, SHARES_CONTRADICT)]
    assert plan.df["latency.pct_time"].tolist() == [25.0] * 4


def test_one_layer_that_takes_longer_than_the_inference() -> None:
    """Among many short ones, whose sum timing them may explain."""
    short = [LayerTime(f"l{index}", 0, 0.05, 0.005, 0.005, None) for index in range(99)]
    for longest, severity in ((0.9, ""), (1.7, "warning"), (2.3, "problem")):
        times = LayerTimes(
            (*short, LayerTime("long", 0, 10 * longest, longest, longest, None)), COUNT, "m.profile.json"
        )
        notes = contradictions(times, trace(), Metadata())
        assert [(note.code, note.severity) for note in notes] == [(TWO_RUNS, severity)] * bool(severity)


@pytest.mark.parametrize(
    ("enqueue_ms", "begins_after_ms", "is_noted"),
    [(0.1, 1.0, True), (0.8, 1.0, False), (None, 1.0, False), (0.1, 0.5, False)],
)
def test_gpu_compute_without_gaps_is_no_longer_than_the_layers(
    enqueue_ms: float | None, begins_after_ms: float, is_noted: bool
) -> None:
    """0.9 ms and layers of 0.7 ms. A slow host leaves gaps, and other streams share the GPU."""
    columns = trace().columns | ({} if enqueue_ms is None else {"enqueueMs": array("d", [enqueue_ms] * 50)})
    columns["startComputeMs"] = array("d", [index * begins_after_ms for index in range(50)])
    columns["endComputeMs"] = array("d", [index * begins_after_ms + 0.9 for index in range(50)])
    notes = contradictions(profile(0.7), QueryTimes(columns, 0, "m.timing.json"), Metadata())
    assert [(note.code, note.severity) for note in notes] == [(TWO_RUNS, "warning")] * is_noted


@pytest.mark.parametrize(("streams", "is_noted"), [("1", True), ("2", False), (None, True)])
def test_queries_of_several_streams_share_the_gpu(streams: str | None, is_noted: bool) -> None:
    """0.9 ms and layers of 0.5 ms."""
    facts = Metadata(inference_options={} if streams is None else {"Streams": streams})
    notes = contradictions(profile(0.5), trace(), facts)
    assert [note.code for note in notes] == [TWO_RUNS] * is_noted


def test_a_cut_profile_lacks_layers() -> None:
    whole = profile()
    assert contradictions(replace(whole, records=whole.records[1:2]), trace(), Metadata()) == ()


def test_a_profile_and_a_throughput_are_enough() -> None:
    metadata = Metadata(performance={"Throughput": 1100.0})
    assert "the wall time by its throughput is" in only(contradictions(profile(1000.0), None, metadata)).message
    slow = Metadata(performance={"Throughput": 0.5})  # inferences that pause take any wall time
    assert contradictions(profile(), None, slow) == ()


def test_the_limit_has_room_on_both_sides() -> None:
    assert only(contradictions(profile(0.9 * 0.99 * CONTRADICTED), trace(), Metadata())).code == TWO_RUNS
    assert only(contradictions(profile(0.9 * 1.01 * CONTRADICTED), trace(), Metadata())).code == TIMES_CONTRADICT


CODES = {TIMES_CONTRADICT, MISSING_TIMES, SHARES_CONTRADICT, COPIED_QUERIES, TWO_RUNS, THROUGHPUT_CONTRADICTS}


def check(plan: EnginePlan) -> None:
    """As the files are, nothing is noted; with a scaled profile, something is where anything else is known."""
    assert not CODES & {note.code for note in plan.notes}
    known = plan.query_times is not None or plan.metadata.latency or plan.performance_summary.get("Throughput")
    if plan.layer_times is None or not plan.layers_ms > 0 or not known:
        return
    for scale in (1000.0, 0.001):
        notes = contradictions(scaled(plan.layer_times, scale), plan.query_times, plan.metadata)
        if plan.query_times is not None or "GPU Compute Time" in plan.metadata.latency:
            assert TIMES_CONTRADICT in {note.code for note in notes}


@pytest.mark.parametrize("case", READABLE, ids=lambda case: case.name)
def test_no_generated_engine_is_doubted(case: Case, tmp_path: Path) -> None:
    plan = load_plan(EnginePlan, case.write(tmp_path))
    assert not CODES & {note.code for note in plan.notes}


@pytest.mark.parametrize("name", ["resnet18-fp16", "resnet18-int8", "resnet18-int8-residual", "transformer-fp16"])
def test_no_example_is_doubted(name: str) -> None:
    check(load(f"example:{name}"))


def test_no_real_engine_is_doubted(shared_engines: Path) -> None:
    for path in sorted(shared_engines.iterdir()):
        if path.is_dir():
            check(load_plan(EnginePlan, path))

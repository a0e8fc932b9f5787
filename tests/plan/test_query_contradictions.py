"""Per-query times against themselves and trtexec's summary."""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plan.one_run import only, profile, summary, trace
from trex.core.metadata import LatencySummary, Metadata
from trex.core.note import Note
from trex.core.timings import CUT_OFF, MISSING_TIMES, QueryTimes
from trex.ingest.differing_times import TWO_RUNS
from trex.plan.time_notes import (
    COPIED_QUERIES,
    ENQUEUE_CONTRADICTS,
    PERCENTILES_CONTRADICT,
    TIMES_CONTRADICT,
    TRANSFERS_CONTRADICT,
)
from trex.plan.time_units import contradictions


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (LatencySummary(0.9, 1.2, 1.0, 0.5), TIMES_CONTRADICT),
        (LatencySummary(0.9, 1.2, 1.3, 1.0), TIMES_CONTRADICT),
        (LatencySummary(0.9, 1.2, 1.0, 1.0, {90.0: 1.1, 99.0: 0.8}), PERCENTILES_CONTRADICT),
        (LatencySummary(None, 1.2, None, 1.0, {99.0: 1.5}), PERCENTILES_CONTRADICT),
        (LatencySummary(0.9, 1.2, 1.0, 1.0, {90.0: 1.0, 99.0: 1.2}), None),
        (LatencySummary(0.0, 0.0, 0.0, 0.0), TIMES_CONTRADICT),
        (LatencySummary(None, None, 0.0, None), TIMES_CONTRADICT),
        (LatencySummary(0.1525, 1.8, 0.1625, 0.1547, {99.0: 0.427}), None),  # of a real log, and two of its bits
        (LatencySummary(0.1525, 1.8, 0.1625, 0.3547, {99.0: 0.427}), TIMES_CONTRADICT),
        (LatencySummary(0.1525, 1.8, 0.3625, 0.1547, {99.0: 0.17}), PERCENTILES_CONTRADICT),
        (LatencySummary(0.1525, 1.8, 0.1625, 4.1547, {99.0: 0.427}), TIMES_CONTRADICT),
        (LatencySummary(1.1, 1.3, 1.1, 1.2, {99.0: 1.3}), None),  # rounded by a script
        (LatencySummary(0.02, 0.04, 0.04, 0.03, {99.0: 0.04}), None),
    ],
)
def test_a_summary_out_of_order(line: LatencySummary, code: str | None) -> None:
    notes = contradictions(None, None, Metadata(latency={"GPU Compute Time": line}, sources=("m.log",)))
    assert [note.code for note in notes] == ([code] if code else [])


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("Enqueue Time", ENQUEUE_CONTRADICTS),
        ("H2D Latency", TRANSFERS_CONTRADICT),
        ("D2H Latency", TRANSFERS_CONTRADICT),
    ],
)
@pytest.mark.parametrize(
    ("median", "is_noted"), [(0.0026, False), (4.0026, True), (0.0126, True)], ids=["", "above maximum", "above p90"]
)
def test_the_other_lines_of_a_summary_out_of_order(line: str, code: str, median: float, is_noted: bool) -> None:
    summary = LatencySummary(0.0021, 0.0181, 0.0028, median, {90.0: 0.0031, 99.0: 0.0044})
    notes = contradictions(None, None, Metadata(latency={line: summary}, sources=("m.log",)))
    assert [(note.code, note.severity) for note in notes] == [(code, "problem")] * is_noted


@given(st.lists(st.floats(0.01, 100.0), min_size=10, max_size=60), st.sampled_from(["linear", "lower", "higher"]))
def test_no_summary_of_queries_is_out_of_order(
    queries: list[float], method: Literal["linear", "lower", "higher"]
) -> None:
    values = np.asarray(queries)
    percentiles = {label: float(np.percentile(values, label, method=method)) for label in (50.0, 90.0, 95.0, 99.0)}
    line = LatencySummary(values.min(), values.max(), values.mean(), percentiles.pop(50.0), percentiles)
    assert contradictions(None, None, Metadata(latency={"GPU Compute Time": line})) == ()


@pytest.mark.parametrize(
    ("median", "p99", "code"),
    [(1.05, 1.2, None), (1.2, 1.3, TIMES_CONTRADICT), (1.0, 1.5, PERCENTILES_CONTRADICT)],
)
def test_gpu_compute_is_a_part_of_the_latency(median: float, p99: float, code: str | None) -> None:
    compute = LatencySummary(0.9, 2.0, 1.05, median, {99.0: p99})
    latency = LatencySummary(1.0, 2.5, 1.15, 1.1, {99.0: 1.4})
    notes = contradictions(None, None, Metadata(latency={"GPU Compute Time": compute, "Latency": latency}))
    assert [note.code for note in notes] == ([code] if code else [])


@pytest.mark.parametrize("throughput", [0.0, 1050.0])
@pytest.mark.parametrize("queries", [None, trace()])
def test_a_summary_of_zeros_measured_nothing_whatever_else_is_odd(
    queries: QueryTimes | None, throughput: float
) -> None:
    notes = contradictions(profile(), queries, summary(scale=0.0, throughput=throughput))
    assert TIMES_CONTRADICT in [note.code for note in notes if note.severity == "problem"]


def test_the_latency_is_transfers_and_gpu_compute() -> None:
    def transferred(latency: float) -> QueryTimes:
        more = {"h2dMs": 0.2, "d2hMs": 0.1, "latencyMs": latency}
        return QueryTimes({**trace().columns, **{name: array("d", [ms] * 50) for name, ms in more.items()}}, 0, "m")

    def summed(latency: float, copied: float = 0.2) -> Metadata:
        means = {"H2D Latency": copied, "GPU Compute Time": 0.9, "D2H Latency": copied - 0.1, "Latency": latency}
        return Metadata(latency={name: LatencySummary(ms, ms, ms, ms) for name, ms in means.items()})

    assert contradictions(None, transferred(1.2), summed(1.2)) == ()
    for times, metadata in (
        (transferred(5.0), summed(1.2)),
        (transferred(0.9), Metadata()),
        (None, summed(27.0)),
        (None, summed(1.0, 1e308)),
    ):
        note = only(contradictions(None, times, metadata))
        assert note.code == TIMES_CONTRADICT and "latency" in note.message


@pytest.mark.parametrize("warm_up", [0, None])
@pytest.mark.parametrize(("line", "key"), [("Latency", "latencyMs"), ("GPU Compute Time", "computeMs")])
def test_a_summary_has_the_statistics_of_its_queries(line: str, key: str, warm_up: int | None) -> None:
    times = QueryTimes({key: array("d", [0.9] * 98 + [1.0, 1.0])}, warm_up, "m.timing.json")
    right = LatencySummary(0.9, 1.0, 0.902, 0.9, {90.0: 0.9, 99.0: 1.0})
    assert contradictions(None, times, Metadata(latency={line: right})) == ()
    tail = {90.0: 0.9, 99.0: 2.0}
    for changed, code in (
        (replace(right, percentiles=tail), PERCENTILES_CONTRADICT),
        (replace(right, maximum_ms=2.0), PERCENTILES_CONTRADICT),
        (replace(right, median_ms=1.5), TWO_RUNS),
        (replace(right, median_ms=0.5), TWO_RUNS),  # no warm-up moves the median
    ):
        note = only(contradictions(None, times, Metadata(latency={line: changed})))
        assert note.code == code and note.severity == "problem"
    lower = contradictions(None, times, Metadata(latency={line: replace(right, percentiles={99.0: 0.9})}))
    assert len(lower) == (warm_up is not None), "rows of an unknown warm-up may lie beyond the summary"


@pytest.mark.parametrize(("stated", "is_noted"), [(0.9, False), (0.905, False), (0.95, True), (0.86, True)])
def test_a_summary_of_another_run_at_nearly_the_same_time_is_noted(stated: float, is_noted: bool) -> None:
    facts = Metadata(latency={"GPU Compute Time": LatencySummary(None, None, None, stated)})
    notes = contradictions(None, trace(), facts)
    assert [(note.code, note.severity) for note in notes] == [(TWO_RUNS, "warning")] * is_noted


@pytest.mark.parametrize(
    ("traced", "mean", "is_noted"),
    [(30_000, 0.1, False), (30_100, 0.1, False), (60_000, 0.1, True), (15_000, 0.1, True), (60_000, 0.0005, False)],
)
def test_the_log_counts_the_queries_of_the_summary(traced: int, mean: float, is_noted: bool) -> None:
    facts = Metadata(
        latency={"GPU Compute Time": LatencySummary(None, None, mean, mean)},
        performance={"Total GPU Compute Time": 30_000 * mean / 1000.0},
        milestones={"queries": traced},
    )
    notes = [(note.code, note.severity) for note in contradictions(None, None, facts)]
    assert notes == [(TWO_RUNS, "problem")] * is_noted


@pytest.mark.parametrize(
    ("enqueue_ms", "streams", "is_noted"),
    [(0.05, 0, False), (0.9, 0, False), (50.0, 0, True), (50.0, 1, True), (50.0, 4, False), (5e-5, 1, True)],
)
def test_the_host_enqueues_one_query_after_the_other(enqueue_ms: float, streams: int, is_noted: bool) -> None:
    """In us or in s; with several streams it may have several threads."""
    queries = trace()
    queries = replace(queries, columns={**queries.columns, "enqueueMs": array("d", [enqueue_ms] * 50)})
    facts = Metadata(inference_options={"Streams": streams} if streams else {})
    notes = [note.code for note in contradictions(None, queries, facts)]
    assert (ENQUEUE_CONTRADICTS in notes) is is_noted


def test_the_mean_enqueue_time_is_that_of_the_queries() -> None:
    def noted(
        mean_ms: float | None, first_ms: float = 0.0, warm_up: int | None = 0, *, kept: bool = False
    ) -> list[str]:
        starts = array("d", [first_ms + index for index in range(50)])
        columns = {"startEnqMs": starts, "endEnqMs": array("d", [ms + 0.02 for ms in starts])}
        if kept:
            columns = {"enqueueMs": array("d", [0.02] * 50), "endEnqMs": array("d", [50.0] * 50)}
        times = QueryTimes(columns, warm_up, "m")
        line = LatencySummary(0.001, 20.0, mean_ms, 0.009)
        return [note.code for note in contradictions(None, times, Metadata(latency={"Enqueue Time": line}))]

    assert noted(0.021) == noted(None) == noted(0.021, 1e6) == []
    assert noted(5.0) == noted(0.005) == [ENQUEUE_CONTRADICTS]
    assert noted(0.035, 2000.0) == [], "written with six digits, an enqueue time is rounded to 10 µs"
    assert noted(0.005, warm_up=None) == [] and noted(5.0, warm_up=None) == [ENQUEUE_CONTRADICTS]
    assert noted(5.0, kept=True) == [ENQUEUE_CONTRADICTS] and noted(0.025, kept=True) == []


def columns(**changed: list[float]) -> QueryTimes:
    known = trace().columns
    return QueryTimes({name: array("d", changed.get(name, list(known[name]))) for name in known}, 0, "m.timing.json")


@pytest.mark.parametrize("ms", [0.0, 0.45, 1.8])
def test_gpu_compute_that_is_not_end_minus_start(ms: float) -> None:
    note = only(contradictions(None, columns(computeMs=[ms] * 50), Metadata()))
    assert note.code == TIMES_CONTRADICT and "50 of 50 queries" in note.message and "0.9 ms" in note.message


def test_queries_that_are_copies() -> None:
    twice = QueryTimes({name: column + column for name, column in trace().columns.items()}, 0, "m.timing.json")
    note = only(contradictions(None, twice, Metadata()))
    assert note.code == COPIED_QUERIES and "50 of 100" in note.message


@pytest.mark.parametrize("ms", [float("nan"), 0.0, 1e300])
def test_queries_without_a_time(ms: float) -> None:
    changed = [0.9] * 150 + [ms] * 2
    times = QueryTimes({"latencyMs": array("d", changed)}, 0, "m.timing.json")
    note = only(contradictions(None, times, Metadata()))
    assert (note.code, note.severity) == (MISSING_TIMES, "problem") and "2 of 152 queries" in note.message
    assert not contradictions(None, QueryTimes({"latencyMs": array("d", changed[:-1])}, 0), Metadata())
    assert not contradictions(None, QueryTimes({"latencyMs": array("d", changed[::-1])}, 2), Metadata())


@pytest.mark.parametrize(
    ("queries", "warm_up", "mean_ms", "code"),
    [
        (50, 0, 0.9, None),
        (51, 1, 0.9, None),
        (53, None, 0.9, None),  # 3 may be a warm-up
        (50, 0, 0.8996, None),  # rounded by a script
        (47, 0, 0.9, MISSING_TIMES),
        (25, None, 0.9, MISSING_TIMES),
        (53, 0, 0.9, TWO_RUNS),
    ],
)
def test_a_summary_is_of_as_many_queries_as_were_exported(
    queries: int, warm_up: int | None, mean_ms: float, code: str | None
) -> None:
    times = QueryTimes({"computeMs": array("d", [0.9] * queries)}, warm_up, "m.timing.json")
    line = LatencySummary(0.9, 0.9, mean_ms, 0.9)
    metadata = Metadata(performance={"Total GPU Compute Time": 0.045}, latency={"GPU Compute Time": line})
    assert [(note.code, note.severity) for note in contradictions(None, times, metadata)] == (
        [(code, "problem")] if code else []
    )
    assert not contradictions(None, replace(times, part_of=50), metadata)
    torn = replace(times, warm_up_rows=None, notes=(Note(CUT_OFF, "the file is cut off", "", "", "problem"),))
    lost = [MISSING_TIMES] if code == MISSING_TIMES else []
    assert [note.code for note in contradictions(None, torn, metadata)] == lost
    assert [note.code for note in contradictions(None, torn, Metadata())] == [MISSING_TIMES]  # unknown how many


def test_queries_that_overlap_on_one_stream() -> None:
    starts = np.arange(100) * 0.5
    columns = {"startComputeMs": array("d", starts.tolist()), "endComputeMs": array("d", (starts + 0.9).tolist())}
    queries = QueryTimes(columns, 0, "m.timing.json")
    for options, codes in (({}, []), ({"Streams": "1"}, [TWO_RUNS]), ({"Streams": "2"}, [])):
        notes = contradictions(None, queries, Metadata(inference_options=options))
        assert [note.code for note in notes] == codes

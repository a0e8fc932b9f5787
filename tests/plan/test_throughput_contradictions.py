"""trtexec's throughput against the queries, the total times and GPU compute."""

from __future__ import annotations

from array import array
from dataclasses import replace

import pytest

from tests.plan.one_run import only, summary, trace
from trex.core.metadata import LatencySummary, Metadata
from trex.core.note import Note
from trex.core.timings import QueryTimes
from trex.plan.time_notes import (
    THROUGHPUT_CONTRADICTS,
)
from trex.plan.time_units import contradictions


@pytest.mark.parametrize("factor", [0.1, 0.75, 1.3, 10.0, -1.0, 1e-320, 1e300])
def test_a_throughput_that_is_not_that_of_the_queries(factor: float) -> None:
    totals = {"Total GPU Compute Time": 2.7, "Total Host Walltime": 3.0}  # 3000 queries
    for times, more in ((trace(), {}), (None, totals)):
        right, wrong = summary(), summary(throughput=1000.0 * factor)
        assert contradictions(None, times, replace(right, performance={**right.performance, **more})) == ()
        note = only(contradictions(None, times, replace(wrong, performance={**wrong.performance, **more})))
        assert note.code == THROUGHPUT_CONTRADICTS


@pytest.mark.parametrize(
    ("factor", "count", "warm_up", "is_noted"),
    [
        (1.0, 3000, 0, False),
        (1.046, 3000, 0, True),  # of an earlier run
        (0.97, 3000, 300, True),
        (1.003, 3000, 300, False),
        (1.02, 40, 0, False),  # the last query is 2.5 %
        (1.046, 3000, None, False),  # the warm-up may be slower
    ],
)
@pytest.mark.parametrize("streams", [1, 4])
def test_a_throughput_that_is_a_little_off(
    factor: float, count: int, warm_up: int | None, is_noted: bool, streams: int
) -> None:
    """Queries of several streams overlap; those of the warm-up are slower."""
    begins = [0.5 * index - 0.1 * max((warm_up or 0) - index, 0) for index in range(count)]
    shifts = (("startH2dMs", 0.0), ("startComputeMs", 0.1), ("endComputeMs", 0.3), ("endD2hMs", 0.5))
    columns = {key: array("d", [start + shift * streams for start in begins]) for key, shift in shifts}
    rate, times = 2000.0 * factor, QueryTimes(columns, warm_up, "m.timing.json")
    assert _has_other_throughput(contradictions(None, times, Metadata(performance={"Throughput": rate}))) == is_noted


@pytest.mark.parametrize(("mean", "is_noted"), [(0.9, True), (0.01, False)])
def test_a_throughput_that_is_a_little_off_the_total_times(mean: float, is_noted: bool) -> None:
    """A mean of 0.01 ms may be rounded."""
    facts = Metadata(
        performance={"Throughput": 1046.0, "Total GPU Compute Time": 3.0 * mean, "Total Host Walltime": 3.0},
        latency={"GPU Compute Time": LatencySummary(mean, mean, mean, mean)},
    )
    assert _has_other_throughput(contradictions(None, None, facts)) == is_noted


def _has_other_throughput(notes: tuple[Note, ...]) -> bool:
    return [(note.code, note.severity) for note in notes] == [(THROUGHPUT_CONTRADICTS, "problem")]


def test_a_throughput_that_is_not_that_of_the_total_times() -> None:
    """Also where it is that of the per-query times."""
    for wall_s, is_noted in ((0.05, False), (30.0, True)):
        totals = {"Total GPU Compute Time": 0.045, "Total Host Walltime": wall_s}  # 50 queries
        facts = summary()
        notes = contradictions(None, trace(), replace(facts, performance={"Throughput": 1000.0, **totals}))
        assert [note.code for note in notes] == [THROUGHPUT_CONTRADICTS] * is_noted
        assert all("the total times of the run give 1.667" in note.message for note in notes)


def test_a_throughput_that_takes_more_streams_than_there_were() -> None:
    many = summary(throughput=4000.0)
    for streams, words in (
        ("1", "3.6 queries ran at the same time on 1 stream"),
        (2, "on 2 streams"),
        (None, "if it"),
    ):
        facts = replace(many, inference_options={} if streams is None else {"Streams": streams})
        assert words in only(contradictions(None, None, facts)).message
    assert contradictions(None, None, replace(many, inference_options={"Streams": "4"})) == ()
    spelled = [replace(many, inference_options={"Inference Streams": count}) for count in ("1", "4")]
    assert only(contradictions(None, None, spelled[0])).severity == "problem"
    assert contradictions(None, None, spelled[1]) == ()


@pytest.mark.parametrize(("streams", "is_noted"), [("1", True), ("2", False), (None, False)])
def test_total_times_of_several_streams(streams: str | None, is_noted: bool) -> None:
    """They agree with their throughput, whatever the options say."""
    totals = {"Total GPU Compute Time": 0.045, "Total Host Walltime": 0.025, "Throughput": 2000.0}  # 50 queries
    options = {} if streams is None else {"Streams": streams}
    notes = contradictions(None, None, replace(summary(), performance=totals, inference_options=options))
    assert [note.severity for note in notes] == ["problem"] * is_noted


@pytest.mark.parametrize(("per_s", "is_noted"), [(1000.0, False), (16_000.0, True)])
def test_a_throughput_of_items_beside_the_latency_alone(per_s: float, is_noted: bool) -> None:
    facts = summary(throughput=per_s)
    latency = {"Latency": facts.latency["GPU Compute Time"]}
    notes = contradictions(None, None, replace(facts, latency=latency, inference_options={"Streams": 1}))
    assert [note.code for note in notes] == [THROUGHPUT_CONTRADICTS] * is_noted

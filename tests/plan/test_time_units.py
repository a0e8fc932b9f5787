"""Files in other units contradict other times of the same inference; real files never do."""

from __future__ import annotations

from array import array
from dataclasses import replace
from pathlib import Path

import pytest

from tests.engines import READABLE
from tests.synthetic import Case
from trex.core.metadata import LatencySummary, Metadata
from trex.core.note import Note
from trex.core.timings import CUT_OFF, MISSING_TIMES, LayerTime, LayerTimes, QueryTimes
from trex.engine_plan import load
from trex.ingest.differing_times import TWO_RUNS
from trex.plan.engine_plan import EnginePlan
from trex.plan.loading import load_plan
from trex.plan.time_units import (
    CONTRADICTED,
    COPIED_QUERIES,
    ENQUEUE_CONTRADICTS,
    PERCENTILES_CONTRADICT,
    SHARES_CONTRADICT,
    THROUGHPUT_CONTRADICTS,
    TIMES_CONTRADICT,
    contradictions,
)

COUNT = 10


def profile(scale: float = 1.0, share: float | None = None, averages: float = 1.0) -> LayerTimes:
    """Four layers of 0.1 to 0.4 ms, 1 ms together."""
    records = [
        LayerTime(
            name, 0, ms * COUNT * scale, ms * scale * averages, ms * scale, 100.0 * ms if share is None else share
        )
        for name, ms in zip("abcd", (0.1, 0.2, 0.3, 0.4))
    ]
    return LayerTimes(tuple(records), COUNT, "m.profile.json")


def trace(scale: float = 1.0, spread: float = 1.0) -> QueryTimes:
    starts = [index * 1.0 for index in range(50)]
    columns = {
        "startComputeMs": array("d", [scale * start for start in starts]),
        "endComputeMs": array("d", [scale * (start + 0.9 * spread) for start in starts]),
        "computeMs": array("d", [scale * 0.9] * 50),
    }
    return QueryTimes(columns, 0, "m.timing.json")


def summary(scale: float = 1.0, throughput: float = 1000.0) -> Metadata:
    line = LatencySummary(0.9 * scale, 0.9 * scale, 0.9 * scale, 0.9 * scale)
    return Metadata(performance={"Throughput": throughput}, latency={"GPU Compute Time": line}, sources=("m.log",))


def only(notes: tuple[Note, ...]) -> Note:
    (note,) = notes
    return note


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


@pytest.mark.parametrize(("scale", "streams"), [(0.3, 1), (2.5, 1), (2.5, 2)])
def test_a_profile_of_other_clocks_or_another_engine(scale: float, streams: int) -> None:
    for times, facts in ((trace(), Metadata()), (None, summary()), (trace(), summary())):
        notes = contradictions(profile(scale), times, facts, streams)
        assert [note.code for note in notes] == [TWO_RUNS] * (scale < 1 or streams == 1)


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


def test_a_cut_profile_lacks_layers() -> None:
    whole = profile()
    assert contradictions(replace(whole, records=whole.records[1:2]), trace(), Metadata()) == ()


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
        ("1", "3.6 queries ran at the same time on 1 streams"),
        (2, "on 2 streams"),
        (None, "if it"),
    ):
        facts = replace(many, inference_options={} if streams is None else {"Streams": streams})
        assert words in only(contradictions(None, None, facts)).message
    assert contradictions(None, None, replace(many, inference_options={"Streams": "4"})) == ()
    spelled = [replace(many, inference_options={"Inference Streams": count}) for count in ("1", "4")]
    assert only(contradictions(None, None, spelled[0])).severity == "problem"
    assert contradictions(None, None, spelled[1]) == ()


def test_a_profile_and_a_throughput_are_enough() -> None:
    metadata = Metadata(performance={"Throughput": 1100.0})
    assert "the wall time by its throughput is" in only(contradictions(profile(1000.0), None, metadata)).message
    slow = Metadata(performance={"Throughput": 0.5})  # inferences that pause take any wall time
    assert contradictions(profile(), None, slow) == ()


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
    ],
)
def test_a_summary_out_of_order(line: LatencySummary, code: str | None) -> None:
    notes = contradictions(None, None, Metadata(latency={"GPU Compute Time": line}, sources=("m.log",)))
    assert [note.code for note in notes] == ([code] if code else [])


def test_a_profile_alone_contradicts_itself_only() -> None:
    assert contradictions(profile(1000.0), None, Metadata()) == ()
    note = only(contradictions(profile(averages=1000.0), None, Metadata()))
    assert "their totals of 10 iterations to 1 ms each" in note.message


def test_a_row_of_zero_has_no_percentage() -> None:
    whole = profile()
    zero = replace(whole.records[0], total_ms=0.0, average_ms=0.0, median_ms=0.0, share_pct=0.4)
    note = only(contradictions(replace(whole, records=(zero, *whole.records[1:])), None, Metadata()))
    assert note.code == SHARES_CONTRADICT and note.severity == "problem" and "'a' 0 ms and 0.4 %" in note.message
    none = replace(zero, share_pct=0.0)
    assert contradictions(replace(whole, records=(none, *whole.records[1:])), None, Metadata()) == ()


def test_percentages_of_99_in_every_row() -> None:
    note = only(contradictions(profile(share=99.0), None, Metadata()))
    assert note.code == SHARES_CONTRADICT and "add up to 396 %" in note.message and "up to 15 points" in note.message


@pytest.mark.parametrize(("points", "is_noted"), [(0.05, False), (0.4, True)])
def test_a_percentage_of_another_time(points: float, is_noted: bool) -> None:
    first, *rest = profile().records
    off = replace(profile(), records=(replace(first, share_pct=first.share_pct + points), *rest))
    assert [note.code for note in contradictions(off, None, Metadata())] == [SHARES_CONTRADICT] * is_noted


def test_percentages_of_a_cut_profile_are_right() -> None:
    whole = profile()
    assert contradictions(replace(whole, records=whole.records[1:]), None, Metadata()) == ()


def test_percentages_of_a_whole_profile_add_up_to_100() -> None:
    half = replace(profile(), records=tuple(replace(item, share_pct=item.share_pct / 2) for item in profile().records))
    assert contradictions(half, None, Metadata()) == ()
    note = only(contradictions(half, None, Metadata(), is_whole=True))
    assert note.code == SHARES_CONTRADICT and note.message.endswith("add up to 50 %")


def test_a_profile_of_zeros_measured_nothing() -> None:
    note = only(contradictions(profile(0.0), trace(), summary()))
    assert note.code == TIMES_CONTRADICT and "every time in the layer profile is 0 ms" in note.message


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


def test_the_mean_enqueue_time_is_that_of_the_queries() -> None:
    def noted(
        mean_ms: float | None, first_ms: float = 0.0, warm_up: int | None = 0, *, kept: bool = False
    ) -> list[str]:
        starts = array("d", [first_ms + index for index in range(50)])
        columns = {"startEnqMs": starts, "endEnqMs": array("d", [ms + 0.02 for ms in starts])}
        if kept:
            columns = {"enqueueMs": array("d", [0.02] * 50), "endEnqMs": array("d", [50.0] * 50)}
        times = QueryTimes(columns, warm_up, "m")
        line = LatencySummary(0.01, 0.03, mean_ms, 0.02)
        return [note.code for note in contradictions(None, times, Metadata(latency={"Enqueue Time": line}))]

    assert noted(0.021) == noted(None) == noted(0.021, 1e6) == []
    assert noted(5.0) == noted(0.005) == [ENQUEUE_CONTRADICTS]
    assert noted(0.035, 2000.0) == [], "written with six digits, an enqueue time is rounded to 10 µs"
    assert noted(0.005, warm_up=None) == [] and noted(5.0, warm_up=None) == [ENQUEUE_CONTRADICTS]
    assert noted(5.0, kept=True) == [ENQUEUE_CONTRADICTS] and noted(0.025, kept=True) == []


def test_the_limit_has_room_on_both_sides() -> None:
    assert only(contradictions(profile(0.9 * 0.99 * CONTRADICTED), trace(), Metadata())).code == TWO_RUNS
    assert only(contradictions(profile(0.9 * 1.01 * CONTRADICTED), trace(), Metadata())).code == TIMES_CONTRADICT


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


def scaled(times: LayerTimes, factor: float) -> LayerTimes:
    def of(ms: float | None) -> float | None:
        return None if ms is None else ms * factor

    changed = [
        replace(record, total_ms=of(record.total_ms), average_ms=of(record.average_ms), median_ms=of(record.median_ms))
        for record in times.records
    ]
    return replace(times, records=tuple(changed))


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

"""What one side's files alone may be, the other side contradicts."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.raw_records import chain
from tests.rules.cases import plan_of
from trex.compare.baseline import MOST_SAMPLES, baseline_document
from trex.compare.condition import read_condition
from trex.compare.gate import GateStatus, judge
from trex.compare.metrics.layer import COPIED_PROFILE
from trex.compare.plan_diff import PlanDiff
from trex.compare.series import EngineSeries
from trex.core.errors import TrexError
from trex.core.metadata import LatencySummary, Metadata
from trex.core.note import Note
from trex.core.timings import LayerTime, LayerTimes
from trex.ingest.baseline_json import read_baseline
from trex.ingest.differing_times import TWO_RUNS
from trex.ingest.graph_json import engine_from_records
from trex.plan.engine_plan import EnginePlan

NAMES = "abcdefgh"


def plan(
    layer_ms: float | None, compute_ms: float, names: str = NAMES, step: float = 1e-4, count: int = 30
) -> EnginePlan:
    """Eight layers, or other ones, that take so long each, and 30 queries of one run."""
    times = None if layer_ms is None else dict.fromkeys(names, layer_ms)
    trace = {"computeMs": [compute_ms + step * (number % 7) for number in range(count)]}
    return plan_of(chain(*names), times, trace=trace)


def codes(base: EnginePlan, new: EnginePlan) -> list[str]:
    diff = PlanDiff(base, new)
    (result,) = judge(diff, [read_condition("compute>+3%")])
    assert (result.status is GateStatus.INCONCLUSIVE) == bool(diff.contradicted)
    return [note.message.partition(":")[0] for note in diff.contradicted if note.code == TWO_RUNS]


@pytest.mark.parametrize(
    ("base", "new", "side"),
    [
        (plan(1.0, 7.9), plan(1.0, 7.5), []),
        (plan(1.0, 7.9), plan(0.5, 3.9), []),
        (plan(1.0, 7.9), plan(1.0, 5.5), ["new"]),  # the times of a faster run next to the layers of this one
        (plan(1.0, 5.5), plan(1.0, 7.9), ["base"]),
        (plan(1.0, 7.9), plan(1.0, 11.4), ["new"]),  # layers of a faster run
        (plan(0.005, 0.041), plan(0.01, 0.045), []),  # timing a layer costs up to 8 µs
        (plan(0.045, 0.277), plan(0.045, 0.498), ["new"]),  # the times of a slower engine
        (plan(0.045, 0.498), plan(0.045, 0.277), ["base"]),
        (plan(1.0, 7.9), plan(None, 3.9), []),
    ],
)
def test_layers_and_compute_of_two_runs(base: EnginePlan, new: EnginePlan, side: list[str]) -> None:
    assert codes(base, new) == side


def gated(base: EnginePlan, new: EnginePlan) -> list[bool]:
    """Whether each condition passes, of GPU compute, of the layers' sum, and of the layers one by one."""
    conditions = [read_condition(text) for text in ("compute>+3%", "layer-sum>+3%", "layer:*>+10%")]
    results = judge(PlanDiff(base, new), conditions)
    return [
        all(result.status is not GateStatus.INCONCLUSIVE for result in results if result.condition == condition)
        for condition in conditions
    ]


@pytest.mark.parametrize("warm_up_rows", [None, 1], ids=["", "warm-up-of-one-side"])
@pytest.mark.parametrize(
    ("layer_ms", "compute_ms", "enqueue_ms", "doubted"),
    [
        (1.0, 7.8, 0.1, ""),
        (1.3, 10.3, 0.1, ""),
        (1.3, 7.8, 0.1, "layers"),  # a slower run's layers, or an earlier run's queries: no kernel hides in them
        (1.0, 10.3, 0.1, "compute"),
        (0.88, 7.8, 0.1, "compute"),
        (1.08, 7.8, 0.1, ""),
        (1.3, 7.8, 6.0, ""),  # the GPU waits for the host, which hides growth of its kernels
        (1.0, 10.3, None, ""),
    ],
)
def test_layers_that_grow_without_gpu_compute(
    layer_ms: float, compute_ms: float, enqueue_ms: float | None, doubted: str, warm_up_rows: int | None
) -> None:
    base, new = (plan(*times) for times in ((1.0, 7.9), (layer_ms, compute_ms)))
    assert base.query_times is not None
    base.query_times = replace(base.query_times, warm_up_rows=warm_up_rows)
    for side in (base, new) if enqueue_ms else ():
        assert side.query_times is not None and enqueue_ms is not None
        columns = side.query_times.columns | {"enqueueMs": array("d", [enqueue_ms] * len(side.query_times))}
        side.query_times = replace(side.query_times, columns=columns)
        side.metadata = replace(side.metadata, inference_options={"Streams": "1"})
    diff = PlanDiff(base, new)
    assert [note.severity for note in diff.notes if note.code == TWO_RUNS] == ["warning"] * bool(doubted)
    growth = diff.unshared_growth
    assert (growth is None) == (not doubted)
    if growth is not None:
        assert growth.of_layers is (doubted == "layers")
        of_compute, *of_layers = gated(base, new)
        assert (of_compute, any(of_layers)) == ((False, True) if growth.of_layers else (of_compute, False))


@pytest.mark.parametrize(
    ("code", "is_checked"),
    [
        ("medians-contradict", True),
        ("throughput-contradicts", True),
        ("percentiles-contradict", True),
        ("enqueue-contradicts", False),
        ("truncated", False),
        (TWO_RUNS, False),
    ],
)
def test_doubts_of_other_figures_silence_no_check(code: str, is_checked: bool) -> None:
    base, new = plan(1.0, 7.9), plan(1.3, 7.8)
    for side in (base, new):
        assert side.query_times is not None
        columns = side.query_times.columns | {"enqueueMs": array("d", [0.1] * len(side.query_times))}
        side.query_times = replace(side.query_times, columns=columns)
        side.metadata = replace(side.metadata, inference_options={"Streams": "1"})
    new.notes = (*new.notes, Note(code, "of the files", severity="problem"))
    assert (PlanDiff(base, new).unshared_growth is not None) is is_checked


def test_the_cost_of_few_layers_says_little_of_many() -> None:
    base, new = plan(4.06 / 2, 4.0, NAMES[:2]), plan(4.5 / 8, 4.0)
    for side in (base, new):
        assert side.query_times is not None
        columns = side.query_times.columns | {"enqueueMs": array("d", [0.1] * len(side.query_times))}
        side.query_times = replace(side.query_times, columns=columns)
        side.metadata = replace(side.metadata, inference_options={"Streams": "1"})
    assert PlanDiff(base, new).unshared_growth is None


def kept(of: EnginePlan) -> EnginePlan:
    """As a baseline keeps it."""
    return EnginePlan.from_artifacts(read_baseline(json.dumps(baseline_document(of)).encode(), "kept.json")[1])


@pytest.mark.parametrize("count", [30, 2500])
@pytest.mark.parametrize("copied", [lambda of: of, kept])
def test_the_samples_of_another_engine(copied: Callable[[EnginePlan], EnginePlan], count: int) -> None:
    base = plan(None, 7.9, count=count)
    assert codes(copied(base), plan(None, 7.9, NAMES[:6], count=count)) == ["new"]
    assert codes(copied(base), base) == []
    assert codes(copied(base), plan(None, 7.9, NAMES[:6], 2e-4, count=count)) == []
    profiled = plan(1.0, 7.9, count=count)
    for layer_ms in (1.2, 1.02):
        assert codes(copied(profiled), plan(layer_ms, 7.9, count=count)) == ["new"]
    assert codes(copied(profiled), plan(1.00005, 7.9, count=count)) == []  # as a table has it


@pytest.mark.parametrize("count", [30, 2500])
@pytest.mark.parametrize(("of_base", "of_new"), [(3, 3), (None, 3), (3, None), (None, None)])
def test_the_samples_of_another_engine_with_its_warm_up(count: int, of_base: int | None, of_new: int | None) -> None:
    """A baseline keeps none, if it knows which they are."""
    base, new = (plan(None, 7.9, names, count=count) for names in (NAMES, NAMES[:6]))
    for side, rows in ((base, of_base), (new, of_new)):
        assert side.query_times is not None
        side.query_times = replace(side.query_times, warm_up_rows=rows)
    assert codes(kept(base), new) == codes(base, kept(new)) == codes(base, new) == ["new"]
    assert codes(kept(base), kept(new)) == ["new"] * (of_base == of_new or count < MOST_SAMPLES)


def test_the_samples_of_another_engine_that_were_cut_off() -> None:
    base, new = (plan(None, 7.9, names, count=count) for names, count in ((NAMES, 30), (NAMES[:6], 20)))
    assert codes(base, new) == codes(new, base) == ["new"]


@pytest.mark.parametrize(("count", "is_copied"), [(500, True), (20, True), (19, False)])
@pytest.mark.parametrize("copied", [lambda of: of, kept])
def test_the_samples_of_another_engine_from_its_middle(
    copied: Callable[[EnginePlan], EnginePlan], count: int, is_copied: bool
) -> None:
    columns = [7.9 + 1e-4 * (number * number % 997) for number in range(1000)]
    base, new = (
        plan_of(chain(*names), None, trace={"computeMs": ms})
        for names, ms in ((NAMES, columns), (NAMES[:6], columns[200 : 200 + count]))
    )
    assert codes(base, copied(new)) == ["new"] * is_copied


def test_the_samples_of_another_engine_of_names_only_or_without_gpu_compute() -> None:
    trace = {"latencyMs": [7.9 + 1e-4 * (number % 7) for number in range(30)]}
    base, new = (plan_of(chain(*names), None, trace=trace) for names in (NAMES, NAMES[:6]))
    assert [note.code for note in PlanDiff(base, new).contradicted] == [TWO_RUNS]
    for side in (base, new):
        side.engine = replace(side.engine, verbosity="names")
    assert [note.code for note in PlanDiff(base, new).contradicted] == [TWO_RUNS]
    assert "No difference" not in PlanDiff(base, new).main.sentence


@pytest.mark.parametrize(
    ("names", "mean_ms", "is_copied"), [(NAMES[:6], 7.93, True), (NAMES, 7.93, False), (NAMES[:6], 7.94, False)]
)
def test_the_summary_of_another_engine_without_queries(names: str, mean_ms: float, is_copied: bool) -> None:
    def summarized(names: str, mean_ms: float) -> EnginePlan:
        compute, latency = LatencySummary(7.9, 8.1, mean_ms, 7.92), LatencySummary(8.0, 8.2, 8.05, 8.04)
        run = Metadata(latency={"GPU Compute Time": compute, "Latency": latency})
        return EnginePlan(engine_from_records(chain(*names)), metadata=run)

    base, new = summarized(NAMES, 7.93), summarized(names, mean_ms)
    for left in (base, kept(base)):
        diff = PlanDiff(left, new)
        (result,) = judge(diff, [read_condition("compute>+3%")])
        assert [note.code for note in diff.contradicted] == [TWO_RUNS] * is_copied
        assert (result.status is GateStatus.INCONCLUSIVE) == is_copied


def test_a_clock_that_shows_one_value_proves_nothing() -> None:
    assert codes(plan(None, 7.9, step=0.0), plan(None, 7.9, NAMES[:6], step=0.0)) == []


def test_repetitions_with_the_samples_of_the_other_engine() -> None:
    bases = [plan(None, 7.9 + number / 100) for number in range(3)]
    news = [plan(None, 7.9 + number / 100, NAMES[:6]) for number in range(3)]
    others = [plan(None, 8.4 + number / 100, NAMES[:6]) for number in range(3)]
    for repeats, is_copied in ((news, True), ([*others[:2], news[1]], True), (others, False)):
        for left in (bases, list(map(kept, bases))):
            diff = PlanDiff(left[0], repeats[0], left_repeats=left[1:], right_repeats=repeats[1:])
            assert [note.code for note in diff.contradicted] == [TWO_RUNS] * is_copied
    with pytest.raises(TrexError, match="given twice"):  # the queries of one run under two profiles
        EngineSeries(bases[0], [others[0]], repeats=[bases[1:], [others[1], plan(1.0, 8.41, NAMES[:6])]])


@pytest.mark.parametrize(("copied", "has_queries"), [(lambda of: of, True), (lambda of: of, False), (kept, True)])
@pytest.mark.parametrize(
    ("bases", "news", "is_copied"),
    [
        ((7.91, 7.92, 7.93), (7.92, 7.93, 7.91), True),
        ((7.91, 7.92, 7.93), (7.94, 7.95, 7.93), True),
        ((7.91,), (7.94, 7.91), True),
        ((7.91, 7.92, 7.93), (7.94, 7.95, 7.96), False),
        ((7.91,), (7.91,), False),  # one run compared with itself
    ],
)
def test_a_run_on_both_sides(
    bases: tuple[float, ...],
    news: tuple[float, ...],
    is_copied: bool,
    copied: Callable[[EnginePlan], EnginePlan],
    has_queries: bool,
) -> None:
    def run(ms: float) -> EnginePlan:
        layers = {name: ms / 8 + number / 100 for number, name in enumerate(NAMES)}
        return plan(1.0, ms) if has_queries else plan_of(chain(*NAMES), layers)

    left, right = [copied(run(ms)) for ms in bases], list(map(run, news))
    (diff,) = EngineSeries(left[0], [right[0]], repeats=[left[1:], right[1:]]).comparisons
    assert [note.code for note in diff.contradicted] == [TWO_RUNS] * is_copied
    assert not is_copied or diff.contradicted[0].message.endswith("one run counts on both sides")
    (result,) = judge(diff, [read_condition("compute>+3%" if has_queries else "layer-sum>+3%")])
    assert (result.status is GateStatus.PASSED) == (not is_copied)


@pytest.mark.parametrize("count", [30, 2500])
def test_a_run_and_its_baseline_are_one_run(count: int) -> None:
    base, new, again = (plan(None, ms, count=count) for ms in (7.9, 8.1, 8.2))
    with pytest.raises(TrexError, match="given twice"):
        EngineSeries(base, [new], repeats=[[], [again, kept(new)]])
    assert EngineSeries(base, [new], repeats=[[], [again, kept(plan(None, 8.3, count=count))]]).comparisons


def test_two_new_engines_of_a_series_with_the_samples_or_layer_times_of_one() -> None:
    base, one, same = plan(1.0, 7.9), plan(None, 8.0, NAMES[:6]), plan(None, 8.0, NAMES[:6])
    series = EngineSeries(base, [one, plan(None, 8.0, NAMES[:5]), plan(None, 8.3)])
    assert [[note.code for note in diff.contradicted] for diff in series.comparisons] == [[TWO_RUNS], [TWO_RUNS], []]
    assert f"those of {series.names[2]} to the last digit" in series.comparisons[0].contradicted[0].message
    assert not any(diff.contradicted for diff in EngineSeries(base, [one, same]).comparisons)
    layers = {name: 1.2 + number / 100 for number, name in enumerate(NAMES)}
    profiled = [
        plan_of(chain(*NAMES), layers, trace={"computeMs": [ms + 1e-4 * (number % 7) for number in range(30)]})
        for ms in (8.0, 9.0)
    ]
    for diff in EngineSeries(base, profiled).comparisons:
        assert COPIED_PROFILE in [note.code for note in diff.doubted]


def test_the_samples_of_one_run_at_other_shapes_or_of_another_build() -> None:
    def side(shape: str, precision: str) -> EnginePlan:
        of = plan(None, 8.0)
        of.metadata = Metadata(inference_options={"Input inference shape": f"x={shape}"})
        of.build_metadata = Metadata(build_options={"Precision": precision})
        return of

    for other, words in ((("64x8", "FP16"), "it ran at 64x8 and base at 1x8"), (("1x8", "FP32"), "built for FP32")):
        (note,) = PlanDiff(side("1x8", "FP16"), side(*other)).contradicted
        assert words in note.message
    assert not PlanDiff(side("1x8", "FP16"), side("1x8", "FP16")).contradicted


@pytest.mark.parametrize(("compute", "is_copied"), [(7.9, False), (8.0, False), (9.0, True)])
def test_the_layer_profile_of_the_other_run(compute: float, is_copied: bool) -> None:
    """As an export that failed leaves it; at 7.9 and 8.0 ms layers may be profiled once for two runs."""
    layers = {name: 1.0 + number / 100 for number, name in enumerate(NAMES)}
    base, new, other = (
        plan_of(chain(*NAMES), layers, trace={"computeMs": [ms + 1e-4 * (number % 7) for number in range(30)]})
        for ms, layers in ((7.9, layers), (compute, layers), (compute, dict.fromkeys(NAMES, 1.2)))
    )
    for diff in (PlanDiff(base, new), PlanDiff(base, other, right_repeats=[new])):
        assert (COPIED_PROFILE in [note.code for note in diff.doubted]) == is_copied
        results = judge(diff, [read_condition("layer-sum>+30%"), read_condition("layer:*>+30%")])
        assert not is_copied or {result.status for result in results} == {GateStatus.INCONCLUSIVE}


def test_the_layer_profile_of_an_engine_with_other_kernels() -> None:
    """Without per-query times, too."""
    layers = {name: 1.0 + number / 100 for number, name in enumerate(NAMES)}
    graphs = chain(*NAMES), chain(*NAMES)
    for number, graph in enumerate(graphs):
        for layer in graph:
            layer["TacticName"] = f"kernel_{number if layer['Name'].endswith('a') else 'of_both'}"
    base, new = (plan_of(graph, layers) for graph in graphs)
    for side, is_copied in ((new, True), (base, False)):
        results = judge(PlanDiff(base, side), [read_condition("layer-sum>+3%"), read_condition("layer:*>+3%")])
        assert {result.status is GateStatus.INCONCLUSIVE for result in results} == {is_copied}


@pytest.mark.parametrize(
    ("changed", "is_doubted"),
    [
        ({}, False),
        ({"average_ms": 0.6, "median_ms": 0.6}, True),
        ({"average_ms": 0.6, "median_ms": 0.6, "share_pct": None}, True),
        ({"total_ms": 60.0}, False),  # the percentage is that of the average
        ({"share_pct": 8.0}, False),  # the total is that of the average
        ({"average_ms": 0.6, "median_ms": 0.6, "share_pct": 1.0}, True),
    ],
)
def test_a_layer_whose_average_and_total_contradict_each_other(
    changed: dict[str, float | None], is_doubted: bool
) -> None:
    def timed(ms: float, **fields: float | None) -> EnginePlan:
        records = [LayerTime(name, 0, 100.0 * ms, ms, ms, 12.5) for name in NAMES]
        records[0] = replace(records[0], **fields)
        return EnginePlan(engine_from_records(chain(*NAMES)), LayerTimes(tuple(records), 100))

    for new in (timed(1.2, **changed), kept(timed(1.2, **changed))):
        conditions = [read_condition("layer-sum>+30%"), read_condition("layer:a>+30%")]
        results = judge(PlanDiff(timed(1.0), new), conditions)
        assert {result.status is GateStatus.INCONCLUSIVE for result in results} == {is_doubted}

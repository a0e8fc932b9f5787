"""The gate: which conditions can be written, and what passes, fails or is inconclusive."""

from __future__ import annotations

from array import array
from dataclasses import replace
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest

from tests.compare.predicted import measured, predicted
from tests.compare.profiled import chained, made, profiled
from tests.factories import conv, engine, layer, t, time
from tests.perf.round_device import round_device
from trex.compare.baseline import baseline_document
from trex.compare.condition import conditions_of, read_condition
from trex.compare.gate import GateResult, GateStatus, judge, judge_all
from trex.compare.plan_diff import PlanDiff
from trex.compare.run_settings import SettingSeverity
from trex.compare.series import EngineSeries
from trex.core.configuration import Limit
from trex.core.layer import Role
from trex.core.metadata import LatencySummary, Metadata
from trex.core.note import Note
from trex.core.tensor import Binding
from trex.core.timings import LayerTimes, QueryTimes
from trex.engine_plan import load
from trex.export.baseline_file import baseline_text
from trex.ingest.differing_facts import OTHER_GPU, OTHER_SHAPE
from trex.ingest.logs.run_metadata import RUN_CRASHED, RUN_FAILED
from trex.perf.expected import expected_ms
from trex.plan.engine_plan import EnginePlan
from trex.views.compare.sections.verdict import _contradicted

PASSED, FAILED, INCONCLUSIVE = GateStatus
NAMES = [f"conv_{index}" for index in range(12)]


def run(median: float, seed: int, count: int = 1000, slow: float = 1.0, scatter: float = 0.005) -> EnginePlan:
    """Twelve layers with the same kernels; ``conv_0`` takes ``slow`` times as long. ``count`` per-query times."""
    generator = np.random.default_rng(seed)
    layers = [
        replace(conv(name, [t(f"x{i}", [1, 8, 4, 4])], [t(f"x{i + 1}", [1, 8, 4, 4])]), tactic="k", origins=(name,))
        for i, name in enumerate(NAMES)
    ]
    records = tuple(time(name, 0.08 * (slow if name == "conv_0" else 1.0)) for name in NAMES)
    times = array("d", (median * (1 + scatter * generator.standard_normal(count))).tolist())
    queries = QueryTimes({"computeMs": times, "latencyMs": times}) if count else None
    return EnginePlan(engine(*layers, inputs=["x0"]), LayerTimes(records), queries)


def results(left: EnginePlan, right: EnginePlan, *conditions: str) -> list[GateResult]:
    return list(judge(PlanDiff(left, right), [read_condition(condition) for condition in conditions]))


def statuses(left: EnginePlan, right: EnginePlan, *conditions: str) -> list[GateStatus]:
    return [result.status for result in results(left, right, *conditions)]


@pytest.mark.parametrize(
    ("key", "values", "metrics"),
    [
        (
            "Optimization Profile Index",
            ("0", "1"),
            {"latency", "p99", "compute", "throughput", "layer-sum", "layer"},
        ),
        ("Inference Streams", ("4", "1"), {"latency", "p99", "compute", "throughput"}),
        (
            "Weight Streaming Budget",
            ("10.000000%", "Disabled"),
            {"latency", "p99", "compute", "throughput", "layer-sum", "layer"},
        ),
    ],
)
def test_a_setting_that_changes_the_quantity_leaves_it_inconclusive(
    key: str, values: tuple[str, str], metrics: set[str]
) -> None:
    base, new = run(1.0, 1), run(0.8, 2)
    for plan, value in ((base, values[0]), (new, values[1])):
        performance = {"Throughput": 1000.0}
        plan.metadata = Metadata(inference_options={key: value}, performance=performance)
    conditions = {name: f"{name}>+3%" for name in ("latency", "p99", "compute", "layer-sum")}
    conditions |= {"throughput": "throughput<-3%", "layer": "layer:conv_0>+3%"}
    for name, condition in conditions.items():
        result = results(base, new, condition)[0]
        words = key.lower().removesuffix(" index")
        assert (words in result.words) is (name in metrics)
        if name in metrics:
            assert result.status is INCONCLUSIVE
        assert words not in results(base, base, condition)[0].words


def test_transfers_of_one_side_by_the_times() -> None:
    """Whatever the options say: a latency that lost its transfers hides a slower build."""

    def at(plan: EnginePlan, ms: float) -> EnginePlan:
        compute = plan.query_times.columns["computeMs"]  # type: ignore[union-attr]
        latency, copies = array("d", (one + ms for one in compute)), array("d", [ms] * len(compute))
        columns = {
            "computeMs": compute,
            "latencyMs": latency,
            "h2dMs": copies,
            "d2hMs": array("d", [0.0] * len(compute)),
        }
        return EnginePlan(plan.engine, plan.layer_times, QueryTimes(columns, 0))

    base, new = at(run(1.0, 1), 0.5), at(run(1.1, 2), 0.0)
    new.metadata = Metadata(inference_options={"Data transfers": "Enabled"})
    for metric in ("latency", "p99"):
        (result,) = results(base, new, f"{metric}>+3%")
        assert result.status is INCONCLUSIVE and "data transfers differ (on vs. off)" in result.words
    assert statuses(base, new, "compute>+3%") == [FAILED] and statuses(base, base, "latency>+3%") != [INCONCLUSIVE]


@pytest.mark.parametrize(("count", "is_judged"), [(4, True), (2, False), (3, False)])
def test_queries_of_another_number_of_streams(count: int, is_judged: bool) -> None:
    def at(plan: EnginePlan, streams: int) -> EnginePlan:
        compute = plan.query_times.columns["computeMs"]  # type: ignore[union-attr]
        starts = array("d", (index // streams * 1.5 for index in range(len(compute))))
        ends = array("d", map(sum, zip(starts, compute)))
        columns = {"computeMs": compute, "latencyMs": compute, "startComputeMs": starts, "endComputeMs": ends}
        return EnginePlan(plan.engine, plan.layer_times, QueryTimes(columns, 0))

    (result,) = results(at(run(1.0, 1), 4), at(run(1.0, 2), count), "latency>+3%")
    assert ("streams differ" not in result.words) is is_judged


def test_queries_that_overlap_are_of_several_streams(tmp_path: Path) -> None:
    """Without trtexec's options: a base of two streams is slower than alone, and proves nothing."""

    def at(plan: EnginePlan, apart: float) -> EnginePlan:
        columns = plan.query_times.columns  # type: ignore[union-attr]
        starts = array("d", (apart * index for index in range(len(columns["computeMs"]))))
        ends = array("d", map(sum, zip(starts, columns["computeMs"])))
        queries = QueryTimes({**columns, "startComputeMs": starts, "endComputeMs": ends}, 0)
        return EnginePlan(plan.engine, plan.layer_times, queries)

    alone, slower, shared = at(run(1.0, 1), 1.5), at(run(1.12, 2), 1.5), at(run(1.2, 3), 1.0)
    baseline = tmp_path / "base.json"
    baseline.write_text(baseline_text(baseline_document(shared, "m", "A100", "10.0")), encoding="utf-8")
    assert statuses(alone, slower, "latency>+3%") == [FAILED]
    for base in (shared, load(str(baseline))):
        (result,) = results(base, slower, "latency>+3%")
        assert result.status is INCONCLUSIVE and "inference streams differ" in result.words


def test_a_significant_regression_above_the_threshold_fails():
    (result,) = results(run(1.0, 1), run(1.05, 2), "latency>+3%")
    assert result.status is FAILED
    assert result.words.endswith(" ± 0.1: above the threshold and significant within these two runs")
    assert statuses(run(1.0, 1), run(1.05, 2), "compute>+0.04ms") == [FAILED]


def test_faster_or_within_the_threshold_passes():
    assert statuses(run(1.0, 1), run(0.9, 2), "latency>+3%") == [PASSED]
    assert statuses(run(1.0, 1), run(1.02, 2), "latency>+3%") == [PASSED]


def test_large_but_not_significant_is_inconclusive():
    noise = run(1.0, 5, 12, scatter=0.2)
    values = noise.query_times.columns["computeMs"]  # type: ignore[union-attr]
    slower = array("d", [1.04 * ms for ms in reversed(values)])
    other = EnginePlan(noise.engine, noise.layer_times, QueryTimes({"computeMs": slower, "latencyMs": slower}))
    (result,) = results(noise, other, "latency>+3%")
    assert result.status is INCONCLUSIVE
    assert result.words.endswith(": above the threshold, but not significant within these two runs")


def with_times(plan: EnginePlan, times: np.ndarray) -> EnginePlan:
    values = array("d", times.tolist())
    return EnginePlan(plan.engine, plan.layer_times, QueryTimes({"computeMs": values, "latencyMs": values}))


@pytest.mark.parametrize("share", [0.4, 0.5, 0.6])
def test_a_run_that_spends_half_its_time_at_another_level_cannot_be_judged(share):
    """Half of the run takes 18 % longer: whatever its median is, the run does not show which level is the engine's."""
    noise = np.random.default_rng(3).standard_normal(1000)
    levels = np.where(np.arange(1000) < 1000 * share, 1.0, 1.18)
    (result,) = results(run(1.0, 1), with_times(run(1.0, 2), levels * (1.0 + 0.002 * noise)), "latency>+3%")
    assert result.status is INCONCLUSIVE, result.words
    slow, new = run(2.0, 1), with_times(run(1.0, 2), levels * (1.0 + 0.002 * noise))
    slow, new = (EnginePlan(plan.engine, None, plan.query_times) for plan in (slow, new))
    assert statuses(slow, new, "latency>+3%") == [PASSED]


def test_an_uncertainty_above_the_threshold_cannot_be_judged():
    noisy = run(0.96, 6, 30, scatter=0.15)
    (result,) = results(run(1.0, 1), noisy, "latency>+3%")
    assert result.status is INCONCLUSIVE and "within the threshold, but uncertain by" in result.words
    assert statuses(run(1.0, 1), noisy, "latency>+40%") == [PASSED]
    assert statuses(run(1.0, 1), run(1.0, 2), "latency>+0.2%") == [PASSED]


def test_an_uncertain_percentile_is_not_within_the_threshold() -> None:
    """2 % of the queries take up to ten times as long: p99 is anything. It passes without that, and for one run."""
    random = np.random.default_rng(3)
    tails = [
        with_times(run(1.0, 1), np.where(random.random(800) < 0.02, random.choice([2.0, 4.0, 9.0], 800), 1.0))
        for _ in range(2)
    ]
    (result,) = results(*tails, "p99>+3%")
    assert result.status is INCONCLUSIVE and "within the threshold, but uncertain by" in result.words, result.words
    assert statuses(tails[0], tails[0], "p99>+3%") == statuses(run(1.0, 1), run(1.0, 2), "p99>+3%") == [PASSED]


def test_repeated_runs_that_differ_are_not_within_the_threshold() -> None:
    """The mean is 1 % slower. Runs that differ by 15 % do not show that; runs that differ by 0.1 % do."""
    for spread, status in ((0.15, INCONCLUSIVE), (0.001, PASSED)):
        sides = [
            [slowed(run(1.0, seed + step), factor * (1.0 + spread * step)) for step in (-1, 0, 1)]
            for factor, seed in ((1.0, 2), (1.01, 5))
        ]
        (base, *bases), (new, *news) = sides
        (result,) = judge(
            PlanDiff(base, new, left_repeats=bases, right_repeats=news), [read_condition("layer-sum>+3%")]
        )
        assert result.status is status, result.words


def test_medians_whose_scatter_is_hidden_are_not_within_the_threshold() -> None:
    """A clock that shows 0 ms, and a repeated run without times: those who ask for intervals get none."""
    plan, untimed = run(1.0, 1), run(1.0, 1, 0)
    coarse = EnginePlan(plan.engine, plan.layer_times, QueryTimes({"enqueueMs": array("d", [0.0, *[0.02] * 99])}))
    other = EnginePlan(plan.engine, plan.layer_times, QueryTimes({"enqueueMs": array("d", [0.0, 0.0, *[0.02] * 98])}))
    (result,) = results(coarse, other, "enqueue>+3%")
    assert result.status is INCONCLUSIVE and result.words.endswith("the clock is too coarse)"), result.words
    (result,) = judge(PlanDiff(plan, run(1.0, 2), right_repeats=[untimed]), [read_condition("compute>+3%")])
    assert result.status is INCONCLUSIVE and result.words.endswith("1 of 2 runs of new has no value"), result.words


def test_without_samples_it_is_inconclusive():
    (result,) = results(run(1.0, 1, 0), run(2.0, 2, 0), "latency>+3%")
    assert result.status is INCONCLUSIVE
    assert result.words == "latency unknown: no per-query times (--exportTimes) in base and new"


def test_a_layer_of_no_time_is_not_judged():
    """A kernel takes some: 0 ms is a time that was lost, on either side."""
    left, right = run(1.0, 1), run(1.0, 2, slow=0.0)
    assert statuses(left, right, "layer:conv_0>+10%") == statuses(right, left, "layer:conv_0>+10%") == [INCONCLUSIVE]


def test_a_slower_layer():
    left, right = run(1.0, 1), run(1.0, 2, slow=1.2)
    assert statuses(left, right, "layer:conv_0>+10%") == [FAILED]
    assert statuses(left, right, "layer:conv_0>+30%") == [PASSED]
    assert statuses(left, right, "layer:conv_[1-9]>+10%") == [PASSED]
    assert statuses(right, left, "layer:*>+10%") == [PASSED]
    assert statuses(left, right, "layer:nothing*>+10%") == [INCONCLUSIVE]


def test_a_layer_of_one_engine_alone_passes_nothing():
    left = run(1.0, 1)
    last = conv("extra", [t("x12", [1, 8, 4, 4])], [t("x13", [1, 8, 4, 4])])
    longer = LayerTimes((*left.layer_times.records, time("extra", 0.08)))  # type: ignore[union-attr]
    right = EnginePlan(engine(*left.engine.layers, last, inputs=["x0"]), longer, run(1.0, 2).query_times)
    for base, new in ((left, right), (right, left)):
        assert statuses(base, new, "layer:extra>+10%") == [INCONCLUSIVE]
        (passed,) = results(base, new, "layer:*>+10%")
        assert passed.status is PASSED
        assert passed.words == "12 of 12 layer groups that fit '*' passed, 1 in base or new alone"
    limits = [Limit(f"layer:{glob}", "+10%", "trex.toml:1") for glob in ("nothing*", "extra")]
    configured = judge(PlanDiff(left, right), conditions_of([], limits))
    assert [result.status for result in configured] == [PASSED, INCONCLUSIVE]


@pytest.mark.parametrize(("left", "right"), [(1.0, 1000.0), (1200.0, 1.0), (1000.0, 2.0)])
@pytest.mark.parametrize("metric", ["latency", "layer-sum"])
def test_times_in_other_units_pass_and_fail_nothing(metric: str, left: float, right: float) -> None:
    """With times of one kind nothing in one engine's files contradicts its unit; the other engine does."""
    if metric == "latency":
        base, new = (EnginePlan(one.engine, None, one.query_times) for one in (run(left, 1), run(right, 2)))
    else:
        base, new = (chained([0.3 * ms, 0.7 * ms]) for ms in (left, right))
    (result,) = results(base, new, f"{metric}>+3%")
    assert result.status is INCONCLUSIVE and "the times of the two engines have other units" in result.words
    (note,) = [note for note in PlanDiff(base, new).notes if note.code == "other-unit-than-base"]
    assert note.severity == "problem" and "as if one were in another unit" in note.message


@pytest.mark.parametrize("code", ["truncated", "duplicate-top-level-key"])
@pytest.mark.parametrize("side", ["base", "new"])
def test_an_engine_that_lost_layers_passes_nothing_about_them(side: str, code: str) -> None:
    """Fewer layers would look like time and memory saved."""
    whole = run(1.0, 1)
    note = Note(code, "the file is cut off", "export it again", "x.graph.json:7:1", "problem")
    cut = EnginePlan(replace(whole.engine, source="x.graph.json", notes=(note,)), whole.layer_times, whole.query_times)
    pair = (cut, whole) if side == "base" else (whole, cut)
    *of_layers, latency = results(*pair, "layer-sum>+3%", "layer:*>+3%", "memory>+3%", "latency>+3%")
    assert {result.status for result in of_layers} == {INCONCLUSIVE} and latency.status is PASSED
    assert all(f"layers of {side} are missing ({code})" in result.words for result in of_layers)
    (statement,) = _contradicted(PlanDiff(*pair))
    assert statement.startswith(f"A file of {side} is damaged ({code}): layers are missing")
    assert [note.message for note in PlanDiff(*pair).notes] == [f"{side}: the file is cut off"]


@pytest.mark.parametrize(("lost_ms", "status"), [(0.3, INCONCLUSIVE), (0.005, PASSED)])
@pytest.mark.parametrize("side", ["base", "new"])
def test_times_without_a_layer_leave_the_layers_unknown(side: str, lost_ms: float, status: GateStatus) -> None:
    whole, part = run(1.0, 1), run(1.0, 2)
    assert part.layer_times is not None
    more = LayerTimes((*part.layer_times.records, time("lost", lost_ms)))
    part = EnginePlan(part.engine, more, part.query_times)
    pair = (part, whole) if side == "base" else (whole, part)
    assert statuses(*pair, "layer-sum>+3%", "layer:*>+3%") == [status, status]
    (result,) = judge(PlanDiff(*pair), [read_condition("layer:lost>+3%", "trex.toml:1")])
    words = f"; the graph of {side} lacks layers that its profile times (profile-records-unmatched)"
    assert result.status is status and (words in result.words) is (status is INCONCLUSIVE)


def test_a_slower_layer_fails_next_to_layers_that_the_graph_lacks() -> None:
    left, right = run(1.0, 1), run(1.0, 2, slow=2.0)
    assert right.layer_times is not None
    more = LayerTimes((*right.layer_times.records, time("lost", 0.3)))
    right = EnginePlan(right.engine, more, right.query_times)
    assert statuses(left, right, "layer:*>+10%") == [FAILED, INCONCLUSIVE]


def test_layer_samples_take_precedence_over_the_scatter():
    left, right = run(1.0, 1), run(1.0, 2, slow=1.2)
    for plan, seed, median in ((left, 1, 0.5), (right, 2, 0.6)):
        noise = median * (1.0 + 0.5 * np.random.default_rng(seed).standard_normal(20))
        plan.times = (replace(plan.times[0], samples_ms=tuple(np.abs(noise).tolist())), *plan.times[1:])  # type: ignore[type-var]
    assert statuses(left, right, "layer:conv_0>+10%") == [INCONCLUSIVE]


def slowed(plan: EnginePlan, *factors: float) -> EnginePlan:
    """The layers slower by these factors, cyclically; the whole engine unchanged."""
    assert plan.layer_times is not None
    rows = tuple(
        time(row.name, factor * row.average_ms) for row, factor in zip(plan.layer_times.records, cycle(factors))
    )
    assert plan.query_times is not None
    columns = {name: array("d", column[::-1]) for name, column in plan.query_times.columns.items()}  # of another run
    return EnginePlan(plan.engine, replace(plan.layer_times, records=rows), QueryTimes(columns))


def test_a_shift_of_all_layers_is_the_machines():
    """All twelve kernels are unchanged and take 8 % longer: that no layer regressed, and no more, is known."""
    left = run(1.0, 1)
    shifted = results(left, slowed(left, 1.08), "layer:*>+5%")
    assert [result.status for result in shifted] == [INCONCLUSIVE] * len(left.working_layers)
    assert shifted[0].words.endswith("unchanged kernels changed as much (+8.0 %): another machine or clock?")
    (within,) = results(left, slowed(left, 1.08), "layer:*>+15%")
    assert within.status is PASSED and within.words.endswith("passed")
    assert results(left, slowed(left, 1.08), "layer-sum>+5%")[0].status is INCONCLUSIVE
    assert results(left, slowed(run(1.0, 1, slow=2.0), 1.05), "layer:conv_0>+10%")[0].status is FAILED


def test_what_a_faster_machine_hides_does_not_pass() -> None:
    """Unchanged kernels take 9 % less time: the same latency is growth; up to what profiles repeat it says nothing."""
    left = run(1.0, 1)
    pair = left, slowed(run(1.0, 1, slow=1.4), 0.91)
    latency, total, *layers = results(*pair, "latency>+3%", "layer-sum>+3%", "layer:*>+30%")
    assert latency.status is total.status is INCONCLUSIVE and "Without that +9.9 %" in latency.words
    assert [result.status for result in layers] == [INCONCLUSIVE, PASSED] and layers[0].subject == "conv_0"
    assert statuses(left, slowed(left, 0.91), "layer-sum>+3%", "layer:*>+3%", "memory>+3%") == [PASSED] * 3
    assert statuses(left, slowed(left, 0.975), "latency>+2%") == [PASSED]


@pytest.mark.parametrize("condition", ["latency>+3%", "compute>+90%", "layer-sum>+3%", "layer:*>+3%", "p99>+3%"])
@pytest.mark.parametrize("is_slower", [False, True])
def test_machines_that_differ_judge_no_time(condition, is_slower):
    pair = run(1.0, 1), slowed(run(2.0, 2), 2.0)
    (result,) = results(*(pair if is_slower else pair[::-1]), condition)
    assert result.status is INCONCLUSIVE and "the machines or their clocks differ" in result.words


def test_other_models_judge_nothing():
    left, right = run(1.0, 1), predicted(1.0)
    (result,) = results(left, EnginePlan(right.engine, right.layer_times, left.query_times), "latency>+3%")
    assert result.status is INCONCLUSIVE and "different models" in result.words


@pytest.mark.parametrize(
    ("slow", "status", "why"),
    [
        (1.5, FAILED, "above the threshold and significant: no profile scatters by 16 %"),
        (1.12, INCONCLUSIVE, "fewer than 10 layers kept their kernels"),
        (1.05, PASSED, "passed"),
    ],
)
def test_without_unchanged_kernels_only_large_changes_are_significant(slow, status, why):
    (result,) = results(chained([1.0, 2.0]), chained([1.0, 2.0 * slow]), "layer:/c1/Conv>+10%")
    assert result.status is status and why in result.words


def test_insignificant_regressions_are_one_result():
    left = run(1.0, 1)
    unknown, passed = results(left, slowed(left, 1.1, 0.9), "layer:*>+5%")
    assert (unknown.status, passed.status) == (INCONCLUSIVE, PASSED)
    assert unknown.words.startswith(
        "conv_0 and 5 more: above the threshold, but not significant (layers with unchanged"
    )


@pytest.mark.parametrize(("average_ms", "status"), [(0.0145, PASSED), (0.0153, INCONCLUSIVE)])
def test_growth_below_a_step_of_the_timer_is_judged_by_the_average(average_ms, status):
    """Medians are multiples of the step; averages of thousands of iterations resolve less."""

    def one(median_ms: float | None, average_ms: float) -> EnginePlan:
        plan = chained([0.0144, *[1.0] * 9])
        assert plan.layer_times is not None
        first, *others = plan.layer_times.records
        record = replace(first, median_ms=median_ms, average_ms=average_ms, total_ms=10.0 * average_ms)
        return EnginePlan(plan.engine, replace(plan.layer_times, records=(record, *others)))

    (alone,) = results(one(None, 0.0144), one(None, average_ms), "layer:/c0/Conv>+3%")
    assert alone.status is PASSED, "without medians the averages are what was compared"
    (result,) = results(one(0.01434, 0.0144), one(0.01536, average_ms), "layer:/c0/Conv>+3%")
    assert result.status is status and ("step of the profiler's timer" in result.words) is (status is INCONCLUSIVE)


@pytest.mark.parametrize("condition", ["latency>+3%", "compute>+0.03ms", "enqueue>+3%"])
def test_two_predictions_are_judged_by_their_times(condition):
    base, slower = predicted(1.0, 0.8, 1.2), predicted(1.05, 0.84, 1.26)
    (failed,), (passed,) = results(base, slower, condition), results(slower, base, condition)
    assert (failed.status, passed.status) == (FAILED, PASSED)
    for result in (failed, passed):
        assert "predicted, not measured (" in result.words
        assert "significant" not in result.words and "±" not in result.words
    assert failed.words.endswith(": above the threshold") and passed.words.endswith(": within the threshold")


def test_error_bars_of_predictions():
    (result,) = results(predicted(1.0, 0.8, 1.25), predicted(2.0, 1.5, 2.4), "compute>+3%")
    assert result.words == (
        "compute 1 → 2 ms (+100.0 %), predicted, not measured (error bars +20 to +200 %): above the threshold"
    )
    (unknown,) = results(predicted(1.0), predicted(2.0), "compute>+3%")
    assert "predicted, not measured (no error bars in base and new)" in unknown.words and unknown.status is FAILED


@pytest.mark.parametrize(
    "condition, status",
    [
        ("compute>+10%", FAILED),
        ("compute>+0.1ms", FAILED),
        ("compute>+50%", INCONCLUSIVE),
        ("compute>+0.5ms", INCONCLUSIVE),
        ("compute>+70%", INCONCLUSIVE),
        ("compute>+100%", PASSED),
        ("latency>+50%", INCONCLUSIVE),
        ("enqueue>+900%", INCONCLUSIVE),
    ],
)
def test_measured_against_predicted_is_judged_outside_the_error_bars(condition, status):
    (result,) = results(measured(1.0), predicted(1.6, 1.2, 1.9), condition)
    assert result.status is status and "base is measured, new is predicted (" in result.words


def test_layers_of_predictions():
    base = predicted(1.0, 0.8, 1.2, layers={"a": 0.5, "b": 0.4})
    slower = predicted(1.1, 0.9, 1.3, layers={"a": 0.6, "b": 0.4})
    failed, passed = results(base, slower, "layer:*>+10%")
    assert (failed.status, passed.status) == (FAILED, PASSED)
    assert failed.words == "a 0.5 → 0.6 ms (+20.0 %), predicted, not measured: above the threshold"
    assert passed.words == "1 of 2 layer groups that fit '*' passed, predicted, not measured"
    (mixed,) = results(measured(1.0), predicted(1.0, 0.8, 1.2), "layer:*>+10%")
    assert mixed.status is INCONCLUSIVE and mixed.words.endswith("base is measured, new is predicted")


@pytest.mark.parametrize("condition", ["p99>+3%", "throughput<-3%", "layer-sum>+3%"])
def test_values_without_error_bars_compare_no_prediction_with_a_measurement(condition: str) -> None:
    def named(plan: EnginePlan) -> EnginePlan:
        facts = replace(plan.metadata, performance={"Throughput": 900.0})
        return EnginePlan(plan.engine, plan.layer_times, plan.query_times, facts)

    real, simulated = named(measured(1.0)), named(predicted(1.0, 0.8, 1.2, samples=200))
    for pair in ((real, simulated), (simulated, real)):
        (result,) = results(*pair, condition)
        assert result.status is INCONCLUSIVE and "is predicted" in result.words, result.words
    (result,) = results(simulated, simulated, condition)
    assert result.status is PASSED and result.words.endswith("predicted, not measured: within the threshold")
    diff = PlanDiff(real, named(measured(1.01)), right_repeats=[simulated])
    (result,) = judge(diff, [read_condition(condition)])
    assert result.status is INCONCLUSIVE and "some runs of new are predicted" in result.words


LATENCY = read_condition("latency>+3%")


def test_every_engine_of_a_series_is_judged():
    series = EngineSeries(made("resnet18-int8"), [made("resnet18-int8-residual"), made("resnet18-fp16")])
    both = judge_all(series, [[LATENCY], [LATENCY]])
    assert [(result.engine, result.status) for result in both] == [
        ("resnet18-int8-residual", PASSED),
        ("resnet18-fp16", FAILED),
    ]
    assert both[1].words.startswith("resnet18-fp16: latency") and both[1].subject == "resnet18-fp16: latency"
    assert [result.engine for result in judge_all(series, [[], [LATENCY]])] == ["resnet18-fp16"]
    (alone,) = judge_all(EngineSeries(made("resnet18-int8"), [made("resnet18-fp16")]), [[LATENCY]])
    assert (alone.engine, alone.subject) == ("", "latency")


def test_times_that_other_files_contradict_are_not_judged() -> None:
    left, right = run(5.0, 1), run(5.0, 2)
    line = LatencySummary(2.0, 2.0, 2.0, 2.0)
    right = EnginePlan(right.engine, right.layer_times, right.query_times, Metadata(latency={"GPU Compute Time": line}))
    diff = PlanDiff(left, right)
    assert statuses(left, left, "latency>3%", "layer:conv*>3%") == [PASSED, PASSED]
    words = [result.words for result in judge(diff, [read_condition("latency>3%"), read_condition("layer:conv*>3%")])]
    assert all("the times of new can't be trusted (times-of-two-runs)" in text for text in words) and len(words) == 2
    assert statuses(left, right, "latency>3%", "layer:conv*>3%", "memory>0%") == [INCONCLUSIVE, INCONCLUSIVE, PASSED]
    assert [note.code for note in diff.notes][:1] == ["times-of-two-runs"]


@pytest.mark.parametrize(("stated_ms", "status"), [(1.0, PASSED), (1.008, PASSED), (1.08, INCONCLUSIVE)])
def test_medians_that_trtexec_printed_of_another_run_pass_nothing(stated_ms: float, status: GateStatus) -> None:
    base, new = run(1.0, 1), run(1.0, 2)
    assert new.query_times is not None
    start = array("d", range(len(new.query_times)))
    new.query_times = replace(
        new.query_times, columns={**new.query_times.columns, "startComputeMs": start}, warm_up_rows=0
    )
    new.metadata = Metadata(latency={"Latency": LatencySummary(0.9, 1.2, stated_ms, stated_ms, {})})
    latency, layers = results(base, new, "latency>+3%", "layer-sum>+3%")
    assert latency.status is status and ("two runs" in latency.words) is (status is INCONCLUSIVE)
    assert layers.status is PASSED


def test_layers_faster_than_the_device_can_be_are_a_warning_next_to_the_gate() -> None:
    """Not a problem: the device may be another one. Contradicted times say more."""
    shapes = [t("x", [32, 256, 28, 28])], [t("y", [32, 256, 28, 28])]
    usual, fast, wrong = (profiled([conv("c", *shapes, (3, 3))], [ms]) for ms in (0.6, 0.1, 0.0001))
    (condition,) = [read_condition("layer:*>3%")]
    for right, codes in ((fast, ["faster-than-possible"]), (usual, []), (wrong, ["times-contradict"])):
        diff = PlanDiff(usual, right, round_device())
        doubts = [note for note in diff.notes if note.message.startswith("new: ")]
        assert [note.code for note in doubts] == codes
        (result,) = judge(diff, [condition])
        assert (result.status is PASSED) == (right is not wrong)


@pytest.mark.parametrize("side", ["base", "new", "repeat"])
@pytest.mark.parametrize("metric", ["throughput<-3%", "p99>3%"])
def test_a_metric_that_other_files_contradict_is_not_judged(metric: str, side: str) -> None:
    """Only that metric; and compare's own words say so."""
    right = run(5.0, 1)
    assert right.query_times is not None
    median, p99 = np.median(right.query_times.latency_ms), 99.0 if metric.startswith("p99") else 5.0
    facts = Metadata(
        performance={"Throughput": 400.0 if metric.startswith("throughput") else 200.0},
        inference_options={"Streams": "1"},
        latency={"Latency": LatencySummary(None, None, median, median, {99.0: p99})},
    )
    wrong = EnginePlan(right.engine, right.layer_times, right.query_times, facts)
    diff = PlanDiff(
        wrong if side == "base" else right,
        {"base": right, "new": wrong, "repeat": run(5.0, 2)}[side],
        left_repeats=[wrong] if side == "repeat" else [],
    )
    judged = judge(diff, [read_condition(metric), read_condition("latency>3%"), read_condition("layer:conv*>3%")])
    assert [result.status for result in judged] == [INCONCLUSIVE, PASSED, PASSED]
    assert "is contradicted" in judged[0].words
    assert [note.severity for note in diff.notes][:1] == ["problem"]
    (text,) = _contradicted(diff)
    assert text.startswith(f"Can't trust the {metric[:3]}") and "contradict" in text


def test_times_of_two_named_gpus_or_another_shape_are_not_judged() -> None:
    right = run(5.0, 1)
    for code in (OTHER_GPU, OTHER_SHAPE, RUN_FAILED, RUN_CRASHED):
        notes = (Note(code, "x", severity="problem"),)
        wrong = EnginePlan(right.engine, right.layer_times, right.query_times, notes=notes)
        for pair in ((wrong, right), (right, wrong)):
            judged = results(*pair, "latency>3%", "layer:conv*>3%", "memory>0%")
            assert [result.status for result in judged] == [INCONCLUSIVE, INCONCLUSIVE, PASSED]
            assert code in judged[0].words


def test_a_percentile_takes_enough_queries() -> None:
    base = run(5.0, 1)
    for count, metric, status in (
        (50, "p99>9%", INCONCLUSIVE),
        (100, "p99>9%", PASSED),
        (1, "latency>9%", INCONCLUSIVE),
    ):
        for pair in ((base, run(5.0, 2, count)), (run(5.0, 2, count), base)):
            (result,) = results(*pair, metric)
            assert result.status is status and ("not enough queries" in result.words) == (status is INCONCLUSIVE)


@pytest.mark.parametrize(
    "gpu, sms, status",
    [("NVIDIA Card-9", "20", PASSED), ("NVIDIA Card 9 Ti", "20", INCONCLUSIVE), ("card 9", "30", INCONCLUSIVE)],
)
def test_times_of_gpus_of_different_names_or_sizes_are_not_judged(gpu: str, sms: str, status: GateStatus) -> None:
    base, new = (
        EnginePlan(plan.engine, plan.layer_times, plan.query_times, Metadata(device=device))
        for plan, device in (
            (run(5.0, 1), {"Selected Device": "card 9", "SMs": "20"}),
            (run(5.0, 2), {"Selected Device": gpu, "SMs": sms}),
        )
    )
    conditions = ("latency>3%", "layer-sum>3%", "layer:conv*>3%")
    assert statuses(base, new, *conditions) == statuses(new, base, *conditions) == [status] * 3
    assert bool(PlanDiff(base, new).parity.of(SettingSeverity.CRITICAL)) is (status is INCONCLUSIVE)
    assert statuses(base, new, "memory>0%") == [PASSED]


def test_times_and_memory_of_other_input_shapes_are_not_judged() -> None:
    base, new = made("resnet18-b32"), made("resnet18-b8")
    found = results(base, new, "latency>3%", "layer:*conv*>3%", "memory>0%")
    assert {result.status for result in found} == {INCONCLUSIVE}
    assert "the input shapes differ (32x3x224x224 vs. 8x3x224x224)" in found[0].words


def test_times_at_unrecorded_shapes_of_an_open_engine_are_not_judged() -> None:
    def ran(options: dict[str, str]) -> EnginePlan:
        inputs = (Binding("x", True, replace(t("x"), shape=(None, 3, 8, 8))),)
        return EnginePlan(
            replace(run(5.0, 1).engine, bindings=inputs),
            None,
            run(5.0, 1).query_times,
            Metadata(inference_options=options),
        )

    known, unknown = ran({"Input inference shapes": "x=8x3x8x8"}), ran({"Input inference shapes": "model"})
    assert statuses(known, known, "latency>3%") == statuses(unknown, unknown, "latency>3%") == [PASSED]
    for pair in ((known, unknown), (unknown, known)):
        (result,) = results(*pair, "latency>3%")
        assert result.status is INCONCLUSIVE and "are not recorded (8x3x8x8 in the other)" in result.words


@pytest.mark.parametrize("condition", ["compute>+50%", "layer:*>+50%", "layer-sum>+50%"])
@pytest.mark.parametrize(("simulator", "gpu", "reason"), [("2", "NVIDIA A100", "simulator"), ("1", "NVIDIA T4", "GPU")])
def test_predictions_for_two_gpus_or_by_two_simulators_are_not_judged(condition, simulator, gpu, reason):
    base = predicted(1.0, 0.8, 1.2, simulator="1")
    (same,) = results(base, predicted(1.0, 0.8, 1.2, simulator="1"), condition)
    (unknown,) = results(base, predicted(1.0, 0.8, 1.2), condition)
    (other,) = results(base, predicted(1.0, 0.8, 1.2, simulator=simulator, gpu=gpu), condition)
    assert same.status is PASSED and unknown.status is INCONCLUSIVE and "simulator" in unknown.words
    assert other.status is INCONCLUSIVE and f"the {reason} of a prediction differs" in other.words


@pytest.mark.parametrize("condition", ["compute>+50%", "layer:*>+50%", "layer-sum>+50%"])
def test_layers_of_unknown_work_are_judged_in_predictions_of_one_model_only(condition: str) -> None:
    def built(digest: str, *, unknown_work: bool = True) -> EnginePlan:
        return predicted(1.0, 0.8, 1.2, unknown_work=unknown_work, digest=digest)

    (same,) = results(built("1"), built("1"), condition)
    assert same.status is PASSED
    for pair in ((built("1"), built("2")), (built(""), built("")), (built("1", unknown_work=False), built("2"))):
        (result,) = results(*pair, condition)
        assert result.status is INCONCLUSIVE and "layers of unknown work may differ" in result.words
        assert "time-of-unknown-work" in [note.code for note in PlanDiff(*pair).notes]
    (repeated,) = judge(PlanDiff(built("1"), built("1"), right_repeats=[built("2")]), [read_condition(condition)])
    assert repeated.status is INCONCLUSIVE
    (known,) = results(built("1", unknown_work=False), built("2", unknown_work=False), condition)
    assert known.status is PASSED


def test_passes_of_loops_are_judged_in_predictions_of_one_model_only() -> None:
    def built(digest: str) -> EnginePlan:
        plan = predicted(1.0, 0.8, 1.2, digest=digest)
        jump = layer("j", "cjmp", inputs=["x1"], outputs=[], role=Role.SHAPE)
        looped = replace(plan.engine, layers=(*plan.engine.layers, jump))
        return EnginePlan(looped, plan.layer_times, plan.query_times, plan.metadata)

    (same,) = results(built("1"), built("1"), "compute>+50%")
    (other,) = results(built("1"), built("2"), "compute>+50%")
    assert same.status is PASSED and other.status is INCONCLUSIVE
    assert "passes of loops and conditions may differ" in other.words and expected_ms(built("1")) is None


def test_layers_of_one_engine_alone_count_in_the_sum_of_those_that_fit() -> None:
    """As reformats that a change adds: no group of them has another side."""
    left = run(1.0, 1)
    assert left.layer_times is not None
    more = [conv(f"extra_{n}", [t(f"x{12 + n}", [1, 8, 4, 4])], [t(f"x{13 + n}", [1, 8, 4, 4])]) for n in range(3)]
    records = (*left.layer_times.records, *(time(layer.name, 0.08) for layer in more))
    right = EnginePlan(engine(*left.engine.layers, *more, inputs=["x0"]), LayerTimes(records), run(1.0, 2).query_times)
    (grown,) = results(left, right, "layer:*>+10%")
    assert grown.status is INCONCLUSIVE and "with these 0.96 → 1.2 ms (+25.0 %): above" in grown.words
    assert statuses(left, right, "layer:*>+30%") == statuses(right, left, "layer:*>+10%") == [PASSED]
    assert statuses(left, right, "layer:*>+0.2ms") == [INCONCLUSIVE]
    slower = LayerTimes(
        tuple(time(record.name, 1.04 * (record.average_ms or 0.0)) for record in left.layer_times.records)
    )
    assert statuses(right, EnginePlan(left.engine, slower, left.query_times), "layer:*>+0.01ms") == [PASSED]
    faster = LayerTimes(tuple(time(record.name, 0.92 * (record.average_ms or 0.0)) for record in records))
    assert statuses(left, EnginePlan(right.engine, faster, right.query_times), "layer:*>+24%") == [INCONCLUSIVE]

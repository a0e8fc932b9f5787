"""Baselines: a kept run aligns, explains and compares like the run itself."""

from __future__ import annotations

import json
import math
import random
from array import array
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.compare.predicted import predicted
from tests.compare.profiled import made
from tests.compare.truth.runs import correlated
from tests.simulated_examples import SIMULATED
from tests.synthetic import CASES
from trex.compare.baseline import MOST_SAMPLES, baseline_document, chosen_rows, key_of
from trex.compare.condition import read_condition
from trex.compare.gate import GateStatus, judge
from trex.compare.metric import METRICS
from trex.compare.parity import parity_of
from trex.compare.plan_diff import PlanDiff
from trex.compare.prediction import may_hide_work
from trex.compare.run_settings import SettingSeverity
from trex.compare.significance import SpeedOutcome, significance_of
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.timings import QueryTimes
from trex.engine_plan import EnginePlan, load
from trex.export.baseline_file import baseline_text
from trex.ingest.baseline_json import read_baseline
from trex.perf.expected import expected_ms
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan as Plan

EXAMPLES = ("resnet18-fp16", "resnet18-int8", "resnet18-int8-residual", "transformer-fp16")
READABLE = [name for name, case in CASES.items() if not case.expect.error and not case.needs]


def kept(plan: Plan) -> Plan:
    """The plan as its baseline gives it back."""
    key, artifacts = read_baseline(baseline_text(baseline_document(plan)).encode(), "kept.json")
    assert key == key_of(plan)
    return Plan.from_artifacts(artifacts)


def with_samples(plan: Plan, samples: np.ndarray) -> Plan:
    """The plan with another trace of GPU compute."""
    columns = {"computeMs": array("d", samples), "latencyMs": array("d", samples)}
    found = Plan.__new__(Plan)
    found.__dict__.update(plan.__dict__)
    found.query_times = QueryTimes(columns, 0, "made")
    return found


def test_a_baseline_keeps_that_layers_were_faster_than_the_device_can_be() -> None:
    usual = made("resnet18-fp16")
    assert usual.layer_times is not None and "warnings" not in baseline_document(usual)
    records = tuple(replace(record, average_ms=0.001, median_ms=0.001) for record in usual.layer_times.records)
    times = replace(usual.layer_times, records=records)
    base = kept(Plan(usual.engine, times, None, usual.metadata, usual.build_metadata))
    (note,) = (note for note in PlanDiff(base, usual).notes if note.code == "faster-than-possible")
    assert note.message.startswith("base: ")


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_run_equals_its_baseline(name: str) -> None:
    plan = load(f"example:{name}")
    found = PlanDiff(kept(plan), plan)
    assert found.main.outcome is SpeedOutcome.SAME
    assert all(each.match.is_matched and abs(each.difference_ms) < 1e-6 for each in found.changes)
    assert parity_of(*map(Performance, (kept(plan), plan))).of(SettingSeverity.CRITICAL, SettingSeverity.MINOR) == ()


@pytest.mark.parametrize("engine", ["trt10.4-mobilenetv2-fp16-rtx3060", "trt8.6-controlnet-a10", *EXAMPLES])
def test_no_metric_of_a_run_regresses_from_its_baseline(engine: str, request: pytest.FixtureRequest) -> None:
    address = f"example:{engine}" if engine in EXAMPLES else request.getfixturevalue("shared_engines") / engine
    plan = load(str(address))
    names = [name for name, plug in METRICS.items() if not plug.value.per_layer]
    conditions = [read_condition(f"{name}{'<-' if METRICS[name].value.higher_is_better else '>+'}0%") for name in names]
    results = judge(PlanDiff(kept(plan), plan), conditions)
    assert [result.words for result in results if result.status is GateStatus.FAILED] == []
    of_run, of_baseline = (
        [(work.macs, work.bytes_moved, work.weights_bytes) for work in side.works]
        for side in map(Performance, (plan, kept(plan)))
    )
    assert of_run == of_baseline


def test_attributes_are_numbers_and_words() -> None:
    plan = load(str(SIMULATED / "resnet18-int8"))
    odd = {"Axis": 1, "Mode": "kMAX", "Path": "/home/me", "Code": "a = b;", "Deep": [{"At": "~/x"}], "Alpha": math.nan}
    changed = Plan.__new__(Plan)
    changed.__dict__.update(plan.__dict__)
    first = plan.engine.layers[0]
    changed.engine = replace(plan.engine, layers=(replace(first, raw={**first.raw, **odd}), *plan.engine.layers[1:]))
    record = baseline_document(changed)["layers"][0]["layer"]
    assert {name: record[name] for name in odd if name in record} == {"Axis": 1, "Mode": "kMAX"}


def test_a_baseline_has_the_causes_and_verdict_of_the_run() -> None:
    base, new = load(str(SIMULATED / "resnet18-int8")), load(str(SIMULATED / "resnet18-int8-residual"))
    whole, part = PlanDiff(base, new), PlanDiff(kept(base), new)
    assert part.main.outcome is whole.main.outcome is SpeedOutcome.PREDICTED_FASTER
    assert (part.main.low, part.main.high) == pytest.approx((whole.main.low, whole.main.high), rel=1e-5)
    assert [each.cause for each in part.changes] == [each.cause for each in whole.changes]
    assert part.waterfall.difference_ms == pytest.approx(whole.waterfall.difference_ms, rel=1e-4)
    conditions = [read_condition(text) for text in ("latency>+3%", "layer:Convolution>+10%")]
    assert [each.status for each in judge(part, conditions)] == [each.status for each in judge(whole, conditions)]


def test_error_bars_are_kept() -> None:
    plan = load(str(SIMULATED / "resnet18-int8"))
    ends = expected_ms(kept(plan))
    assert ends == pytest.approx(expected_ms(plan), rel=1e-5)
    document = baseline_document(plan)
    for value in (None, [], [1.0], "x", {"a": 1}, [1.0, "x"], [2.0, 1.0]):
        _, artifacts = read_baseline(baseline_text({**document, "expected_ms": value}).encode(), "kept.json")
        assert expected_ms(Plan.from_artifacts(artifacts)) is None
    assert "expected_ms" not in baseline_document(made("resnet18-int8"))


def test_layers_of_unknown_work_are_kept_with_the_model_that_they_are_of():
    plan = predicted(1.0, 0.8, 1.2, unknown_work=True, digest="1")
    assert not may_hide_work(kept(plan), plan) and may_hide_work(kept(plan), predicted(1.0, 0.8, 1.2, digest="2"))


@pytest.mark.parametrize("code", ["run-failed", "times-of-two-runs", "percentiles-contradict"])
def test_a_baseline_is_no_better_than_its_run(code: str) -> None:
    """What its files contradict is not judged against the baseline, either; no path is kept."""
    plan = made("resnet18-int8")
    note = Note(code, "the files in /home/me/x differ", severity="problem")
    wrong = Plan(plan.engine, plan.layer_times, plan.query_times, plan.metadata, notes=(note,))
    _, artifacts = read_baseline(baseline_text(baseline_document(wrong)).encode(), "kept.json")
    kept = Plan.from_artifacts(artifacts)
    assert [one.message for one in kept.notes if one.code == code] == ["the files in … differ"]
    assert {one.status for one in judge(PlanDiff(kept, plan), [read_condition("p99>5%")])} == {GateStatus.INCONCLUSIVE}


@pytest.mark.parametrize(
    "problems", ["x", [["a"]], [["a", 1]], [["::error::x", "y"]], [["a\x1b[2J", "y"]], [[None, None]]]
)
def test_problems_that_no_run_has_are_refused(problems: object) -> None:
    document = baseline_document(made("resnet18-int8")) | {"problems": problems}
    with pytest.raises(TrexError, match="problems"):
        read_baseline(json.dumps(document).encode(), "kept.json")


def test_a_baseline_is_deterministic_and_small() -> None:
    texts = {baseline_text(baseline_document(load(str(SIMULATED / "resnet18-int8")))) for _ in range(2)}
    (text,) = texts
    assert text.isascii() and len(text) < 60_000
    content = {name: value for name, value in json.loads(text).items() if name != "sha256"}
    assert content == baseline_document(load(str(SIMULATED / "resnet18-int8")))
    assert max(map(len, text.splitlines())) < 6_000


def test_a_slower_layer_changes_its_line_and_the_digest() -> None:
    plan = load(str(SIMULATED / "resnet18-int8"))
    slower = Plan.__new__(Plan)
    slower.__dict__.update(plan.__dict__)
    first = plan.all_times[1]
    assert first is not None and first.average_ms is not None
    slower.all_times = (plan.all_times[0], replace(first, average_ms=2 * first.average_ms), *plan.all_times[2:])
    one, other = (baseline_text(baseline_document(each)).splitlines() for each in (plan, slower))
    assert sum(line != changed for line, changed in zip(one, other, strict=True)) == 2


def test_neither_paths_nor_machines_are_kept(tmp_path: Path) -> None:
    plan = load(str(SIMULATED / "resnet18-int8"))
    secret = {
        "Model": "/home/me/model.onnx", "Save engine": "x.engine", "timingCacheFile": "/tmp/cache", "Tool": "/opt/x",
        "Selected Device UUID": "GPU-1234", "Precision": "FP16",
    }  # fmt: skip
    told_of = Plan.__new__(Plan)
    told_of.__dict__.update(plan.__dict__)
    told_of.build_metadata = replace(plan.build_metadata, build_options=secret)
    told_of.metadata = replace(plan.metadata, device={**plan.metadata.device, **secret})
    text = baseline_text(baseline_document(told_of))
    assert not any(word in text for word in ("/home", "x.engine", "/tmp", "/opt", "GPU-1234", str(tmp_path)))
    assert '"Precision": "FP16"' in text


@pytest.mark.parametrize("count", [0, 1, 999, 1000, 1001, 1500, 100_003])
def test_samples_cover_the_whole_run(count: int) -> None:
    rows = chosen_rows(count)
    assert len(rows) == min(count, MOST_SAMPLES) and (np.diff(rows) > 0).all()
    if count:
        assert rows[0] <= count / MOST_SAMPLES and rows[-1] < count
        assert rows[-1] >= count - 1 - count / MOST_SAMPLES


def test_periodic_runs_do_not_alias() -> None:
    """Every tenth inference is slow; of ten thousand, every tenth is kept: a tenth of those must be slow, not all."""
    rows = chosen_rows(10_000)
    assert abs((rows % 10 == 3).mean() - 0.1) < 0.02


@pytest.mark.parametrize(("shift", "at_least", "at_most"), [(0.0, 0.0, 0.1), (0.03, 0.95, 1.0)])
def test_kept_samples_are_as_significant(shift: float, at_least: float, at_most: float) -> None:
    """Runs of 3 000 inferences with autocorrelated noise of 2 %: few false alarms, and every slowdown is found."""
    plan = made("resnet18-int8")
    noise, slower, trials = correlated(0.02, 0.5), 0, 10
    for seed in range(trials):
        random = np.random.default_rng(seed)
        runs = [np.round(0.7 * factor * noise(random, 3000), 6) for factor in (1.0, 1.0 + shift)]
        base, new = kept(with_samples(plan, runs[0])), with_samples(plan, runs[1])
        found = significance_of(Performance(base), Performance(new), "computeMs")
        slower += found.outcome is SpeedOutcome.SLOWER
    assert at_least <= slower / trials <= at_most


def test_coarse_enqueue_times() -> None:
    """Clocks that were written coarsely tell steps; the kept run is judged with the same steps, and nothing fails."""
    plan = load(str(SIMULATED / "resnet18-int8"))
    chance = random.Random(3)
    ends = array("d", (3000.0 + 0.01 * chance.choice((0, 0, 0, 1, 2)) for _ in range(2000)))
    starts = array("d", [3000.0]) * 2000
    columns = {"startEnqMs": starts, "endEnqMs": ends, "computeMs": array("d", [0.7]) * 2000}
    coarse = with_samples(plan, np.ones(3))
    coarse.query_times = QueryTimes(columns, 0, "made")
    found = significance_of(Performance(kept(coarse)), Performance(coarse), "enqueueMs")
    assert found.outcome in (SpeedOutcome.SAME, SpeedOutcome.UNKNOWN)


def test_unknown_stays_unknown() -> None:
    bare = EnginePlan([{"Name": "a", "LayerType": "kgen", "Inputs": [], "Outputs": []}], name="x")
    again = kept(bare)
    named = EnginePlan([{"Name": "a", "LayerType": "kgen", "Inputs": [], "Outputs": []}], name="\udcff")
    assert kept(named).name == "\\udcff"  # a file's name that is no UTF-8
    assert again.query_times is None and not again.is_profiled and again.telemetry is None
    assert key_of(bare).text == "x/unknown-gpu/unknown-version"


def test_columns_that_equal_another_are_that_one() -> None:
    """A text of a few bytes is no copy of a column."""
    document = baseline_document(load(str(SIMULATED / "resnet18-int8")))
    kept = document["samples"]["kept"]
    document["samples"] |= {"a": [1.0] * kept, **{f"c{number}": "a" for number in range(50)}}
    document["samples"]["last_end_ms"] = {f"e{number}": 1.0 for number in range(50)}
    _, artifacts = read_baseline(json.dumps(document).encode())
    assert artifacts.query_times is not None
    columns = artifacts.query_times.columns
    assert all(columns[f"c{number}"] is columns["a"] for number in range(50)) and "e0" not in columns


def test_a_baseline_is_as_unsteady_as_its_run() -> None:
    """A part of the queries does not show an unsteady beginning."""
    plan = made("resnet18-int8")
    times = array("d", [1.2 if number < 40 else 1.0 + 1e-3 * (number % 7) for number in range(3000)])
    unsteady = Plan(plan.engine, None, QueryTimes({"computeMs": times, "latencyMs": times}, 0))
    document = baseline_document(unsteady) | {"unsteady_pct": {"computeMs": 6.0}}
    _, artifacts = read_baseline(json.dumps(document).encode(), "kept.json")
    kept = Plan.from_artifacts(artifacts)
    assert PlanDiff(kept, unsteady).main.uncertainty_pct >= 6.0 and PlanDiff(unsteady, kept).main.uncertainty_pct >= 6.0
    (result,) = judge(PlanDiff(kept, unsteady), [read_condition("compute>+3%")])
    assert result.status is GateStatus.INCONCLUSIVE
    assert Performance(kept).samples.steadiness.is_steady is False
    again = baseline_document(kept)
    assert again["unsteady_pct"]["computeMs"] >= 6.0 and again["samples"]["measured"] == 3000
    with pytest.raises(TrexError, match="unsteady"):
        read_baseline(json.dumps(document | {"unsteady_pct": {"computeMs": 1e308}}).encode(), "damaged.json")

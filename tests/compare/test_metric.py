"""Metrics: one declaration is known to conditions, help and baselines."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import pytest

from tests.compare.predicted import measured
from trex.compare import condition, metric
from trex.compare.baseline import baseline_document
from trex.compare.condition import read_condition
from trex.compare.gate import GateStatus, judge
from trex.compare.metric import METRICS, Metric, metric_labels, metric_values
from trex.compare.plan_diff import PlanDiff
from trex.core.errors import TrexError
from trex.core.registry import Plug
from trex.export.baseline_file import baseline_text
from trex.ingest.baseline_json import read_baseline
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan

PASSED, FAILED, INCONCLUSIVE = GateStatus
VALUES = {"fast": 3.0, "slow": 2.0}


@pytest.fixture
def declare(monkeypatch):
    """Adds a metric ``odd`` with the values above by the plan's name."""

    def add(**fields: object) -> None:
        declared = replace(Metric("x", read=lambda performance: VALUES.get(performance.plan.name)), **fields)
        metrics = {**METRICS, "odd": Plug("odd", ModuleType("odd", "Odd."), declared)}
        monkeypatch.setattr(metric, "METRICS", metrics)
        monkeypatch.setattr(condition, "METRICS", metrics)

    return add


def plan(name: str) -> EnginePlan:
    engine = measured(1.0)
    engine.name = name
    return engine


def kept(engine: EnginePlan) -> EnginePlan:
    return EnginePlan.from_artifacts(read_baseline(baseline_text(baseline_document(engine)).encode())[1])


def status(left: EnginePlan, right: EnginePlan, condition: str) -> tuple[GateStatus, str]:
    (result,) = judge(PlanDiff(left, right), [read_condition(condition)])
    return result.status, result.words


def test_known_metrics():
    assert set(metric_labels()) >= {"compute", "enqueue", "latency", "layer:GLOB"}
    assert all(plug.summary.endswith(".") for plug in METRICS.values())
    values = metric_values(Performance(measured(1.0)))
    known = ("compute", "enqueue", "latency")
    assert {name: values[name] for name in known} == pytest.approx(
        {"compute": 1.0, "enqueue": 0.01, "latency": 1.0}, rel=0.01
    )


def test_an_exact_metric_fails_above_its_threshold(declare):
    declare(is_exact=True)
    assert status(plan("slow"), plan("fast"), "odd>+10%") == (FAILED, "odd 2 → 3 x (+50.0 %): above the threshold")
    assert status(plan("slow"), plan("fast"), "odd>+1x")[0] is PASSED
    assert status(plan("fast"), plan("slow"), "odd>+0%")[0] is PASSED
    assert status(plan("slow"), plan("?"), "odd>+1x") == (INCONCLUSIVE, "odd unknown in new")


def test_one_value_per_run_is_inconclusive_above_its_threshold(declare):
    declare()
    assert status(plan("slow"), plan("fast"), "odd>+10%")[0] is INCONCLUSIVE
    assert status(plan("slow"), plan("fast"), "odd>+60%")[0] is PASSED


def test_higher_may_be_better(declare):
    declare(is_exact=True, higher_is_better=True)
    assert status(plan("fast"), plan("slow"), "odd<-10%")[0] is FAILED
    assert status(plan("slow"), plan("fast"), "odd<-0x")[0] is PASSED
    with pytest.raises(TrexError, match="not a gate condition") as caught:
        read_condition("odd>+3%")
    assert "odd<-3%" in caught.value.hint


def test_a_baseline_keeps_the_value(declare):
    declare(is_exact=True)
    assert baseline_document(plan("slow"))["metrics"]["odd"] == 2.0
    again = kept(plan("slow"))
    again.name = "kept"
    assert metric_values(Performance(again))["odd"] == 2.0
    assert status(again, plan("fast"), "odd>+10%")[0] is FAILED


def test_a_baseline_without_metrics_is_read():
    document = baseline_document(measured(1.0))
    del document["metrics"]
    engine = EnginePlan.from_artifacts(read_baseline(baseline_text(document).encode())[1])
    assert metric_values(Performance(engine))["latency"] == pytest.approx(1.0, rel=0.01)

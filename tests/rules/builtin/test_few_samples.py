"""Times with few measurements behind them."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from tests.raw_records import chain
from tests.rules.cases import only_unchecked, plan_of, reports
from tests.rules.planting import Ground, Planter, setting, whole
from trex.rules.finding import Finding, Severity

RULE = "few-samples"


def scattered(count: int, part: float) -> list[float]:
    random = Random(1)
    return [2.0 * (1.0 + part * (random.random() - 0.5)) for _ in range(count)]


def test_few_scattered_samples_show_only_large_differences():
    plan = plan_of(chain("a"), {"a": 1.0}, trace={"computeMs": scattered(12, 0.4)})
    (found,) = reports(RULE, plan)
    assert isinstance(found, Finding) and "12 samples" in found.message


def test_layers_timed_once_are_a_note():
    plan = plan_of(chain("a"), {"a": 1.0}, trace={"computeMs": scattered(800, 0.01)}, iterations=1)
    (found,) = reports(RULE, plan)
    assert isinstance(found, Finding) and "timed once" in found.message
    assert found.severity is Severity.NOTE


def test_many_samples_are_enough():
    assert reports(RULE, plan_of(chain("a"), {"a": 1.0}, trace={"computeMs": scattered(800, 0.01)})) == []
    assert reports(RULE, plan_of(chain("a"))) == []


def test_it_is_unchecked_without_a_trace():
    assert "--exportTimes" in only_unchecked(RULE, plan_of(chain("a"), {"a": 1.0})).hint


def test_predicted_times_need_no_more_samples():
    plan = plan_of(chain("a"), {"a": 1.0}, trace={"computeMs": [2.0] * 12}, iterations=1)
    assert len(reports(RULE, plan)) == 2
    plan.engine = replace(plan.engine, extra={**plan.engine.extra, "Simulated": "predicted"})
    assert reports(RULE, plan) == []


# ---- The defect that tests plant into engines, and its sound twin


def planted_scattered(ground: Ground) -> None:
    total = ground.total_ms
    ground.trace = [total * (1.0 + 0.5 * (ground.random.random() - 0.5)) for _ in range(12)]


PLANTER = Planter(whole(planted_scattered), whole(setting(iterations=20)))

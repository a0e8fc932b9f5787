"""Runs whose slowest inferences take much longer than most."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from tests.raw_records import chain
from tests.rules.cases import finding, of_engine, plan_of, reports
from tests.rules.planting import Ground, Planter, whole
from trex.core.metadata import LatencySummary, Metadata
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan

RULE = "long-tail"


def tailed(count: int, slow: int, factor: float) -> list[float]:
    """So many inferences of about 2 ms, with slow ones among them."""
    random = Random(3)
    times = [2.0 * (1.0 + 0.002 * (random.random() - 0.5)) for _ in range(count)]
    for at in random.sample(range(count), slow):
        times[at] *= factor
    return times


def traced(times: list[float]) -> EnginePlan:
    return plan_of(chain("a", "b"), {"a": 1.0, "b": 1.0}, trace={"computeMs": times})


def test_a_tail_is_a_finding_and_the_median_is_steady() -> None:
    """22.8 % variation and a 99th percentile of 2.3 times the median: the median holds, the tail does not."""
    plan = traced(tailed(3000, 90, 2.3))
    found = finding(RULE, plan)
    assert "2.3 times the median; the median itself is steady" in found.message
    assert not found.savings
    steadiness = Performance(plan).samples.steadiness
    assert steadiness.is_steady and steadiness.has_long_tail
    assert steadiness.words == "the median is steady, the tail is not (p99 is 2.3× the median)"
    assert Performance(traced(tailed(3000, 15, 2.3))).samples.steadiness.words == "steady"


def test_rare_or_small_excesses_are_none() -> None:
    assert reports(RULE, traced(tailed(3000, 15, 2.3))) == []
    assert reports(RULE, traced(tailed(3000, 90, 1.2))) == []
    assert reports(RULE, traced(tailed(3000, 90, 1.2)), tail=10.0)
    assert reports(RULE, traced(tailed(90, 5, 2.3))) == []  # too few samples for a percentile


def test_the_summary_of_a_run_counts_without_per_query_times() -> None:
    plan = plan_of(chain("a"), {"a": 1.0})
    plan.metadata = Metadata(latency={"GPU Compute Time": LatencySummary(0.9, 3.0, 1.1, 1.0, {99.0: 1.6})})
    assert "1.6 times the median" in finding(RULE, plan).message
    for count, is_judged in ((1000, True), (90, False)):
        total = {"Total GPU Compute Time": 1.1e-3 * count}
        plan.metadata = replace(plan.metadata, performance=total)
        assert bool(reports(RULE, plan)) == is_judged


@pytest.mark.parametrize(
    ("name", "is_found"), [("trt8.4-mobilenetv2-qat-residuals", True), ("trt8.4-mobilenetv2-qat", False)]
)
def test_real_runs(shared_engines: Path, name: str, is_found: bool) -> None:
    assert bool(reports(RULE, of_engine(shared_engines / name).plan)) == is_found


# ---- The defect that tests plant into engines, and its sound twin


def slow(share: float) -> Callable[[Ground], None]:
    def change(ground: Ground) -> None:
        count = len(ground.trace)
        for place in ground.random.sample(range(count), int(share * count)):
            ground.trace[place] *= 1.8

    return change


PLANTER = Planter(whole(slow(0.03)), whole(slow(0.005)))

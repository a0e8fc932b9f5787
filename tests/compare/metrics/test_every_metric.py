"""Each metric's value, when it is unknown, and what the gate makes of a change."""

from __future__ import annotations

from array import array
from dataclasses import replace

import numpy as np
import pytest

from tests.compare.predicted import measured, predicted
from tests.factories import conv, engine, t, time
from trex.compare.condition import read_condition
from trex.compare.gate import GateStatus, judge
from trex.compare.metric import METRICS, metric_value
from trex.compare.plan_diff import PlanDiff
from trex.core.metadata import Metadata
from trex.core.note import Note
from trex.core.timings import LayerTimes, QueryTimes
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan

PASSED, FAILED, INCONCLUSIVE = GateStatus
COUNT = 12


def run(
    latencies: np.ndarray | None = None,
    layers: float | None = 0.08,
    qps: float | None = None,
    milestones: dict[str, float] | None = None,
    channels: int = 8,
) -> EnginePlan:
    """Twelve layers of this time; per-query times that follow one another; what a log says of the build."""
    tensors = [t(f"x{at}", [1, channels if at else 8, 64, 64]) for at in range(COUNT + 1)]
    made = [
        replace(conv(f"c{at}", [tensors[at]], [tensors[at + 1]]), tactic="k", origins=(f"c{at}",))
        for at in range(COUNT)
    ]
    records = LayerTimes(tuple(time(f"c{at}", layers) for at in range(COUNT) if layers is not None))
    queries = None
    if latencies is not None:
        values, ends = array("d", latencies.tolist()), array("d", np.cumsum(latencies).tolist())
        queries = QueryTimes({"latencyMs": values, "computeMs": values, "endComputeMs": ends})
    metadata = Metadata(performance={} if qps is None else {"Throughput": qps}, milestones=milestones or {})
    return EnginePlan(engine(*made, inputs=["x0"], outputs=[f"x{COUNT}"]), records, queries, metadata)


def noise(median: float = 1.0, seed: int = 1, scatter: float = 0.002) -> np.ndarray:
    return median * (1.0 + scatter * np.random.default_rng(seed).standard_normal(1000))


def value(name: str, plan: EnginePlan) -> float | None:
    return metric_value(name, Performance(plan))


def status(left: EnginePlan, right: EnginePlan, condition: str) -> GateStatus:
    (result,) = judge(PlanDiff(left, right), [read_condition(condition)])
    return result.status


@pytest.mark.parametrize("name", [name for name, plug in METRICS.items() if not plug.value.per_layer])
def test_without_files_it_is_unknown_and_inconclusive(name):
    plan = EnginePlan(engine(conv("a", ["x"], ["y"])))
    found = value(name, plan)
    assert found is None or name == "memory"
    sign = "<-" if METRICS[name].value.higher_is_better else ">+"
    assert status(plan, plan, f"{name}{sign}3%") is (INCONCLUSIVE if found is None else PASSED)


def test_the_sum_of_layers():
    assert value("layer-sum", run()) == pytest.approx(0.96)
    assert value("layer-sum", run(layers=None)) is None
    partly = run()
    partly.times = (None, *partly.times[1:])
    assert value("layer-sum", partly) is None
    other = run(channels=16)  # other sizes, so that no kernel is unchanged and no machine can be blamed
    assert status(other, run(layers=0.096), "layer-sum>+3%") is FAILED
    assert status(other, run(layers=0.0848), "layer-sum>+3%") is INCONCLUSIVE
    assert status(other, run(layers=0.0816), "layer-sum>+3%") is PASSED


def test_throughput_is_judged_by_the_ends_of_the_queries():
    fast, slow = run(noise(1.0, 1), qps=1000.0), run(noise(1.05, 2), qps=952.0)
    assert value("throughput", fast) == 1000.0
    assert status(fast, slow, "throughput<-3%") is FAILED
    assert status(fast, slow, "throughput<-10%") is PASSED
    assert status(slow, fast, "throughput<-3%") is PASSED
    assert status(run(qps=1000.0), run(qps=900.0), "throughput<-3%") is INCONCLUSIVE
    assert (
        status(run(noise(1.0, 1, 0.5), qps=1000.0), run(noise(1.04, 2, 0.5), qps=960.0), "throughput<-3%")
        is INCONCLUSIVE
    )


def test_the_tail_of_the_latency():
    tail = noise(1.0, 2)
    tail[::50] *= 1.5
    assert value("p99", run(tail)) == pytest.approx(1.5, rel=0.01)
    assert status(run(noise()), run(tail), "p99>+5%") is FAILED
    assert status(run(noise()), run(tail), "latency>+5%") is PASSED
    assert status(run(noise()), run(noise(1.0, 3)), "p99>+5%") is PASSED
    assert status(run(noise()[:50]), run(tail[:51]), "p99>+5%") is INCONCLUSIVE, "fifty samples have no 99th percentile"


def test_the_interval_of_the_tail_is_wide_enough():
    """Of equal runs with long tails, fewer than two of thirty look different."""
    generator = np.random.default_rng(9)
    runs = [run(1.0 + 0.1 * generator.pareto(3.0, 500)) for _ in range(60)]
    assert sum(status(one, other, "p99>+0.1%") is FAILED for one, other in zip(runs[::2], runs[1::2], strict=True)) <= 1


def test_memory_is_exact():
    assert value("memory", run()) == pytest.approx(2 * 8 * 64 * 64 * 2 / (1 << 20))
    assert status(run(), run(channels=16), "memory>+10%") is FAILED
    assert status(run(channels=16), run(), "memory>+0MiB") is PASSED
    assert value("memory", EnginePlan(engine(conv("a", [t("x", None)], [t("y", None)])))) is None


def test_the_memory_of_a_graph_that_lacks_layers_is_unknown():
    whole = run()
    assert whole.layer_times is not None
    lost = replace(whole.layer_times, records=(*whole.layer_times.records, time("lost", 0.2)))
    unconnected = Note("layers-unconnected", "1 tensor is read that no layer writes")
    for times, notes in ((lost, ()), (None, (unconnected,))):
        lacking = EnginePlan(whole.engine, times, notes=notes)
        assert value("memory", lacking) is None and status(whole, lacking, "memory>+10%") is INCONCLUSIVE


def test_engine_size_and_build_time():
    small = run(milestones={"engine_size_mib": 10.0, "engine_built_s": 20.0})
    large = run(milestones={"engine_size_mib": 12.0, "engine_built_s": 30.0})
    assert (value("engine-size", small), value("engine-size", large), value("build-time", small)) == (10.0, 12.0, 20.0)
    assert status(small, large, "engine-size>+10%") is FAILED
    whole = run(milestones={"loaded_engine_mib": 9.0})
    assert value("engine-size", whole) is None, "whole MiB: 9.9 in the other log would be a change"
    assert status(small, large, "build-time>+60%") is PASSED
    assert status(small, large, "build-time>+10%") is INCONCLUSIVE, "one build is one sample"
    slow = [run(milestones={"engine_built_s": seconds}) for seconds in (30.0, 31.0, 29.0)]
    fast = [run(milestones={"engine_built_s": seconds}) for seconds in (20.0, 21.0, 19.0)]
    diff = PlanDiff(fast[0], slow[0], left_repeats=fast[1:], right_repeats=slow[1:])
    (result,) = judge(diff, [read_condition("build-time>+10%")])
    assert result.status is FAILED and "significant over 3 and 3 runs" in result.words


@pytest.mark.parametrize("mib", [0.9 + number / 7 for number in range(20)])
def test_repetitions_of_an_exact_value_change_nothing(mib):
    plans = [run(milestones={"engine_size_mib": mib}) for _ in range(5)]
    diff = PlanDiff(plans[0], plans[0], left_repeats=plans[:2], right_repeats=plans[:4])
    (result,) = judge(diff, [read_condition("engine-size>+0%")])
    assert result.status is PASSED


def test_predictions_are_judged_by_their_values():
    """Two of them are the same in every run; a prediction and a measurement say nothing of single values."""
    base, slower = predicted(1.0), predicted(2.0)
    assert (status(base, slower, "layer-sum>+3%"), status(slower, base, "layer-sum>+3%")) == (FAILED, PASSED)
    assert status(measured(1.0), slower, "layer-sum>+3%") is INCONCLUSIVE

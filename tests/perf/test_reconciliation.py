"""Runs put together by hand, and why their times differ."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
import pytest

from tests.factories import chain, layer
from trex.core.engine import Engine
from trex.core.metadata import LatencySummary, Metadata
from trex.core.telemetry import Stage, Telemetry
from trex.core.tensor import Binding, ShapeRange
from trex.core.timings import LayerTime, LayerTimes, QueryTimes
from trex.perf.measures import Measure
from trex.perf.performance import Performance
from trex.perf.reconciliation import Reconciliation
from trex.plan.engine_plan import EnginePlan

QUIET = {"CUDA Graph": "Enabled", "Spin-wait": "Enabled", "Data transfers": "Disabled", "Separate profiling": "Enabled"}


def trace(compute: np.ndarray, h2d: float = 0.0, d2h: float = 0.0, enqueue: float = 0.004) -> QueryTimes:
    """One inference after the other, 5 µs apart."""
    latency = compute + h2d + d2h
    start = np.cumsum(np.concatenate(([0.0], latency[:-1] + 0.005)))
    columns = {
        "startEnqMs": start / 1000,  # small, so that the six digits of the file stay fine
        "endEnqMs": start / 1000 + enqueue,
        "startComputeMs": start + h2d,
        "endComputeMs": start + h2d + compute,
        "h2dMs": np.full(len(compute), h2d),
        "computeMs": compute,
        "d2hMs": np.full(len(compute), d2h),
        "latencyMs": latency,
    }
    return QueryTimes({key: array("d", values) for key, values in columns.items()}, 0)


def plan(
    compute: np.ndarray | None = None,
    layers: tuple[float, ...] = (),
    options: dict[str, Any] | None = None,
    throughput: float | None = None,
    summary: dict[str, LatencySummary] | None = None,
    count: int | None = 1000,
    streams: tuple[int, ...] = (),
    telemetry: Telemetry | None = None,
    bindings: tuple[Binding, ...] = (),
    **times: float,
) -> EnginePlan:
    names = [f"layer {index}" for index in range(max(len(layers), 2))]
    built = [
        layer(name, inputs=(f"t{index}",), outputs=(f"t{index + 1}",), stream=streams[index] if streams else None)
        for index, name in enumerate(names)
    ]
    records = tuple(LayerTime(name, 0, None, ms, ms, None) for name, ms in zip(names, layers))
    performance = {} if throughput is None else {"Throughput": throughput}
    return EnginePlan(
        Engine(chain(*built), bindings),
        LayerTimes(records, count) if layers else None,
        None if compute is None else trace(compute, **times),
        Metadata(
            inference_options=QUIET if options is None else options, performance=performance, latency=summary or {}
        ),
        telemetry=telemetry,
    )


def steady(ms: float = 1.0, count: int = 3000) -> np.ndarray:
    return np.random.default_rng(0).normal(ms, 0.002 * ms, count)


def reconcile(*arguments: Any, **options: Any) -> Reconciliation:
    return Performance(plan(*arguments, **options)).reconciliation


def difference_of(reconciliation: Reconciliation, first: str) -> Any:
    return next((item for item in reconciliation.differences if item.first == first), None)


def test_timing_layers_costs_time():
    # two layers, 0.988 ms together against 0.98: 4 µs a layer; three, 0.919 ms against 0.9: 6.4 µs
    result: Any = reconcile(steady(0.98), (0.494, 0.494), throughput=1000.0)
    difference = difference_of(result, "sum of the layers")
    assert result.overhead_per_layer_ms == pytest.approx(0.004, abs=2e-4)
    assert difference.ratio == pytest.approx(0.988 / 0.98, abs=1e-3) and "as much as GPU compute" in difference.sentence
    result = reconcile(steady(0.9), (0.3, 0.3, 0.319), throughput=1000.0)
    difference = difference_of(result, "sum of the layers")
    assert "2 % more than GPU compute (0.8999 ms)" in difference.sentence
    assert " µs for each of 3 timed layers, which is usual" in difference.causes[0]
    assert "CUDA graph" in difference.causes[1] and "different runs" in difference.causes[-1]


def test_far_too_much_has_other_causes():
    options = {**QUIET, "Input inference shape": "x=1x3", "Optimization Profile Index": "1"}
    ranges = tuple(ShapeRange((1, 3), (optimum, 3), (8, 3)) for optimum in (1, 8))
    bindings = (Binding("x", True, None, ranges),)
    result = reconcile(steady(), (1.0, 1.0), options, 990.0, count=1, bindings=bindings)
    causes = " | ".join(difference_of(result, "sum of the layers").causes)
    assert "is more than usual" in causes and "in a single iteration only" in causes
    assert "the run used 'x' of 1x3, but the engine was tuned for 8x3" in causes
    assert any("timed in 1 iteration" in reason for reason in result.verdict.reasons)


def test_a_latency_of_zero_is_no_time():
    times = {"Latency": 0.0, "H2D Latency": 0.1, "GPU Compute Time": 1.0}
    reconciled = reconcile(summary={key: LatencySummary(ms, ms, ms, ms) for key, ms in times.items()}, options={})
    assert difference_of(reconciled, "latency") is None


def test_an_unsteady_run_is_a_cause():
    compute = steady(0.9)
    compute[1000:] *= 1.03
    causes = difference_of(reconcile(compute, (0.5, 0.5), throughput=1000.0), "sum of the layers").causes
    assert any(cause.startswith("the inferences themselves were not steady: 1 change of level") for cause in causes)


def test_streams_overlap():
    result = reconcile(steady(1.0), (0.9, 0.8), throughput=990.0, streams=(0, 1))
    causes = difference_of(result, "sum of the layers").causes
    assert causes[0].endswith("the longest stream alone adds up to 0.9 ms") and "2 streams" in causes[0]
    assert [measure.label for measure in result.measures.in_order][-1] == "longest stream of layers"


def test_overlap_of_streams_is_no_overhead():
    apart = reconcile(steady(1.0), (0.9, 0.8), throughput=990.0, streams=(0, 1))
    assert apart.overhead_per_layer_ms is None
    assert apart.verdict.smallest_layer_ms < 0.01
    result = reconcile(steady(1.0), (0.504, 0.504, 0.8), throughput=990.0, streams=(0, 0, 1))
    assert result.overhead_per_layer_ms == pytest.approx(0.004, abs=2e-4)
    assert any("each of 2 timed layers" in cause for cause in difference_of(result, "sum of the layers").causes)
    assert result.verdict.smallest_layer_ms == pytest.approx(0.008, abs=4e-4)


def test_what_timing_cannot_cost_is_no_limit_of_shares():
    result = reconcile(steady(), (1.0, 1.0), throughput=990.0)
    assert result.overhead_per_layer_ms == pytest.approx(0.5, abs=1e-3)
    assert result.verdict.smallest_layer_ms == pytest.approx(0.016)


def test_layers_below_the_whole():
    options = {**QUIET, "CUDA Graph": "Disabled"}
    result = reconcile(steady(1.0), (0.5,), options, 990.0)
    difference = difference_of(result, "sum of the layers")
    assert "50 % less than GPU compute" in difference.sentence
    assert difference.causes[0] == "1 layer has no time in the profile"
    assert "gaps between kernels" in " ".join(difference.causes) and result.overhead_per_layer_ms is None


@pytest.mark.parametrize(
    ("throughput", "options", "sentence", "cause"),
    [
        (990.0, QUIET, "its own duration", ""),
        (1900.0, {**QUIET, "Inference Streams": "2"}, "1.90 are in flight", "2 parallel inference streams"),
        (1200.0, QUIET, "1.20 are in flight", "enqueued while the previous one"),
        (500.0, {**QUIET, "Spin-wait": "Disabled"}, "the GPU computed 50 % of the time", "woke up late"),
        (500.0, {**QUIET, "Sleep time": "1ms"}, "finishes every 2 ms", "sleep time of 1 ms"),
        (900.0, QUIET, "takes only 0.9999 ms", "111 µs between two inferences"),
    ],
)
def test_host_and_gpu(throughput: float, options: dict, sentence: str, cause: str):
    difference = difference_of(
        reconcile(steady(), options=options, throughput=throughput), "host wall time per inference"
    )
    assert sentence in difference.sentence and cause in " ".join(difference.causes)


def test_transfers():
    result = reconcile(steady(), throughput=800.0, options={**QUIET, "Data transfers": "Enabled"}, h2d=1.5, d2h=0.1)
    assert "62 % of latency is transfers" in difference_of(result, "latency").sentence
    assert (
        "limits the throughput" in difference_of(result, "host to device").sentence
        and difference_of(result, "device to host") is None
    )
    assert "the transfers of one inference overlap" in difference_of(result, "host wall time per inference").causes[0]
    assert "switched off" in difference_of(reconcile(steady()), "latency").sentence
    assert "took no time" in difference_of(reconcile(steady(), options={}), "latency").sentence


@pytest.mark.parametrize(("enqueue", "bound"), [(0.79, False), (0.81, True)])
def test_enqueue_bound_as_trtexec_says(enqueue: float, bound: bool):
    result = reconcile(steady(), throughput=500.0, options={}, enqueue=enqueue)
    assert result.is_enqueue_bound is bound
    assert ("The GPU may wait" in difference_of(result, "enqueue").sentence) is bound
    assert ("--useCudaGraph" in " ".join(difference_of(result, "enqueue").causes)) is bound
    assert (
        "more slowly than the GPU" in " ".join(difference_of(result, "host wall time per inference").causes)
    ) is bound


@pytest.mark.parametrize(
    ("throughput", "threads", "bound"),
    [(3300.0, "Disabled", True), (3300.0, "Enabled", False), (1100.0, "Disabled", False), (None, "Disabled", False)],
)
def test_one_host_thread_for_several_streams(throughput: float | None, threads: str, bound: bool) -> None:
    options = {**QUIET, "Inference Streams": "4", "Multithreading": threads}
    result = reconcile(steady(), throughput=throughput, options=options, enqueue=0.3)
    sentence = difference_of(result, "enqueue").sentence
    assert result.is_enqueue_bound is bound
    assert ("and 4 streams finish an inference every 0.303 ms" in sentence) is bound
    assert ("The host keeps ahead" in sentence) is not bound


def test_files_of_two_runs():
    other = {"GPU Compute Time": LatencySummary(1.0, 2.0, 1.5, 1.4)}
    assert (
        "different runs" in difference_of(reconcile(steady(), summary=other), "GPU compute by per-query times").sentence
    )
    same = {"GPU Compute Time": LatencySummary(1.0, 2.0, 1.0, 1.0)}
    assert difference_of(reconcile(steady(), summary=same), "GPU compute by per-query times") is None


def test_a_coarse_trace_yields_to_the_summary():
    # enqueue times are differences of two clock readings of six digits: of 10 µs steps after a second
    summary = {"Enqueue Time": LatencySummary(0.001, 0.01, 0.003, 0.002)}
    enqueue = enqueue_of(summary, array("d", [5000.0, 5000.0, 5000.01] * 1000))
    assert (enqueue.median_ms, enqueue.source) == (0.002, "trtexec's summary")


def test_an_enqueue_time_that_the_files_contradict_is_unknown():
    summary = {"Enqueue Time": LatencySummary(1.0, 2.0, 1.5, 1.5)}
    enqueue = enqueue_of(summary, array("d", [5000.02] * 3000))
    assert enqueue.ms is None and "contradict" in enqueue.reason


def enqueue_of(summary: dict[str, LatencySummary], end: array[float]) -> Measure:
    """Of queries that are all enqueued from 5 s on."""
    built = plan(steady(), summary=summary)
    assert built.query_times is not None
    columns = {**built.query_times.columns, "startEnqMs": array("d", [5000.0] * 3000), "endEnqMs": end}
    whole = EnginePlan(built.engine, None, QueryTimes(columns), built.metadata)
    return Performance(whole).reconciliation.measures.enqueue


# ------------------------------------------------------------------------------------------------------------ verdicts


def test_fine():
    verdict: Any = reconcile(steady(), (0.5, 0.5), throughput=990.0).verdict
    assert (verdict.level, verdict.smallest_pct) == ("fine", 1.0)
    assert verdict.sentence == (
        "Comparisons of medians above 1 % are supported by these samples; "
        "shares of layers below 5.1 µs are not meaningful."
    )


def test_what_changes_within_the_run_sets_the_limit():
    compute = steady()
    compute[1500:] *= 1.04
    verdict = reconcile(compute).verdict
    # the median may lie on either level: 4 % apart, and more than that by the few samples two levels are worth
    assert (verdict.level, verdict.smallest_pct) == ("rough", 10.0)
    assert any("not steady: 1 change of level" in reason for reason in verdict.reasons)
    compute = steady()
    compute[2600:] *= 1.025
    verdict = reconcile(compute).verdict
    assert (verdict.level, verdict.smallest_pct) == ("fair", 3.0)
    assert "not steady: 1 change of level" in verdict.reasons[0]
    compute[1500:] *= 1.2
    assert reconcile(compute).verdict.level == "rough"
    compute[1500:] *= 3.0
    wild = reconcile(compute).verdict
    assert (wild.level, wild.smallest_pct) == ("rough", None) and wild.sentence.startswith("No comparison")


def test_a_slowed_gpu():
    held = (("software-thermal-slowdown",),) * 20
    columns = {"sm_clock_mhz": array("d", [1500.0] * 10 + [1350.0] * 10)}
    telemetry = Telemetry([0.1 * index for index in range(20)], columns, held, (Stage("profile", 0.0, 2.0),))
    verdict = reconcile(steady(), telemetry=telemetry).verdict
    assert verdict.smallest_pct == 20.0 and "its clock varied by 11 %" in verdict.reasons[0]


def test_small_layers():
    result = reconcile(steady(1.0), (1.0, 0.003), throughput=990.0).verdict
    assert result.reasons[-1] == "1 layer is shorter than 5.1 µs, 0.3 % of the layers' sum"


def test_less_than_a_trace():
    assert reconcile().verdict.level == "nothing" and reconcile().differences == ()
    only_layers = reconcile(None, (1.0, 2.0)).verdict
    assert only_layers.level == "layers only" and only_layers.smallest_pct is None
    summary = {"GPU Compute Time": LatencySummary(1.0, 2.0, 1.5, 1.4)}
    result = reconcile(None, (1.0, 0.5), summary=summary)
    assert result.verdict.level == "summary only" and difference_of(result, "sum of the layers") is not None
    assert reconcile(np.ones(4)).verdict.level == "summary only"
    assert reconcile(np.zeros(40)).verdict.level == "nothing"

"""Measures → Reconciliation: why host, GPU and layers measure different times for the same inference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trex.core.counted import counted
from trex.core.significant import significant
from trex.perf.measures import PROFILE, Measure, Measures, measures_of
from trex.perf.run_flags import RunFlags, run_flags, shapes_off_optimum
from trex.perf.samples.plan_samples import Samples
from trex.perf.verdict import Verdict, verdict_of
from trex.plan.engine_plan import EnginePlan
from trex.plan.optimization_profile import profile_of_run
from trex.plan.time_units import USUAL_OVERHEAD_MS

ENQUEUE_BOUND = 0.8
"""trtexec warns above this ratio of median enqueue time to median compute time."""
PER_QUERY_COMPUTE, LAYER_SUM = "GPU compute by per-query times", "sum of the layers"
_TOLERANCE = 0.02
_SAME = 0.005


@dataclass(frozen=True, slots=True)
class TimeDifference:
    """ratio: the first over the second time. sentence: the observation; causes: the reasons that the files support;
    merely possible ones say so.
    """

    first: str
    second: str
    ratio: float | None
    sentence: str
    causes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """overhead_per_layer_ms: (sum of the layers − GPU compute) / timed layers, of the longest stream where there are
    several, None if unknown or not positive.

    is_enqueue_bound: the host enqueues work more slowly than the GPU executes it; None if unknown. pace_ms: the time in
    which the host has to enqueue an inference: GPU compute, or less where several streams share a host thread.
    """

    measures: Measures
    flags: RunFlags
    differences: tuple[TimeDifference, ...]
    verdict: Verdict
    overhead_per_layer_ms: float | None = None
    is_enqueue_bound: bool | None = None
    pace_ms: float | None = None


def reconcile(plan: EnginePlan, samples: Samples) -> Reconciliation:
    """Never raises; what is absent is unknown, and no difference depends on it."""
    measures = measures_of(plan, samples)
    flags = run_flags(plan.metadata.inference_options)
    overhead = _overhead(measures)
    pace = _pace(measures, flags)
    bound = None if pace is None or measures.enqueue.ms is None else measures.enqueue.ms > ENQUEUE_BOUND * pace
    differences = (
        *_trace_and_summary(plan, samples),
        *_wall_and_latency(measures, flags, bound),
        *_latency_and_compute(measures, flags),
        *_enqueue_and_compute(measures, flags, bound, pace),
        *_transfers(measures),
        *_layers_and_compute(plan, measures, flags, samples, overhead),
    )
    return Reconciliation(
        measures, flags, tuple(differences), verdict_of(plan, measures, samples, overhead), overhead, bound, pace
    )


def _overhead(measures: Measures) -> float | None:
    layers, compute = _comparable(measures.serial, measures.compute)
    if layers is None or compute is None or not measures.serial_layers or layers <= compute:
        return None
    return (layers - compute) / measures.serial_layers


def _pace(measures: Measures, flags: RunFlags) -> float | None:
    """A host thread enqueues the inferences of all streams, or of one with ``--threads``, while these overlap."""
    compute, wall, streams = measures.compute.ms, measures.wall.ms, flags.streams or 1
    if not compute or wall is None or streams < 2:
        return compute or None
    return min(compute, wall * (streams if flags.multithreading else 1))


def _comparable(first: Measure, second: Measure) -> tuple[float | None, float | None]:
    """Medians of both if both are known, else means of both."""
    if first.median_ms is not None and second.median_ms is not None:
        return first.median_ms, second.median_ms
    return first.mean_ms, second.mean_ms


def _trace_and_summary(plan: EnginePlan, samples: Samples) -> Iterator[TimeDifference]:
    """trtexec computes its summary from the per-query times that it exports: if they differ, the files are
    of two runs.
    """
    summary, trace = plan.metadata.latency.get("GPU Compute Time"), samples.compute
    if summary is None or trace is None or not summary.median_ms:
        return
    ratio = trace.median_ms / summary.median_ms
    if abs(ratio - 1.0) > _SAME:
        yield TimeDifference(
            PER_QUERY_COMPUTE,
            "GPU compute by trtexec's summary",
            ratio,
            f"The files are of different runs: median {_ms(trace.median_ms)} by the per-query times, "
            f"{_ms(summary.median_ms)} by trtexec's summary.",
            ("measure again, so that per-query times, summary and profile belong together",),
        )


def _wall_and_latency(measures: Measures, flags: RunFlags, bound: bool | None) -> Iterator[TimeDifference]:
    flight, wall, latency = measures.in_flight, measures.wall.mean_ms, measures.latency.mean_ms
    if flight is None or wall is None or not latency:
        return
    causes: list[str] = []
    if flight > 1.0 + _TOLERANCE:
        sentence = (
            f"An inference takes {_ms(latency)}, and one finishes every {_ms(wall)}: {flight:.2f} are in flight on "
            "average."
        )
        if (flags.streams or 1) > 1:
            causes.append(
                f"{flags.streams} parallel inference streams: their latencies overlap, and each is longer than alone"
            )
        if flags.data_transfers and (measures.h2d.ms or 0.0) + (measures.d2h.ms or 0.0) > 0.0:
            causes.append("the transfers of one inference overlap the computation of another")
        causes = causes or ["an inference is enqueued while the previous one still runs"]
    elif flight < 1.0 - _TOLERANCE:
        busy = measures.busy
        idle = f"; the GPU computed {100 * busy:.0f} % of the time" if busy is not None and busy < 1.0 else ""
        gap = wall - latency
        sentence = f"One inference finishes every {_ms(wall)}, but takes only {_ms(latency)}{idle}."
        if bound:
            causes.append("the host enqueues more slowly than the GPU computes (below)")
        for pause, name in ((flags.sleep_ms, "sleep time"), (flags.idle_ms, "idle time")):
            if pause:
                causes.append(f"the run paused on request: {name} of {pause:g} ms")
        if flags.spin_wait is False:
            causes.append("the host slept until the GPU finished, and woke up late (no --useSpinWait)")
        causes = causes or [f"{_micro(gap)} between two inferences: launch and synchronization, not computation"]
    else:
        sentence = f"One inference finishes every {_ms(wall)}, its own duration: the GPU hardly paused."
    yield TimeDifference(measures.wall.label, measures.latency.label, wall / latency, sentence, tuple(causes))


def _latency_and_compute(measures: Measures, flags: RunFlags) -> Iterator[TimeDifference]:
    latency, compute = _comparable(measures.latency, measures.compute)
    if not latency or not compute:
        return
    ratio = latency / compute
    moved = (measures.h2d.ms or 0.0) + (measures.d2h.ms or 0.0)
    if flags.data_transfers is False or (ratio <= 1.0 + 1e-3 and moved == 0.0):
        causes = ("an application that copies its data to and from the GPU for every inference takes longer",)
        state = "were switched off" if flags.data_transfers is False else "took no time"
        yield TimeDifference(
            "latency", "GPU compute", ratio, f"Latency is GPU compute alone: transfers {state}.", causes
        )
        return
    share = 100.0 * (1.0 - compute / latency)
    yield TimeDifference(
        "latency",
        "GPU compute",
        ratio,
        f"{share:.0f} % of latency is transfers to and from the GPU: {_ms(latency - compute)} of {_ms(latency)}.",
    )


def _enqueue_and_compute(
    measures: Measures, flags: RunFlags, bound: bool | None, pace: float | None
) -> Iterator[TimeDifference]:
    enqueue, compute = _comparable(measures.enqueue, measures.compute)
    if enqueue is None or not compute or bound is None or pace is None:
        return
    ratio = enqueue / compute
    causes: tuple[str, ...] = ()
    if bound:
        other = f"GPU compute {_ms(compute)} ({100 * ratio:.0f} %)"
        if pace < (measures.compute.ms or 0.0):
            finish = (
                f"each of {flags.streams} streams finishes"
                if flags.multithreading
                else f"{flags.streams} streams finish"
            )
            other = f"and {finish} an inference every {_ms(pace)}"
        sentence = f"The GPU may wait for the host: enqueueing takes {_ms(enqueue)}, {other}."
        if flags.capture_failed:
            causes = ("every kernel is launched separately: the CUDA graph of the run could not be captured",)
        elif flags.cuda_graph is not True:
            causes = (
                "every kernel is launched separately; --useCudaGraph launches them as one (default of TensorRT 11)",
            )
        else:
            causes = ("a CUDA graph was used, so the host itself may be slow or busy",)
    else:
        graph = " with one launch of a CUDA graph" if flags.cuda_graph else ""
        part = f"{100 * ratio:.1f} % of GPU compute"
        sentence = f"The host keeps ahead: it enqueues an inference in {_micro(enqueue)}{graph}, {part}."
    yield TimeDifference("enqueue", "GPU compute", ratio, sentence, causes)


def _transfers(measures: Measures) -> Iterator[TimeDifference]:
    compute = measures.compute.ms
    for measure in (measures.h2d, measures.d2h):
        if compute and measure.ms is not None and measure.ms > compute:
            yield TimeDifference(
                measure.label,
                "GPU compute",
                measure.ms / compute,
                f"The transfer {measure.label} limits the throughput: {_ms(measure.ms)}, GPU compute {_ms(compute)}.",
                ("measure without transfers, or keep the data on the GPU",),
            )


def _layers_and_compute(
    plan: EnginePlan, measures: Measures, flags: RunFlags, samples: Samples, overhead: float | None
) -> Iterator[TimeDifference]:
    layers, compute = _comparable(measures.layers, measures.compute)
    if layers is None or not compute:
        return
    ratio = layers / compute
    percent = 100.0 * abs(ratio - 1.0)
    which = (
        "medians" if measures.layers.median_ms is not None and measures.compute.median_ms is not None else "averages"
    )
    begin = f"The layers' {which} add up to {_ms(layers)}"
    if ratio > 1.0 + _TOLERANCE:
        sentence = f"{begin}, {percent:.0f} % more than GPU compute ({_ms(compute)})."
        causes = list(_more_than_compute(measures, flags, overhead))
    elif ratio < 1.0 - _TOLERANCE:
        sentence = f"{begin}, {percent:.0f} % less than GPU compute ({_ms(compute)})."
        causes = list(_less_than_compute(plan, measures, flags))
    else:
        sentence, causes = f"{begin}, as much as GPU compute ({_ms(compute)}).", []
    if causes:
        causes += _either_way(plan, measures, flags, samples)
    yield TimeDifference(LAYER_SUM, "GPU compute", ratio, sentence, tuple(causes))


def _more_than_compute(measures: Measures, flags: RunFlags, overhead: float | None) -> Iterator[str]:
    streams = (measures.stream_count or 0) > 1
    if streams:
        longest, compute = _comparable(measures.longest_stream, measures.compute)
        if longest is not None and compute is not None:
            yield (
                f"layers on {measures.stream_count} streams overlap, but the sum counts all of them; the longest "
                f"stream alone adds up to {_ms(longest)}"
            )
    if overhead is not None:
        words = f"{_micro(overhead)} for each of {counted(measures.serial_layers, 'timed layer')}"
        if overhead <= USUAL_OVERHEAD_MS:
            yield f"profiling overhead: {words}, which is usual (1 to 8 µs)"
        elif not streams:
            yield f"profiling overhead, but {words} is more than usual (1 to 8 µs): see below"
    if flags.cuda_graph:
        yield "per-query times were measured with a CUDA graph, without gaps between kernels; timed layers have gaps"


def _less_than_compute(plan: EnginePlan, measures: Measures, flags: RunFlags) -> Iterator[str]:
    untimed = len(plan.working_layers) - sum(time is not None for time in plan.times)
    if untimed:
        yield f"{counted(untimed, 'layer has', 'layers have')} no time in the profile"
    if plan.join is not None and plan.join.unmatched:
        yield f"{counted(len(plan.join.unmatched), 'profile record')} matches no layer and is not in the sum"
    if (measures.stream_count or 0) > 1:
        yield "layers on several streams wait for one another, and no layer's time includes waiting"
    if flags.cuda_graph is not True:
        yield "GPU compute includes the gaps between kernels that are launched one by one; no layer's time does"


def _either_way(plan: EnginePlan, measures: Measures, flags: RunFlags, samples: Samples) -> Iterator[str]:
    if measures.iterations is not None and measures.iterations < 10 and measures.layers.source == PROFILE:
        times = "a single iteration" if measures.iterations == 1 else f"{measures.iterations} iterations"
        yield f"the layers were timed in {times} only, so their variation is unknown"
    if flags.separate_profiling is False:
        yield "layers and inferences were timed in the same run (no --separateProfileRun): the profiler slows both"
    elif plan.layer_times is not None and plan.query_times is not None:
        yield "layers and inferences come from different runs, between which clocks and temperature change"
    if samples.steadiness.is_steady is False:
        yield f"the inferences themselves were not steady: {samples.steadiness.findings[0]}"
    if samples.throttling is not None and samples.throttling.was_slowed:
        yield f"the GPU was slowed meanwhile: {', '.join(samples.throttling.reasons)}"
    profile = profile_of_run(plan.engine, plan.metadata)
    for name, ran, optimum in shapes_off_optimum(flags, plan.engine.bindings, profile):
        yield f"the run used {name!r} of {ran}, but the engine was tuned for {optimum}"


def _ms(value: float) -> str:
    return f"{significant(value, 4)} ms" if value >= 0.1 else _micro(value)


def _micro(value: float) -> str:
    return f"{significant(value * 1000.0, 3)} µs"

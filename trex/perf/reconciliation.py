"""Measures → Reconciliation: why host, GPU and layers tell different times for the same inference."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trex.core.counted import counted
from trex.core.significant import significant
from trex.perf.measures import PROFILE, Measure, Measures, measures_of
from trex.perf.run_flags import RunFlags, run_flags, shapes_off_optimum
from trex.perf.samples.of_plan import Samples
from trex.perf.verdict import Verdict, verdict_of
from trex.plan.engine_plan import EnginePlan

ENQUEUE_BOUND = 0.8
"""trtexec's own threshold: its median enqueue time over its median compute time, above which it warns."""
USUAL_OVERHEAD_MS = 0.008
"""Timing one layer costs 1.6 to 7.5 µs on the eleven real engines at hand that show it; more has other causes."""
_ALIKE = 0.02
_SAME = 0.005


@dataclass(frozen=True, slots=True)
class Difference:
    """ratio: the first over the second time. sentence: what is seen; causes: why, as far as the files tell; those that
    are only possible say so.
    """

    first: str
    second: str
    ratio: float | None
    sentence: str
    causes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """overhead_per_layer_ms: (sum of the layers − GPU compute) / timed layers, None when unknown or not positive.

    is_enqueue_bound: the host hands work over more slowly than the GPU does it; None when unknown.
    """

    measures: Measures
    flags: RunFlags
    differences: tuple[Difference, ...]
    verdict: Verdict
    overhead_per_layer_ms: float | None = None
    is_enqueue_bound: bool | None = None


def reconcile(plan: EnginePlan, samples: Samples) -> Reconciliation:
    """Nothing raises; what is absent is unknown, and no difference is told that rests on it."""
    measures = measures_of(plan, samples)
    flags = run_flags(plan.metadata.inference_options)
    overhead = _overhead(measures)
    bound = _is_enqueue_bound(measures)
    found = (
        *_trace_and_summary(plan, samples),
        *_wall_and_latency(measures, flags, bound),
        *_latency_and_compute(measures, flags),
        *_enqueue_and_compute(measures, flags, bound),
        *_transfers(measures),
        *_layers_and_compute(plan, measures, flags, samples, overhead),
    )
    return Reconciliation(measures, flags, tuple(found), verdict_of(plan, measures, samples, overhead), overhead, bound)


def _overhead(measures: Measures) -> float | None:
    layers, compute = _alike(measures.layers, measures.compute)
    if layers is None or compute is None or not measures.timed_layers or layers <= compute:
        return None
    return (layers - compute) / measures.timed_layers


def _is_enqueue_bound(measures: Measures) -> bool | None:
    enqueue, compute = measures.enqueue.ms, measures.compute.ms
    return None if enqueue is None or not compute else enqueue > ENQUEUE_BOUND * compute


def _alike(first: Measure, second: Measure) -> tuple[float | None, float | None]:
    """Medians of both when both are known, else means of both."""
    if first.median_ms is not None and second.median_ms is not None:
        return first.median_ms, second.median_ms
    return first.mean_ms, second.mean_ms


def _trace_and_summary(plan: EnginePlan, samples: Samples) -> Iterator[Difference]:
    """trtexec computes its summary from the very trace it exports: where they differ, the files are of two runs."""
    summary, trace = plan.metadata.latency.get("GPU Compute Time"), samples.compute
    if summary is None or trace is None or not summary.median_ms:
        return
    ratio = trace.median_ms / summary.median_ms
    if abs(ratio - 1.0) > _SAME:
        yield Difference(
            "GPU compute of the trace",
            "GPU compute of trtexec's summary",
            ratio,
            f"The trace's median is {_ms(trace.median_ms)}, trtexec's summary says {_ms(summary.median_ms)}: the files "
            "are of different runs.",
            ("measure again, so that trace, summary and profile belong together",),
        )


def _wall_and_latency(measures: Measures, flags: RunFlags, bound: bool | None) -> Iterator[Difference]:
    flight, wall, latency = measures.in_flight, measures.wall.mean_ms, measures.latency.mean_ms
    if flight is None or wall is None or not latency:
        return
    causes: list[str] = []
    if flight > 1.0 + _ALIKE:
        sentence = (
            f"An inference takes {_ms(latency)}, and one is finished every {_ms(wall)}: {flight:.2f} are under way at "
            "once on average."
        )
        if (flags.streams or 1) > 1:
            causes.append(
                f"{flags.streams} inference streams ran at once: their latencies overlap, and each is longer than alone"
            )
        if flags.data_transfers and (measures.h2d.ms or 0.0) + (measures.d2h.ms or 0.0) > 0.0:
            causes.append("the transfers of one inference overlap the computation of another")
        causes = causes or ["an inference is enqueued while the one before it still runs"]
    elif flight < 1.0 - _ALIKE:
        busy = measures.busy
        idle = f", so the GPU computed {100 * busy:.0f} % of the time" if busy is not None and busy < 1.0 else ""
        gap = wall - latency
        sentence = f"One inference is finished every {_ms(wall)}, but takes only {_ms(latency)}{idle}."
        if bound:
            causes.append("the host enqueues more slowly than the GPU computes (below)")
        for pause, name in ((flags.sleep_ms, "sleep time"), (flags.idle_ms, "idle time")):
            if pause:
                causes.append(f"the run was told to pause: {name} of {pause:g} ms")
        if flags.spin_wait is False:
            causes.append("the host slept until the GPU had finished and woke up late (no --useSpinWait)")
        causes = causes or [f"between two inferences pass {_micro(gap)}: launch and synchronization, not computation"]
    else:
        sentence = f"One inference is finished every {_ms(wall)}, as long as it takes: the GPU hardly paused."
    yield Difference(measures.wall.label, measures.latency.label, wall / latency, sentence, tuple(causes))


def _latency_and_compute(measures: Measures, flags: RunFlags) -> Iterator[Difference]:
    latency, compute = _alike(measures.latency, measures.compute)
    if latency is None or not compute:
        return
    ratio = latency / compute
    moved = (measures.h2d.ms or 0.0) + (measures.d2h.ms or 0.0)
    if flags.data_transfers is False or (ratio <= 1.0 + 1e-3 and moved == 0.0):
        causes = ("an application that copies its data to and from the GPU for every inference pays for that too",)
        told = "were switched off" if flags.data_transfers is False else "took no time"
        yield Difference("latency", "GPU compute", ratio, f"Latency is GPU compute alone: transfers {told}.", causes)
        return
    share = 100.0 * (1.0 - compute / latency)
    yield Difference(
        "latency",
        "GPU compute",
        ratio,
        f"Of {_ms(latency)} of latency, {_ms(latency - compute)} ({share:.0f} %) are transfers to and from the GPU.",
    )


def _enqueue_and_compute(measures: Measures, flags: RunFlags, bound: bool | None) -> Iterator[Difference]:
    enqueue, compute = _alike(measures.enqueue, measures.compute)
    if enqueue is None or not compute or bound is None:
        return
    ratio = enqueue / compute
    causes: tuple[str, ...] = ()
    if bound:
        sentence = (
            f"The host needs {_ms(enqueue)} to enqueue what the GPU computes in {_ms(compute)} ({100 * ratio:.0f} %): "
            "the GPU may wait for the host."
        )
        if flags.cuda_graph is not True:
            causes = (
                "every kernel is launched by itself; --useCudaGraph launches them as one (default of TensorRT 11)",
            )
        else:
            causes = ("although a CUDA graph was used: the host itself may be slow or busy",)
    else:
        graph = " with one launch of a CUDA graph" if flags.cuda_graph else ""
        part = f"{100 * ratio:.1f} % of GPU compute"
        sentence = f"The host enqueues an inference in {_micro(enqueue)}{graph}, {part}: it keeps ahead."
    yield Difference("enqueue", "GPU compute", ratio, sentence, causes)


def _transfers(measures: Measures) -> Iterator[Difference]:
    compute = measures.compute.ms
    for measure in (measures.h2d, measures.d2h):
        if compute and measure.ms is not None and measure.ms > compute:
            yield Difference(
                measure.label,
                "GPU compute",
                measure.ms / compute,
                f"The transfer {measure.label} takes {_ms(measure.ms)}, longer than computing ({_ms(compute)}): it "
                "bounds the throughput.",
                ("measure without transfers, or keep the data on the GPU",),
            )


def _layers_and_compute(
    plan: EnginePlan, measures: Measures, flags: RunFlags, samples: Samples, overhead: float | None
) -> Iterator[Difference]:
    layers, compute = _alike(measures.layers, measures.compute)
    if layers is None or not compute:
        return
    ratio = layers / compute
    percent = 100.0 * abs(ratio - 1.0)
    which = (
        "medians" if measures.layers.median_ms is not None and measures.compute.median_ms is not None else "averages"
    )
    begin = f"The layers' {which} sum to {_ms(layers)}"
    if ratio > 1.0 + _ALIKE:
        sentence = f"{begin}, {percent:.0f} % more than GPU compute ({_ms(compute)})."
        causes = list(_more_than_compute(measures, flags, overhead))
    elif ratio < 1.0 - _ALIKE:
        sentence = f"{begin}, {percent:.0f} % less than GPU compute ({_ms(compute)})."
        causes = list(_less_than_compute(plan, measures, flags))
    else:
        sentence, causes = f"{begin}, as much as GPU compute ({_ms(compute)}).", []
    if causes:
        causes += _either_way(plan, measures, flags, samples)
    yield Difference("sum of the layers", "GPU compute", ratio, sentence, tuple(causes))


def _more_than_compute(measures: Measures, flags: RunFlags, overhead: float | None) -> Iterator[str]:
    streams = (measures.stream_count or 0) > 1
    if streams:
        longest, compute = _alike(measures.longest_stream, measures.compute)
        if longest is not None and compute is not None:
            yield (
                f"layers run on {measures.stream_count} streams and overlap, while the sum counts each of them; the "
                f"longest stream alone sums to {_ms(longest)}"
            )
    if overhead is not None:
        words = f"{_micro(overhead)} for each of {counted(measures.timed_layers, 'timed layer')}"
        if overhead <= USUAL_OVERHEAD_MS:
            yield f"timing every layer costs time: {words}, which is usual (1 to 8 µs)"
        elif not streams:
            yield f"timing every layer costs time, but {words} is more than that (1 to 8 µs is usual): see below"
    if flags.cuda_graph:
        yield "the trace was measured with a CUDA graph, which leaves no gaps between kernels; timed layers have them"


def _less_than_compute(plan: EnginePlan, measures: Measures, flags: RunFlags) -> Iterator[str]:
    untimed = len(plan.layers) - sum(time is not None for time in plan.times)
    if untimed:
        yield f"{counted(untimed, 'layer has', 'layers have')} no time in the profile"
    if plan.join is not None and plan.join.unmatched:
        yield f"{counted(len(plan.join.unmatched), 'profile record')} found no layer and is not in the sum"
    if (measures.stream_count or 0) > 1:
        yield "layers on several streams wait for one another, and waiting is no layer's time"
    if flags.cuda_graph is not True:
        yield "gaps between kernels, as they are launched one by one, are GPU compute and no layer's time"


def _either_way(plan: EnginePlan, measures: Measures, flags: RunFlags, samples: Samples) -> Iterator[str]:
    if measures.iterations is not None and measures.iterations < 10 and measures.layers.source == PROFILE:
        times = "a single iteration" if measures.iterations == 1 else f"{measures.iterations} iterations"
        yield f"the layers were timed in {times} only, which tells nothing of their scatter"
    if flags.separate_profiling is False:
        yield "layers and inferences were timed in the same run (no --separateProfileRun): the profiler slows both"
    elif plan.layer_times is not None and plan.query_times is not None:
        yield "layers and inferences come from different runs, between which clocks and temperature change"
    if samples.steadiness.is_steady is False:
        yield f"the inferences were not steady themselves: {samples.steadiness.findings[0]}"
    if samples.throttling is not None and samples.throttling.was_slowed:
        yield f"the GPU was slowed meanwhile: {', '.join(samples.throttling.reasons)}"
    for name, ran, optimum in shapes_off_optimum(flags, plan.build_metadata.build_options):
        yield f"the run used {name!r} of {ran}, the engine was tuned for {optimum}"


def _ms(value: float) -> str:
    return f"{significant(value, 4)} ms" if value >= 0.1 else _micro(value)


def _micro(value: float) -> str:
    return f"{significant(value * 1000.0, 3)} µs"

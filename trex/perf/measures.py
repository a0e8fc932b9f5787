"""EnginePlan and Samples → Measures: the time of one inference as the host, the GPU and the layers measured it."""

from __future__ import annotations

from dataclasses import dataclass

from trex.core.metadata import LatencySummary
from trex.perf.samples.plan_samples import Samples
from trex.perf.samples.statistics import ALL_ZERO, SampleStatistics
from trex.plan.engine_plan import EnginePlan
from trex.plan.throughput import queries_per_s
from trex.plan.time_notes import ENQUEUE_CONTRADICTS, TRANSFERS_CONTRADICT

TRACE, SUMMARY, PROFILE = "per-query times", "trtexec's summary", "layer profile"
CONTRADICTED_SUMMARY = "trtexec's summary contradicts itself or the per-query times"
"""Why the enqueue time or the transfers are unknown, though the files have one."""
_COARSE = 0.1


@dataclass(frozen=True, slots=True)
class Measure:
    """One quantity per inference, in milliseconds; None if unknown, with the reason. source: the file it comes from."""

    label: str
    median_ms: float | None = None
    mean_ms: float | None = None
    source: str = ""
    reason: str = ""

    @property
    def ms(self) -> float | None:
        """The median, else the mean."""
        return self.median_ms if self.median_ms is not None else self.mean_ms


@dataclass(frozen=True, slots=True)
class Measures:
    """From the host to the layers. wall: host time per query, 1 / throughput. layers: sum of all layers' times;
    longest_stream: the same of the stream with the largest sum, unknown if layers have no streams.

    throughput: queries per second. stream_count: number of streams, None if no layer has one. timed_layers: layers with
    a time, serial_layers: those of the longest stream, all without streams. iterations: of the profile, None if
    unknown.
    """

    wall: Measure
    latency: Measure
    enqueue: Measure
    h2d: Measure
    compute: Measure
    d2h: Measure
    layers: Measure
    longest_stream: Measure
    throughput: float | None = None
    stream_count: int | None = None
    timed_layers: int = 0
    iterations: int | None = None
    serial_layers: int = 0

    @property
    def serial(self) -> Measure:
        """The sum of layers that run one after the other: of the longest stream where there are several, else all."""
        return self.longest_stream if (self.stream_count or 0) > 1 else self.layers

    @property
    def in_order(self) -> tuple[Measure, ...]:
        """From the host down to the layers, in order of display."""
        streams = (self.longest_stream,) if (self.stream_count or 0) > 1 else ()
        return (self.wall, self.latency, self.enqueue, self.h2d, self.compute, self.d2h, self.layers, *streams)

    @property
    def in_flight(self) -> float | None:
        """Inferences in flight on average, throughput × mean latency (Little 1961); None if unknown."""
        if self.throughput is None or self.latency.mean_ms is None:
            return None
        return self.throughput * self.latency.mean_ms / 1000.0

    @property
    def busy(self) -> float | None:
        """Share of the wall time in which the GPU computed, throughput × mean compute time; above 1 if inferences
        overlap. None if unknown.
        """
        if self.throughput is None or self.compute.mean_ms is None:
            return None
        return self.throughput * self.compute.mean_ms / 1000.0


def measures_of(plan: EnginePlan, samples: Samples) -> Measures:
    """From the per-query times if they have the column, else from trtexec's own summary; layers from the profile."""
    throughput = queries_per_s(plan.metadata)
    wall = Measure("host wall time per inference", reason="no trtexec summary")
    if throughput is not None:
        wall = Measure(wall.label, None, 1000.0 / throughput, SUMMARY)
    latency = plan.metadata.latency
    layers, longest, streams, timed, serial = _layers(plan)
    to, back = (
        samples.columns.get(new) or samples.columns.get(old) for new, old in (("h2dMs", "inMs"), ("d2hMs", "outMs"))
    )
    enqueue = _measure("enqueue", samples.columns.get("enqueueMs"), latency.get("Enqueue Time"))
    h2d = _transfer("host to device", to, latency.get("H2D Latency"))
    d2h = _transfer("device to host", back, latency.get("D2H Latency"))
    odd = {note.code for note in plan.notes if note.severity == "problem"}
    if ENQUEUE_CONTRADICTS in odd:
        enqueue = Measure(enqueue.label, reason=CONTRADICTED_SUMMARY)
    if TRANSFERS_CONTRADICT in odd:
        h2d, d2h = (
            Measure(side.label, reason=CONTRADICTED_SUMMARY) if side.source == SUMMARY else side for side in (h2d, d2h)
        )
    return Measures(
        wall,
        _measure("latency", samples.columns.get("latencyMs"), latency.get("Latency")),
        enqueue,
        h2d,
        _measure("GPU compute", samples.columns.get("computeMs"), latency.get("GPU Compute Time")),
        d2h,
        layers,
        longest,
        throughput,
        streams,
        timed,
        plan.layer_times.count if plan.layer_times is not None else None,
        serial,
    )


def _transfer(label: str, column: SampleStatistics | None, summary: LatencySummary | None) -> Measure:
    """Transfers of 0 ms did not happen, which is known."""
    if column is not None and column.reason == ALL_ZERO:
        return Measure(label, 0.0, 0.0, TRACE)
    return _measure(label, column, summary)


def _measure(label: str, column: SampleStatistics | None, summary: LatencySummary | None) -> Measure:
    is_coarse = column is not None and (column.step_ms or 0.0) > _COARSE * max(column.median_ms, 0.0)
    if column is not None and column.count and not (is_coarse and summary is not None):
        return Measure(label, column.median_ms, column.mean_ms, TRACE)
    if summary is not None and (summary.median_ms is not None or summary.mean_ms is not None):
        return Measure(label, summary.median_ms, summary.mean_ms, SUMMARY)
    return Measure(label, reason=column.reason if column is not None else "no per-query times and no summary of a run")


def _layers(plan: EnginePlan) -> tuple[Measure, Measure, int | None, int, int]:
    label, longest = "sum of the layers", "longest stream of layers"
    if not plan.is_profiled:
        none = "no layer profile (--exportProfile)"
        return Measure(label, reason=none), Measure(longest, reason=none), None, 0, 0
    known = [(layer, time) for layer, time in zip(plan.working_layers, plan.times) if time is not None]
    averages = [(layer.stream, time.average_ms) for layer, time in known if time.average_ms is not None]
    medians = [(layer.stream, time.ms or 0.0) for layer, time in known if time.median_ms is not None]
    if not averages and not medians:
        return Measure(label, reason="no layer has a time"), Measure(longest, reason="no layer has a time"), None, 0, 0
    streams = {layer.stream for layer in plan.working_layers if layer.stream is not None}
    whole = Measure(label, _total(medians, len(averages)), _total(averages, 0), PROFILE)
    part = Measure(longest, reason="no streams in the file")
    timed = serial = max(len(averages), len(medians))
    if streams:
        sums: dict[int | None, float] = {}
        for stream, ms in averages:
            sums[stream] = sums.get(stream, 0.0) + ms
        slowest = max(sums, key=lambda stream: sums[stream], default=None)
        own = [pair for pair in medians if pair[0] == slowest]
        behind = sum(stream == slowest for stream, _ in averages)
        part = Measure(longest, _total(own, behind), sums.get(slowest), PROFILE)
        serial = max(behind, len(own)) if len(streams) > 1 else timed
    return whole, part, len(streams) or None, timed, serial


def _total(pairs: list[tuple[int | None, float]], at_least: int) -> float | None:
    """Sum of the times; None without any, or with fewer of them than averages."""
    return sum(ms for _, ms in pairs) if pairs and len(pairs) >= at_least else None

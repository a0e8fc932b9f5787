"""Times of one inference from several files → Notes where they contradict each other: other units, or damaged numbers.

A file in µs or s that is read as ms has no wrong number of its own; only other times of the same inference show it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from trex.core.metadata import Metadata
from trex.core.note import Note
from trex.core.significant import significant
from trex.core.timings import LayerTimes, QueryTimes
from trex.plan.gaps import enqueue_share, has_no_gaps, inference_streams, queries_at_once
from trex.plan.iteration_levels import two_levels
from trex.plan.profile_contradictions import of_profile, too_short
from trex.plan.query_contradictions import copied_queries, enqueue_times, of_queries
from trex.plan.throughput import queries_per_s
from trex.plan.throughput_contradictions import other_throughput
from trex.plan.time_notes import (
    CONTRADICTED,
    ENQUEUE_CONTRADICTS,
    ONE_RUN,
    OTHER_RUN,
    OTHER_UNIT,
    SAME_RUN,
    TIMES_CONTRADICT,
    TWO_RUNS,
    WRONG_TIMES,
)

USUAL_OVERHEAD_MS = 0.008
"""Overhead of timing one layer: 1.6 to 7.5 µs on eleven real engines; more has other causes."""
_OTHER_CLOCKS = 1.15
"""GPU compute without gaps is no longer than the layers at the same clocks."""
_HOST_BOUND = 0.8
"""Share of GPU compute in which the host enqueues, from which on the layers may take any part of it. Our choice."""
_CERTAIN = 2.0
"""What no clocks of a busy GPU explain either."""
_RARE, _IMPOSSIBLE = 2.5, 10.0
"""Times GPU compute that the layers of one stream take, by more than timing them costs, and at all: at most 1.76 on 18
real engines. A kernel takes 1 µs at least, and timing it 8 at most. Layers of all streams may take more."""
_BY_QUERY, _BY_SUMMARY = "GPU compute by the per-query times is", "GPU compute by trtexec's summary is"
_LAYERS, _LATENCY = "the layers add up to", "the latency is"
_UNIT = (300.0, 3000.0)
"""Around 1000, since the files may be of two runs."""


@dataclass(frozen=True, slots=True)
class _Time:
    """Of one inference. words: the beginning of a sentence. source: its file. is_wall: inferences that pause take less,
    so only longer times contradict it. least: how many times another one it is if they contradict each other.
    """

    words: str
    ms: float
    source: str
    is_wall: bool = False

    @property
    def least(self) -> float:
        return math.inf if self.is_wall else _UNIT[0] if self.words == _LATENCY else CONTRADICTED  # copies take long


def contradictions(
    layer_times: LayerTimes | None,
    query_times: QueryTimes | None,
    metadata: Metadata,
    on_streams: Sequence[Sequence[float]] = (),
    *,
    is_whole: bool = False,
) -> tuple[Note, ...]:
    """One Note of a kind; after one that leaves no time to be believed, no other is looked for but those on copied
    queries, on enqueue times and on the layer profile's zeros, totals and percentages.

    on_streams: ms of the layers of each of several streams, which run at the same time. is_whole: whether every layer
    has a record.
    """
    notes: dict[str, Note] = {}
    for check in _checks(layer_times, query_times, metadata, on_streams):
        for note in check:
            if note.code not in notes or notes[note.code].severity != "problem":
                notes[note.code] = note
        if any(note.code in WRONG_TIMES and note.severity == "problem" for note in notes.values()):
            break
    more: list[Note] = []
    if query_times is not None:
        more += copied_queries(query_times)
    if layer_times is not None:
        more += of_profile(layer_times, is_whole=is_whole)
    if query_times is not None and ENQUEUE_CONTRADICTS not in notes:
        more += enqueue_times(query_times, metadata)
    return (*notes.values(), *more)


def _checks(
    layer_times: LayerTimes | None,
    query_times: QueryTimes | None,
    metadata: Metadata,
    on_streams: Sequence[Sequence[float]],
) -> Iterator[Iterator[Note]]:
    """The one that says most first."""
    known = [time for time in _known(layer_times, query_times, metadata) if 0.0 < time.ms < math.inf]
    if layer_times is not None:
        yield two_levels(layer_times)
    yield _off_by_a_factor(known)
    yield _of_two_runs(known)
    if layer_times is not None:
        longest = _OTHER_CLOCKS if has_no_gaps(query_times, metadata) else OTHER_RUN
        if (enqueue_share(query_times, metadata) or 0.0) > _HOST_BOUND:
            longest = CONTRADICTED
        streams = inference_streams(metadata) or queries_at_once(query_times) or 0.0
        longest *= max(1.0, streams)  # queries of several streams share the GPU
        yield _of_two_engines(known, layer_times, on_streams, longest, is_alone=streams == 1.0)
    yield other_throughput(query_times, metadata)
    yield from of_queries(query_times, metadata)
    if layer_times is not None:
        yield too_short(layer_times)


def _known(layer_times: LayerTimes | None, query_times: QueryTimes | None, metadata: Metadata) -> Iterator[_Time]:
    if layer_times is not None:
        yield _Time(_LAYERS, math.fsum(record.ms or 0.0 for record in layer_times.records), layer_times.source)
    if query_times is not None:
        columns, source = query_times.columns, query_times.source
        yield _Time(_BY_QUERY, _median(columns.get("computeMs", ())), source)
        between = [
            end - start for start, end in zip(columns.get("startComputeMs", ()), columns.get("endComputeMs", ()))
        ]
        yield _Time("GPU compute by its start and end is", _median(between), source)
    source = next(iter(metadata.sources), "")
    if (summary_ms := _summary_ms(metadata, "GPU Compute Time")) is not None:
        yield _Time(_BY_SUMMARY, summary_ms, source)
    elif query_times is None or "computeMs" not in query_times.columns:
        if query_times is not None and "latencyMs" in query_times.columns:
            yield _Time(_LATENCY, _median(query_times.columns["latencyMs"]), query_times.source)
        elif (latency_ms := _summary_ms(metadata, "Latency")) is not None:
            yield _Time(_LATENCY, latency_ms, source)
    throughput = queries_per_s(metadata)
    if throughput is not None:
        yield _Time("the wall time by its throughput is", 1000.0 / throughput, source, is_wall=True)


def _summary_ms(metadata: Metadata, line: str) -> float | None:
    summary = metadata.latency.get(line)
    return None if summary is None else (summary.mean_ms if summary.median_ms is None else summary.median_ms) or 0.0


def _off_by_a_factor(known: Sequence[_Time]) -> Iterator[Note]:
    pairs = [(high, low) for high in known for low in known if high.ms > high.least * low.ms]
    if not pairs:
        return
    high, low = max(pairs, key=lambda pair: pair[0].ms / pair[1].ms)
    ratio = high.ms / low.ms
    message = f"{high.words} {_ms(high)}, {low.words} {_ms(low)}: {significant(ratio, 2)} times"
    if _UNIT[0] < ratio < _UNIT[1]:
        message += ", as if one of them were not in milliseconds"
    odd = [time for time in known if all(time in pair for pair in pairs)] if len(pairs) > 1 else []
    if len(odd) == 1:
        message += f"; {len(pairs)} times contradict that {odd[0].words} {_ms(odd[0])}"
    source = odd[0].source if len(odd) == 1 else high.source
    yield Note(TIMES_CONTRADICT, message, OTHER_UNIT, source, "problem")


def _of_two_runs(known: Sequence[_Time]) -> Iterator[Note]:
    """The per-query times and trtexec's summary say the same time of the same run, so others are of two runs."""
    ends = {time.words: time for time in known}
    query, summary = ends.get(_BY_QUERY), ends.get(_BY_SUMMARY)
    if query and summary and max(query.ms, summary.ms) > SAME_RUN * min(query.ms, summary.ms):
        message = f"{query.words} {_ms(query)}, {summary.words} {_ms(summary)}: these are two runs, or two engines"
        yield Note(TWO_RUNS, message, ONE_RUN, query.source, "problem")


def _of_two_engines(
    known: Sequence[_Time],
    layer_times: LayerTimes,
    on_streams: Sequence[Sequence[float]],
    longest: float,
    *,
    is_alone: bool,
) -> Iterator[Note]:
    """The layers of one stream, at the same clocks, take GPU compute at most and what timing them costs. longest: how
    many times the layers GPU compute may take. is_alone: whether the run had one stream, so that GPU compute takes the
    wall time at most; the latency it takes at most in any case.
    """
    ends = {time.words: time for time in known}
    wall = next((time for time in known if time.is_wall and is_alone), None)
    most = ends.get(_LATENCY) or wall
    layers, compute = ends.get(_LAYERS), ends.get(_BY_QUERY) or ends.get(_BY_SUMMARY) or most
    if layers is None or compute is None:
        return
    shares = [record.share_pct for record in layer_times.records]
    is_cut = all(share is not None for share in shares) and math.fsum(share or 0.0 for share in shares) < 99.0
    times = max(on_streams, key=math.fsum, default=[record.ms for record in layer_times.records if record.ms])

    def are_over(factor: float) -> bool:
        """Whether the layers take more than so many times GPU compute, without as many times the cost of timing."""
        return math.fsum(max(0.0, ms - factor * USUAL_OVERHEAD_MS) for ms in times) > factor * compute.ms

    total_ms = math.fsum(times)
    most_ms = max(_RARE * compute.ms, compute.ms + USUAL_OVERHEAD_MS * len(times))
    is_rare = total_ms > most_ms or layers.ms > _IMPOSSIBLE * compute.ms
    if are_over(OTHER_RUN) or is_rare or (compute.ms > longest * layers.ms and not is_cut and compute != most):
        part = f" ({significant(total_ms, 3)} ms on one stream)" if on_streams else ""
        message = (
            f"{compute.words} {_ms(compute)}, {layers.words} {_ms(layers)}{part}: two runs at other clocks, or two "
            "engines"
        )
        # Gaps between layers may lengthen GPU compute, and nothing layers.
        is_certain = are_over(_CERTAIN) or total_ms > _IMPOSSIBLE * compute.ms
        severity = "problem" if is_certain else "warning"
        yield Note(TWO_RUNS, message, ONE_RUN, compute.source, severity)


def _median(values: Iterable[float]) -> float:
    """0 without a number."""
    known = [value for value in values if math.isfinite(value)]
    return median(known) if known else 0.0


def _ms(time: _Time) -> str:
    return f"{significant(time.ms, 3)} ms"

"""trtexec's throughput → Notes where the queries, the total times or GPU compute of the same run contradict it."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from trex.core.counted import counted
from trex.core.metadata import Metadata
from trex.core.note import Note
from trex.core.significant import significant
from trex.core.timings import QueryTimes, is_possible_throughput
from trex.ingest.spelling.written_number import written_number
from trex.plan.gaps import inference_streams
from trex.plan.throughput import items_of_query
from trex.plan.time_notes import (
    OTHER_RUN,
    OTHER_UNIT,
    SHORTEST_MS,
    THROUGHPUT_CONTRADICTS,
    TOTAL_COMPUTE,
    TOTAL_WALL,
)

THROUGHPUT_OF_ITEMS = "throughput-of-items"
_SAME_RATE, _OTHER_RATE = 1.005, 1.11
"""The throughput that trtexec prints is that of the same queries: within 0.01 % on 13 real engines. With a warm-up of
unknown length, or of a part of the queries, it is within 2.3 %."""
_FEW_QUERIES = 20
_IN_FLIGHT = 4.5
"""Latencies that one stream has at the same time: of copying to the GPU, GPU compute and copying back; and half."""


def other_throughput(query_times: QueryTimes | None, metadata: Metadata) -> Iterator[Note]:
    """Queries per second by the queries themselves; else GPU compute says how many one stream can do at most."""
    stated, source = written_number(metadata.performance.get("Throughput")), next(iter(metadata.sources), "")
    if stated is None:
        return
    if not is_possible_throughput(stated):
        message = f"the throughput is {stated:.4g} queries/s; it was left out"
        yield Note(THROUGHPUT_CONTRADICTS, message, OTHER_UNIT, source)
        return
    if (items := items_of_query(metadata)) > 1:
        message = f"the throughput counts {items:,} items a query: {significant(stated, 4)} items/s"
        yield Note(THROUGHPUT_OF_ITEMS, message, "", source, "info")
        stated /= items
    words = f"the throughput is {significant(stated, 4)} queries/s"
    rates = [
        (*rate, whose)
        for rate, whose in ((_rate_of(query_times), "the queries"), (_rate_by_totals(metadata), "the total times"))
        if rate
    ]
    for rate, factor, whose in rates:
        if not 1.0 / factor <= stated / rate <= factor:
            message = f"{words}, but {whose} of the run give {significant(rate, 4)}"
            yield Note(THROUGHPUT_CONTRADICTS, message, OTHER_UNIT, source, "problem")
            return
    streams = inference_streams(metadata)
    if rates and not streams:
        return
    what, ms, most = "GPU compute", _mean_ms(query_times, metadata, "computeMs", "GPU Compute Time"), OTHER_RUN
    if ms is None:
        what, ms, most = "the latency", _mean_ms(query_times, metadata, "latencyMs", "Latency"), _IN_FLIGHT
    if ms is not None and stated * ms > 1000.0 * most * max(streams, 1):
        at_once = f"{significant(stated * ms / 1000.0, 2)} queries ran at the same time"
        why = (
            f"{at_once} on {counted(int(streams), 'stream')}"
            if streams
            else f"if it is right, {at_once} on as many streams"
        )
        message = f"{words} and {what} {significant(ms, 3)} ms: {why}"
        yield Note(THROUGHPUT_CONTRADICTS, message, OTHER_UNIT, source, "problem" if streams else "warning")


def _mean_ms(query_times: QueryTimes | None, metadata: Metadata, column: str, line: str) -> float | None:
    """Of all queries: times their rate, it is how many run at the same time."""
    times = np.asarray(() if query_times is None else query_times.columns.get(column, ()), dtype=np.float64)
    times, summary = times[np.isfinite(times)], metadata.latency.get(line)
    mean = float(times.mean()) if len(times) else None if summary is None else summary.mean_ms
    return mean if mean is not None and 0.0 < mean < math.inf else None


def _rate_of(query_times: QueryTimes | None) -> tuple[float, float] | None:
    """(queries per second, the factor by which others are of other queries), from the first start to the end of the
    last query to start, as trtexec counts; None if unknown.

    Source: ``printPerformanceReport`` in samples/common/sampleReporting.cpp of TensorRT 8.6.
    """
    if query_times is None:
        return None
    columns, first = query_times.columns, query_times.warm_up_rows or 0
    spans = [("startH2dMs", "endD2hMs"), ("startComputeMs", "endComputeMs")]
    span = next((keys for keys in spans if all(key in columns for key in keys)), None)
    if span is None:
        return None
    starts, ends = (np.asarray(columns[key], dtype=np.float64)[first:] for key in span)
    known = np.isfinite(starts) & np.isfinite(ends)
    starts, ends = starts[known], ends[known]
    if len(starts) < _FEW_QUERIES:
        return None
    last = starts.argmax()
    span_ms, last_ms = float(ends[last] - starts.min()), float(ends[last] - starts[last])
    if not span_ms > 0.0:
        return None
    is_whole = query_times.warm_up_rows is not None and not _is_known_part(query_times)
    return 1000.0 * len(starts) / span_ms, _SAME_RATE + last_ms / span_ms if is_whole else _OTHER_RATE


def _is_known_part(query_times: QueryTimes) -> bool:
    """Torn files say that they are."""
    return query_times.is_part or any(note.severity == "problem" for note in query_times.notes)


def _rate_by_totals(metadata: Metadata) -> tuple[float, float] | None:
    """(queries per second, the factor by which others are of other queries), their number being the total of GPU
    compute over its mean, which a script may round; None if unknown.
    """
    summary = metadata.latency.get("GPU Compute Time")
    mean = None if summary is None else summary.mean_ms
    total, wall = (written_number(metadata.performance.get(key)) for key in (TOTAL_COMPUTE, TOTAL_WALL))
    if not mean or total is None or not wall or total / mean <= 0.0 or wall <= 0.0:
        return None
    return 1000.0 * total / mean / wall, _SAME_RATE + min(SHORTEST_MS / mean, _OTHER_RATE - _SAME_RATE)

"""Times of the queries → whether GPU compute has gaps, in which the GPU waits for the host or works for others."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from statistics import median

import numpy as np
from numpy.typing import NDArray

from trex.core.metadata import Metadata
from trex.core.timings import QueryTimes
from trex.ingest.spelling.written_number import written_number

NO_GAPS = 0.5
"""Share of GPU compute in which the host enqueues an inference, up to which the GPU does not wait for it."""
_OVERLAPPING = 0.1
"""Share of the queries that begin before the one before them ends: none in 13 real files of one stream."""
_STEADY = 0.9
"""Share of the queries that begin while as many others run. Our choice."""
_STREAMS = ("Inference Streams", "Streams")  # since TensorRT 8.6, and before


def has_no_gaps(query_times: QueryTimes | None, metadata: Metadata) -> bool:
    """Whether GPU compute has no gaps: one stream, and a host that enqueues in half of the time. Unknown is no."""
    share = enqueue_share(query_times, metadata)
    is_alone = inference_streams(metadata) == 1.0 or do_queries_overlap(query_times) is False
    return is_alone and share is not None and 0.0 <= share < NO_GAPS


def enqueue_share(query_times: QueryTimes | None, metadata: Metadata) -> float | None:
    """Of GPU compute, in which the host enqueues the inference; about 1 if the GPU waits for it. None if unknown."""
    columns = {} if query_times is None else query_times.columns
    host, gpu = (_spans(columns, end, key) for end, key in (("Enq", "enqueueMs"), ("Compute", "computeMs")))
    lines = [metadata.latency.get(line) for line in ("Enqueue Time", "GPU Compute Time")]
    enqueue, compute = (
        median(spans) if spans else line.median_ms if line else None
        for spans, line in zip((host, gpu), lines, strict=True)
    )
    return enqueue / compute if enqueue is not None and compute else None


def do_queries_overlap(query_times: QueryTimes | None) -> bool | None:
    """Whether the GPU computes several queries at the same time; None without the points in time."""
    running = _running(query_times)
    return None if running is None else float(np.mean(running > 1)) >= _OVERLAPPING


def queries_at_once(query_times: QueryTimes | None) -> int | None:
    """How many queries the GPU computes at the same time; 0 if several, whose number varies; None without the points in
    time.
    """
    running = _running(query_times)
    if running is None:
        return None
    if float(np.mean(running > 1)) < _OVERLAPPING:
        return 1
    usual = round(float(np.median(running)))
    return usual if usual > 1 and float(np.mean(running == usual)) > _STEADY else 0


def _running(query_times: QueryTimes | None) -> NDArray[np.int64] | None:
    """Queries that run when one begins, it included, in order of their beginnings."""
    columns = {} if query_times is None else query_times.columns
    stamps = [np.asarray(columns.get(f"{end}ComputeMs", ()), dtype=np.float64) for end in ("start", "end")]
    if len(stamps[0]) != len(stamps[1]):
        return None
    known = np.isfinite(stamps[0]) & np.isfinite(stamps[1])
    starts, ends = (np.sort(column[known]) for column in stamps)
    if len(starts) < 2:
        return None
    begun, ended = (np.searchsorted(column, starts, side="right") for column in (starts, ends))
    running: NDArray[np.int64] = begun - ended
    return running


def inference_streams(metadata: Metadata) -> float:
    """0.0 if unknown."""
    counts = (written_number(metadata.inference_options.get(key)) for key in _STREAMS)
    return next((count for count in counts if count is not None and count >= 1.0), 0.0)


def _spans(columns: Mapping[str, array[float]], end: str, key: str) -> list[float]:
    """From start to end, in ms, of each query; empty if unknown."""
    starts, ends = (columns.get(f"{side}{end}Ms", ()) for side in ("start", "end"))
    spans = columns.get(key) or [after - before for before, after in zip(starts, ends)]
    return [ms for ms in spans if math.isfinite(ms)]

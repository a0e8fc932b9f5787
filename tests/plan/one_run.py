"""The times of one run, as its layer profile, its queries and trtexec's summary give them."""

from __future__ import annotations

from array import array
from dataclasses import replace

from trex.core.metadata import LatencySummary, Metadata
from trex.core.note import Note
from trex.core.timings import LayerTime, LayerTimes, QueryTimes

COUNT = 10


def profile(scale: float = 1.0, share: float | None = None, averages: float = 1.0) -> LayerTimes:
    """Four layers of 0.1 to 0.4 ms, 1 ms together."""
    records = [
        LayerTime(
            name, 0, ms * COUNT * scale, ms * scale * averages, ms * scale, 100.0 * ms if share is None else share
        )
        for name, ms in zip("abcd", (0.1, 0.2, 0.3, 0.4))
    ]
    return LayerTimes(tuple(records), COUNT, "m.profile.json")


def trace(scale: float = 1.0, spread: float = 1.0) -> QueryTimes:
    starts = [index * 1.0 for index in range(50)]
    columns = {
        "startComputeMs": array("d", [scale * start for start in starts]),
        "endComputeMs": array("d", [scale * (start + 0.9 * spread) for start in starts]),
        "computeMs": array("d", [scale * 0.9] * 50),
    }
    return QueryTimes(columns, 0, "m.timing.json")


def summary(scale: float = 1.0, throughput: float = 1000.0) -> Metadata:
    line = LatencySummary(0.9 * scale, 0.9 * scale, 0.9 * scale, 0.9 * scale)
    return Metadata(performance={"Throughput": throughput}, latency={"GPU Compute Time": line}, sources=("m.log",))


def only(notes: tuple[Note, ...]) -> Note:
    (note,) = notes
    return note


def scaled(times: LayerTimes, factor: float) -> LayerTimes:
    def of(ms: float | None) -> float | None:
        return None if ms is None else ms * factor

    changed = [
        replace(record, total_ms=of(record.total_ms), average_ms=of(record.average_ms), median_ms=of(record.median_ms))
        for record in times.records
    ]
    return replace(times, records=tuple(changed))

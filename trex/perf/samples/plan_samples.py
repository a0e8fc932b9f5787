"""EnginePlan → Samples: statistics of its per-query times and the GPU's telemetry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from trex.core.timings import HOST_MS, QueryTimes
from trex.perf.samples.series import Floats, clock_step_ms
from trex.perf.samples.spread import LABELS
from trex.perf.samples.statistics import SampleStatistics, statistics_of
from trex.perf.samples.steadiness import Steadiness, steadiness_of
from trex.perf.samples.throttling import Throttling, throttling_of
from trex.plan.engine_plan import EnginePlan

COLUMNS = {
    "latencyMs": "latency",
    "computeMs": "GPU compute",
    "enqueueMs": "enqueue",
    "h2dMs": "host to device",
    "inMs": "host to device",
    "d2hMs": "device to host",
    "outMs": "device to host",
    "endToEndMs": "end to end",
    HOST_MS: "on the host, by Polygraphy",
}
"""Per-query durations in their order of display, {key: words}. ``enqueueMs`` is endEnqMs − startEnqMs."""
_ENDS = ("endComputeMs", "endD2hMs", "endOutMs")
_DIGITS = 6
_NOT_USABLE = "the per-query times are not usable"


@dataclass(frozen=True)
class Samples:
    """columns: {key: statistics} in the order of COLUMNS, without absent ones. throttling: None without telemetry.
    reason: why there is no main column, else "".
    """

    columns: Mapping[str, SampleStatistics] = field(default_factory=dict)
    throttling: Throttling | None = None
    reason: str = ""

    @property
    def compute(self) -> SampleStatistics | None:
        """Statistics of the GPU compute time, which compares engines; None if absent."""
        column = self.columns.get("computeMs")
        return column if column is not None and column.count else None

    @property
    def main(self) -> SampleStatistics | None:
        """The main column: GPU compute, else latency, else None."""
        latency = self.columns.get("latencyMs")
        return self.compute or (latency if latency is not None and latency.count else None)

    @cached_property
    def steadiness(self) -> Steadiness:
        """Of the main column."""
        return steadiness_of(self.main) if self.main is not None else Steadiness(None)


def samples_of(plan: EnginePlan) -> Samples:
    """The statistics of a plan's samples; never raises: what is absent is None with a reason."""
    queries = plan.query_times
    throttling = throttling_of(plan.telemetry) if plan.telemetry else None
    if queries is None or not len(queries):
        reason = "no per-query times (--exportTimes)" if queries is None else "the file of per-query times is empty"
        return Samples({}, throttling, reason)
    samples = Samples(columns_of(queries, tuple(_printed(plan))), throttling)
    if samples.main is not None:
        return samples
    is_host = set(queries.columns) == {HOST_MS}
    reason = "the only per-query times are Polygraphy's, on the host" if is_host else _NOT_USABLE
    return replace(samples, reason=reason)


def columns_of(queries: QueryTimes, more_labels: tuple[float, ...] = ()) -> dict[str, SampleStatistics]:
    """Statistics of every column of the per-query times, by key; equal columns share their statistics.

    more_labels: further percentiles. Without the warm-up rows, as in trtexec's summary.
    """
    warm_up = queries.warm_up_rows or 0
    labels = tuple(sorted({*LABELS, *more_labels}))
    statistics: dict[str, SampleStatistics] = {}
    arrays: dict[str, Floats] = {}
    step = _event_step(queries)
    for key, label in COLUMNS.items():
        is_enqueue = key == "enqueueMs"
        coarsest = _enqueue_step(queries) if is_enqueue else step
        values = duration_of(queries, key)
        if values is None:
            continue
        same = next((other for other, array in arrays.items() if np.array_equal(array, values)), None)
        arrays[key] = values
        if same is not None:
            own = replace(statistics[same], name=key, label=label)
        else:
            own = statistics_of(values, key, label, warm_up, coarsest, is_enqueue, labels)
        statistics[key] = replace(own, unsteady_pct=queries.unsteady_pct.get(key, 0.0))
    return statistics


def _printed(plan: EnginePlan) -> set[float]:
    """Labels of the percentiles in trtexec's own summary."""
    return {label for summary in plan.metadata.latency.values() for label in summary.percentiles}


def _column(queries: QueryTimes, key: str) -> Floats | None:
    column = queries.columns.get(key)
    return np.asarray(column, dtype=np.float64) if column is not None and len(column) else None


def _event_step(queries: QueryTimes) -> float:
    """Durations are differences of events in single precision, counted from the start: no finer than the last one."""
    ends = next((column for key in _ENDS if (column := _column(queries, key)) is not None), None)
    return clock_step_ms(float(np.nanmax(ends))) if ends is not None and np.isfinite(ends).any() else 0.0


def duration_of(queries: QueryTimes, key: str) -> Floats | None:
    """A column of durations, None if it is missing. ``enqueueMs`` is computed, except in a baseline."""
    column = _column(queries, key)
    start, end = _column(queries, "startEnqMs"), _column(queries, "endEnqMs")
    if column is not None or key != "enqueueMs" or start is None or end is None:
        return column
    return np.round(end - start, 9)


def _enqueue_step(queries: QueryTimes) -> float:
    """The resolution of ``enqueueMs``: its ends are written with six digits, so 10 µs from a second on."""
    end = _column(queries, "endEnqMs")
    last = 0.0 if end is None else float(np.nanmax(np.abs(end), initial=0.0))
    return float(10.0 ** (np.floor(np.log10(last)) + 1 - _DIGITS)) if last > 0.0 else 0.0

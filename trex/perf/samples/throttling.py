"""Telemetry and per-query times → Throttling: what slowed the GPU during the measurement, and whether times show it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from trex.core.telemetry import Telemetry
from trex.perf.samples.series import Floats, spearman

STAGE = "profile"
CLOCK = "sm_clock_mhz"
FEWEST = 8
_BUSY_PCT = 50.0


@dataclass(frozen=True, slots=True)
class Throttling:
    """The GPU during the stage ``profile`` (the whole run if there is no such stage).

    slowed_s, watched_s: seconds of reduced clocks, and seconds observed. reasons: of the reduction. lowest_mhz,
    median_mhz, highest_mhz: of the SM clock while the GPU was busy (all readings if utilization is unknown); None if
    not read. correlation: Spearman's, of the clock and the median time of the samples meanwhile, −1 to 1 (−1: the
    slower the clock, the longer), over ``intervals``; None if unknown: correlation_reason says why.
    """

    slowed_s: float
    watched_s: float
    reasons: tuple[str, ...]
    lowest_mhz: float | None = None
    median_mhz: float | None = None
    highest_mhz: float | None = None
    correlation: float | None = None
    intervals: int = 0
    correlation_reason: str = ""

    @property
    def was_slowed(self) -> bool:
        return bool(self.reasons)

    @property
    def clock_range_pct(self) -> float | None:
        """(highest − lowest) / median, in percent; None when the clock was not read."""
        if self.lowest_mhz is None or self.highest_mhz is None or not self.median_mhz:
            return None
        return 100.0 * (self.highest_mhz - self.lowest_mhz) / self.median_mhz


def throttling_of(telemetry: Telemetry, starts_ms: Floats | None = None, times_ms: Floats | None = None) -> Throttling:
    """starts_ms: start of each sample from the start of the benchmark; times_ms: its duration.

    Telemetry and per-query times share no clock. The benchmark is assumed to begin at the first reading of a busy GPU
    (utilization of 50 % and more), which is accurate to one interval between readings; without utilization, or with
    fewer than eight readings within the run, the correlation is unknown rather than the best of many alignments.
    """
    stage = STAGE if telemetry.stage(STAGE) else ""
    time_s = np.asarray(telemetry.time_s, dtype=np.float64)
    inside = np.ones(len(time_s), dtype=bool)
    if stage and (interval := telemetry.stage(stage)) is not None:
        inside = (time_s >= interval.start_s) & (time_s <= (math.inf if interval.end_s is None else interval.end_s))
    slowdowns = telemetry.slowdowns(stage)
    reasons = tuple(dict.fromkeys(reason for slowdown in slowdowns for reason in slowdown.reasons))
    slowed = sum(slowdown.end_s - slowdown.start_s for slowdown in slowdowns)
    watched = float(np.ptp(time_s[inside])) if inside.any() else 0.0
    clock = _column(telemetry, CLOCK)
    busy = _busy(telemetry, inside)
    shown = clock[busy if busy is not None else inside]
    shown = shown[np.isfinite(shown)]
    correlation, intervals, why = _correlation(time_s, clock, inside, busy, starts_ms, times_ms)
    if not len(shown):
        return Throttling(slowed, watched, reasons, None, None, None, correlation, intervals, why)
    low, middle, high = float(shown.min()), float(np.median(shown)), float(shown.max())
    return Throttling(slowed, watched, reasons, low, middle, high, correlation, intervals, why)


def _column(telemetry: Telemetry, name: str) -> Floats:
    column = telemetry.columns.get(name)
    return np.full(len(telemetry), np.nan) if column is None else np.asarray(column, dtype=np.float64)


def _busy(telemetry: Telemetry, inside: np.ndarray) -> np.ndarray | None:
    """Readings of the stage with a busy GPU; None if there are none."""
    with np.errstate(invalid="ignore"):
        busy = inside & (_column(telemetry, "gpu_utilization_pct") >= _BUSY_PCT)
    return busy if busy.any() else None


def _correlation(
    time_s: Floats,
    clock: Floats,
    inside: np.ndarray,
    busy: np.ndarray | None,
    starts_ms: Floats | None,
    times_ms: Floats | None,
) -> tuple[float | None, int, str]:
    if starts_ms is None or times_ms is None or not len(starts_ms):
        return None, 0, "no per-query times with start times"
    if busy is None:
        return None, 0, "unknown when the GPU began to work, so times and clock cannot be aligned"
    begin = float(time_s[np.flatnonzero(busy)[0]])
    known = inside & np.isfinite(clock) & (time_s >= begin)
    edges = time_s[known]
    bins = np.searchsorted(edges, begin + starts_ms / 1000.0, side="right") - 1
    clocks, medians = [], []
    for index in range(len(edges)):
        some = times_ms[bins == index]
        some = some[np.isfinite(some)]
        if len(some):
            clocks.append(float(clock[known][index]))
            medians.append(float(np.median(some)))
    if len(clocks) < FEWEST:
        return None, len(clocks), f"only {len(clocks)} readings of the clock fall into the run (at least {FEWEST})"
    correlation = spearman(np.asarray(clocks), np.asarray(medians))
    return correlation, len(clocks), "" if correlation is not None else "the clock or the times are constant"

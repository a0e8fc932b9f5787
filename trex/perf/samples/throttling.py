"""Telemetry → Throttling: what slowed the GPU during the measurement, and its clock meanwhile."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from trex.core.telemetry import NOT_SLOWING, SLOWING, Telemetry
from trex.perf.samples.series import Floats

STAGE = "profile"
CLOCK = "sm_clock_mhz"
_BUSY_PCT = 50.0


@dataclass(frozen=True, slots=True)
class Throttling:
    """The GPU during the stage ``profile`` (the whole run if no stage is named).

    slowed_s, watched_s: seconds of reduced clocks, and seconds in which it is known whether they were; 0.0 if no reason
    was read, so that nothing is known. reasons: of the reduction. lowest_mhz,
    median_mhz, highest_mhz: of the SM clock while the GPU was busy (all readings if utilization is unknown); None if
    not read.
    """

    slowed_s: float
    watched_s: float
    reasons: tuple[str, ...]
    lowest_mhz: float | None = None
    median_mhz: float | None = None
    highest_mhz: float | None = None

    @property
    def was_slowed(self) -> bool:
        return bool(self.reasons)

    @property
    def is_known(self) -> bool:
        return self.was_slowed or self.watched_s > 0.0

    @property
    def clock_range_pct(self) -> float | None:
        """(highest − lowest) / median, in percent; None when the clock was not read."""
        if self.lowest_mhz is None or self.highest_mhz is None or not self.median_mhz:
            return None
        return 100.0 * (self.highest_mhz - self.lowest_mhz) / self.median_mhz


def throttling_of(telemetry: Telemetry) -> Throttling | None:
    """None if other stages are named, but not this one: a build's clocks are not those of the measurement."""
    stage = STAGE if telemetry.stages else ""
    if stage and telemetry.stage(stage) is None:
        return None
    time_s = np.asarray(telemetry.time_s, dtype=np.float64)
    inside = np.ones(len(time_s), dtype=bool)
    if stage and (interval := telemetry.stage(stage)) is not None:
        inside = (time_s >= interval.start_s) & (time_s <= (math.inf if interval.end_s is None else interval.end_s))
    slowdowns = telemetry.slowdowns(stage)
    reasons = tuple(dict.fromkeys(reason for slowdown in slowdowns for reason in slowdown.reasons))
    slowed = sum(slowdown.end_s - slowdown.start_s for slowdown in slowdowns)
    known = np.array([_is_known(words) for words in telemetry.reasons], dtype=bool)[inside]
    watched = float(np.diff(time_s[inside])[known[:-1]].sum())
    clock = _column(telemetry, CLOCK)
    busy = _busy(telemetry, inside)
    shown = clock[busy if busy is not None else inside]
    shown = shown[np.isfinite(shown)]
    if not len(shown):
        return Throttling(slowed, watched, reasons)
    return Throttling(slowed, watched, reasons, float(shown.min()), float(np.median(shown)), float(shown.max()))


def _is_known(reasons: tuple[str, ...] | None) -> bool:
    """Whether a reading says if the GPU was slowed: a failed one, or one with words of another tool, does not."""
    return reasons is not None and (not SLOWING.isdisjoint(reasons) or NOT_SLOWING.issuperset(reasons))


def _column(telemetry: Telemetry, name: str) -> Floats:
    column = telemetry.columns.get(name)
    return np.full(len(telemetry), np.nan) if column is None else np.asarray(column, dtype=np.float64)


def _busy(telemetry: Telemetry, inside: np.ndarray) -> np.ndarray | None:
    """Readings of the stage with a busy GPU; None if there are none."""
    with np.errstate(invalid="ignore"):
        busy = inside & (_column(telemetry, "gpu_utilization_pct") >= _BUSY_PCT)
    return busy if busy.any() else None

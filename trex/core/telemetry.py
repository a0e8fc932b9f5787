"""Telemetry: what a GPU did while something ran on it, sample by sample."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan

from trex.core.note import Note

COLUMNS = (
    "temperature_c",
    "power_w",
    "sm_clock_mhz",
    "memory_clock_mhz",
    "gpu_utilization_pct",
    "memory_utilization_pct",
    "memory_used_mib",
)
"""What is sampled, in the order of the file."""

SLOWING = frozenset(
    {
        "software-power-cap",
        "hardware-slowdown",
        "sync-boost",
        "software-thermal-slowdown",
        "hardware-thermal-slowdown",
        "power-brake-slowdown",
        "board-limit",
        "reliability",
    }
)
"""Reasons for clocks below the requested ones; not an idle GPU, nor clocks that a user has set."""
NOT_SLOWING = frozenset({"gpu-idle", "application-clocks", "display-clocks"})
"""The other reasons that are known."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A part of the run (``build``, ``profile``), in seconds since the first sample; end_s None while it runs."""

    name: str
    start_s: float
    end_s: float | None = None


@dataclass(frozen=True, slots=True)
class Slowdown:
    """A time in which the GPU ran below its clocks, in seconds since the first sample, and why."""

    start_s: float
    end_s: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Telemetry:
    """Samples of one GPU by column, all of one length; NaN or None if a reading failed.

    time_s: seconds since the first sample, by a monotonic clock. columns: ``temperature_c, power_w,
    sm_clock_mhz, memory_clock_mhz, gpu_utilization_pct, memory_utilization_pct, memory_used_mib``.
    reasons: why the clocks were not higher, as words; () without a reason. started: the wall clock at second 0,
    ISO 8601 in UTC. monotonic_s: the host's monotonic clock at second 0. interval_s: requested time between samples.
    gpu: which GPU it is (``index, name, uuid``).
    """

    time_s: Sequence[float]
    columns: Mapping[str, array[float]]
    reasons: tuple[tuple[str, ...] | None, ...]
    stages: tuple[Stage, ...] = ()
    started: str = ""
    monotonic_s: float | None = None
    interval_s: float | None = None
    gpu: Mapping[str, object] = field(default_factory=dict)
    source: str = ""
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return len(self.time_s)

    def stage(self, name: str) -> Stage | None:
        """The last stage of this name."""
        return next((stage for stage in reversed(self.stages) if stage.name == name), None)

    def slowdowns(self, stage: str = "") -> tuple[Slowdown, ...]:
        """Every time in which something slowed the GPU, during the run or one stage.

        It ends at the first sample without a reason, so both ends are as exact as the time between samples.
        """
        slowdowns: list[Slowdown] = []
        start: float | None = None
        held: dict[str, None] = {}
        last = 0.0
        first, end = self._bounds(stage)
        for time_s, reasons in zip(self.time_s[first:end], self.reasons[first:end]):
            slowing = [reason for reason in reasons or () if reason in SLOWING]
            if slowing:
                start = time_s if start is None else start
                held.update(dict.fromkeys(slowing))
            elif start is not None:
                slowdowns.append(Slowdown(start, time_s, tuple(held)))
                start, held = None, {}
            last = time_s
        if start is not None:
            slowdowns.append(Slowdown(start, last, tuple(held)))
        return tuple(slowdowns)

    def highest(self, column: str, stage: str = "") -> float | None:
        """The largest known value of a column, during the run or one stage; None if none is known."""
        return max((value for value in self.values(column, stage) if not isnan(value)), default=None)

    def values(self, column: str, stage: str = "") -> Sequence[float]:
        """The values of a column, NaN if unknown, during the run or one stage; empty without such a column."""
        first, end = self._bounds(stage)
        return self.columns.get(column, array("d"))[first:end]

    def _bounds(self, name: str) -> tuple[int, int]:
        """Index of the first sample of a stage, and of the first after it; of all samples for ""."""
        if not name:
            return 0, len(self.time_s)
        stage = self.stage(name)
        if stage is None:
            return 0, 0
        end = float("inf") if stage.end_s is None else stage.end_s
        inside = [index for index, time_s in enumerate(self.time_s) if stage.start_s <= time_s <= end]
        return (inside[0], inside[-1] + 1) if inside else (0, 0)

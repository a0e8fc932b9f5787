"""Layer times that can be added and compared."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from trex.core.note import Note
from trex.plan.engine_plan import EnginePlan

AVERAGES = "layer-averages"
"""Code of the Note on a plan whose layers are compared by averages, though it has medians."""

STEP_MS = 0.0011
"""TensorRT's profiler counts in steps of 1.024 µs: a smaller difference of one layer cannot be measured."""


def layer_ms(plan: EnginePlan, index: int) -> float | None:
    """The layer's time in milliseconds; None if it was not timed or the number is not a time."""
    ms = plan.layer_ms[index]
    return ms if ms is not None and math.isfinite(ms) and ms >= 0.0 else None


def known_ms(plan: EnginePlan, indexes: Iterable[int]) -> tuple[float, bool]:
    """(sum of the known times, whether all are known)."""
    times = [layer_ms(plan, index) for index in indexes]
    return math.fsum(ms for ms in times if ms is not None), None not in times


def ratio(left_ms: float | None, right_ms: float | None) -> float | None:
    """The speed-up: left over right time, above 1 if the right is faster. None if a time is unknown or zero."""
    return left_ms / right_ms if left_ms and right_ms and left_ms > 0.0 and right_ms > 0.0 else None


class ComparedTimes:
    """Base of what has a time in both engines. is_known: False if a layer's time is unknown."""

    __slots__ = ()
    left_ms: float
    right_ms: float
    is_known: bool

    @property
    def difference_ms(self) -> float:
        """Right minus left: negative is faster."""
        return self.right_ms - self.left_ms

    @property
    def speedup(self) -> float | None:
        """Left over right time, above 1 if the right is faster. None if a time is unknown or zero."""
        return ratio(self.left_ms, self.right_ms) if self.is_known else None


def by_one_statistic(plans: Sequence[EnginePlan]) -> list[EnginePlan]:
    """The plans, all by averages where one has no medians: those of TensorRT 8.2 have none."""
    statistics = {plan.statistic for plan in plans if plan.is_profiled}
    if len(statistics) < 2:
        return [*plans]
    message = "layer times are averages: another engine has no medians"
    note = Note(AVERAGES, message, "profile both with TensorRT 8.4 or later")
    return [plan.by_averages(note) if plan.statistic == "median" else plan for plan in plans]

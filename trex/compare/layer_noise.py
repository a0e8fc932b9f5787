"""How much layer times scatter between two profiles, and which changes exceed that."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from trex.compare.causes import Cause, Change
from trex.compare.layer_times import STEP_MS
from trex.compare.machine_shift import MachineShift
from trex.core.bounded_exponent import bounded_expm1

FEWEST_UNCHANGED = 10
ASSUMED_SCATTER = 0.05
"""Scatter of layers if too few kernels are unchanged to measure it: more than in the published profiles of one device
(MobileNetV2 4.4 %, ResNet18 up to 1 %).
"""
SIGMAS = 3.0
"""Robust standard deviations of layers with unchanged kernels; a larger change is significant."""
LEAST_CHANGE = 0.05
"""Relative change of a significant trend if too few kernels are unchanged to know the scatter."""


def scatter_of(changes: Sequence[Change]) -> float | None:
    """How much layers with unchanged kernels scatter between the profiles, as a share of their time.

    1.4826 · median |x − median x|, x: the logarithm of each ratio; at least 1 %. None with fewer than ten such layers.
    A change that all of them share is no scatter, see ``trex.compare.machine_shift``.
    """
    logs = _unchanged_logs(changes)
    if len(logs) < FEWEST_UNCHANGED:
        return None
    return max(1.4826 * float(np.median(np.abs(logs - np.median(logs)))), 0.01)


def _unchanged_logs(changes: Sequence[Change]) -> np.ndarray:
    return np.array(
        [
            -math.log(change.speedup)
            for change in changes
            if change.cause is Cause.SAME_KERNEL and change.speedup is not None and change.left_ms > STEP_MS
        ]
    )


def is_below_step(change: Change) -> bool:
    """Whether the change is within the profiler's step of 1.024 µs per layer."""
    return abs(change.difference_ms) <= STEP_MS * max(len(change.match.left), len(change.match.right))


class LayerTrend(Enum):
    """NEW, GONE: only the new engine, only the base has it. UNCHANGED: within the scatter. UNKNOWN: without a time."""

    SLOWER = "slower"
    FASTER = "faster"
    NEW = "new"
    GONE = "gone"
    UNCHANGED = "unchanged"
    UNKNOWN = "time not known"


@dataclass(frozen=True, slots=True)
class LayerTrends:
    """of: one per change, in order. limit: relative change up to which a layer counts as unchanged, 0.05 for 5 %."""

    of: tuple[LayerTrend, ...]
    limit: float


def layer_trends(changes: Sequence[Change], machine: MachineShift | None = None) -> LayerTrends:
    """A layer is faster or slower if its time changes by a factor of 1 + limit and by more than the profiler's step,
    without the part that unchanged kernels share.

    limit = e^(3 σ) − 1, σ: the scatter of layers with unchanged kernels. Predicted times do not scatter: their trend is
    the prediction, and there are no error bars for single layers.
    """
    scatter = scatter_of(changes)
    limit = LEAST_CHANGE if scatter is None else bounded_expm1(SIGMAS * scatter)
    correction = 1.0 if machine is None else machine.correction
    corrected = (
        changes if correction == 1.0 else [replace(change, right_ms=change.right_ms / correction) for change in changes]
    )
    return LayerTrends(tuple(_trend(change, math.log1p(limit)) for change in corrected), limit)


def _trend(change: Change, limit: float) -> LayerTrend:
    if not change.match.left:
        return LayerTrend.NEW
    if not change.match.right:
        return LayerTrend.GONE
    if not change.is_known:
        return LayerTrend.UNKNOWN
    if is_below_step(change):
        return LayerTrend.UNCHANGED
    trend = LayerTrend.SLOWER if change.difference_ms > 0.0 else LayerTrend.FASTER
    if min(change.left_ms, change.right_ms) <= 0.0:
        return trend
    return trend if abs(math.log(change.right_ms) - math.log(change.left_ms)) > limit else LayerTrend.UNCHANGED

"""Trend: which way a group of matched layers went, by more than layers scatter whose kernels did not change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from trex.compare.causes import Change
from trex.compare.gate import STEP_MS, SURE, scatter_of

LEAST = 0.05
"""Which part of its time a layer must gain or lose where too few kernels are unchanged to tell their scatter."""


class Trend(Enum):
    """NEW, GONE: only the new engine, only the base has it. UNCHANGED: within the scatter. UNKNOWN: a time is."""

    SLOWER = "slower"
    FASTER = "faster"
    NEW = "new"
    GONE = "gone"
    UNCHANGED = "unchanged"
    UNKNOWN = "time not known"


@dataclass(frozen=True, slots=True)
class Trends:
    """of: one per change, in their order. limit: up to which part of its time, 0.05 for 5 %, a layer is unchanged."""

    of: tuple[Trend, ...]
    limit: float


def trends_of(changes: Sequence[Change]) -> Trends:
    """A time that grows or shrinks by a factor of 1 + limit and by a step of the profiler is another time.

    limit = e^(3 σ) − 1, σ: the scatter of layers whose kernels are the same, see ``gate.scatter_of``. Predicted times
    do not scatter: of predictions a trend is what is predicted, and how far single layers miss is told nowhere.
    """
    scatter = scatter_of(changes)
    limit = LEAST if scatter is None else math.expm1(SURE * scatter)
    return Trends(tuple(_trend(change, math.log1p(limit)) for change in changes), limit)


def _trend(change: Change, limit: float) -> Trend:
    if not change.match.left:
        return Trend.NEW
    if not change.match.right:
        return Trend.GONE
    if not change.is_known:
        return Trend.UNKNOWN
    count = max(len(change.match.left), len(change.match.right))
    if abs(change.difference_ms) <= STEP_MS * count:
        return Trend.UNCHANGED
    trend = Trend.SLOWER if change.difference_ms > 0.0 else Trend.FASTER
    if min(change.left_ms, change.right_ms) <= 0.0:
        return trend
    return trend if abs(math.log(change.right_ms / change.left_ms)) > limit else Trend.UNCHANGED

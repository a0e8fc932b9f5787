"""Per-query times that a script has sorted or shuffled → the same in the order in which the queries began."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from itertools import islice
from operator import gt

STARTS = ("startComputeMs", "startH2dMs", "startInMs", "startEnqMs")
_SHUFFLED = 0.1
"""Share of the queries that begin before the one in front of them: none in 13 real files, one where two runs meet."""


def starts_of(columns: Mapping[str, array[float]]) -> array[float]:
    """The points in time at which the queries begin; empty if the file has none."""
    return next((columns[key] for key in STARTS if key in columns), array("d"))


def in_order(columns: dict[str, array[float]]) -> dict[str, array[float]]:
    """The columns as they are if their order is that of the run, or unknown."""
    starts = starts_of(columns)
    descents = sum(map(gt, starts, islice(starts, 1, None)))
    if descents <= _SHUFFLED * len(starts) or not all(map(math.isfinite, starts)):
        return columns
    order = sorted(range(len(starts)), key=starts.__getitem__)
    return {key: array("d", map(column.__getitem__, order)) for key, column in columns.items()}

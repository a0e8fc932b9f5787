"""Per-query times that a script has sorted or shuffled → the same in the order in which the queries began."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from itertools import islice
from operator import gt

STARTS = ("startComputeMs", "startH2dMs", "startInMs", "startEnqMs")
_OVERLAPPING = 0.01
"""Share of the queries that begin before the one in front of them ends: none in 13 real files. Several streams, or
several runs in one file, have more in any order.
"""


def start_key(columns: Mapping[str, array[float]]) -> str:
    """Of the column of the points in time at which the queries begin; "" if the file has none."""
    return next((key for key in STARTS if key in columns), "")


def in_order(columns: dict[str, array[float]]) -> dict[str, array[float]]:
    """The columns as they are if their order is that of the run, or can't be known."""
    key = start_key(columns)
    starts, ends = columns.get(key), columns.get(key.replace("start", "end"))
    if starts is None or ends is None or not _descents(starts, starts) or not all(map(math.isfinite, starts)):
        return columns
    order = sorted(range(len(starts)), key=starts.__getitem__)
    ordered = {name: array("d", map(column.__getitem__, order)) for name, column in columns.items()}
    overlaps = _descents(ordered[key.replace("start", "end")], ordered[key])
    return columns if overlaps > _OVERLAPPING * len(starts) else ordered


def _descents(before: Sequence[float], after: Sequence[float]) -> int:
    """How many of the first column are above the next row of the second."""
    return sum(map(gt, before, islice(after, 1, None)))

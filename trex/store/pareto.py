"""Rows of several objectives → the Pareto front: rows that no other row beats in all of them."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

import numpy as np

_STAIRCASE = 3


def pareto_front(objectives: Any) -> np.ndarray:
    """objectives: one row per candidate, one column per objective, smaller is better; NaN is unknown. Returns the
    indexes of the front, ordered by the first objective.

    A row is dominated by one that is at least as good in all objectives and better in one. Rows with an unknown value
    are not candidates. Of equal rows all are kept. Sorted by the first objective, a row can only be dominated by an
    earlier one. With up to three objectives this takes n·log n comparisons (Kung, Luccio and Preparata 1975), with more
    n·f for a front of f.
    """
    values = np.atleast_2d(np.asarray(objectives, dtype=np.float64))
    known = np.flatnonzero(~np.isnan(values).any(axis=1)) if values.size else np.array([], dtype=np.int64)
    if not len(known):
        return known
    rows, row_of = np.unique(values[known] + 0.0, axis=0, return_inverse=True)  # -0.0 is 0.0
    on_front = _by_staircase(rows) if rows.shape[1] <= _STAIRCASE else _by_comparison(rows)
    row_of = row_of.reshape(-1)
    order = np.argsort(row_of, kind="stable")
    result: np.ndarray = known[order[on_front[row_of[order]]]]
    return result


def _by_staircase(rows: np.ndarray) -> np.ndarray:
    """Which of the different rows, in order, are on the front. Of the earlier ones, only those count that no other
    beats in the second and third objective: the third falls along the second.
    """
    seconds: list[float] = []
    thirds: list[float] = []
    on_front = np.zeros(len(rows), dtype=bool)
    zeros = np.zeros((len(rows), _STAIRCASE - rows.shape[1]))
    for number, (_, second, third) in enumerate(np.hstack((rows, zeros)).tolist()):
        behind = bisect_right(seconds, second)
        if behind and thirds[behind - 1] <= third:
            continue
        on_front[number] = True
        first = behind - 1 if behind and seconds[behind - 1] == second else behind
        while behind < len(thirds) and thirds[behind] >= third:
            behind += 1
        seconds[first:behind], thirds[first:behind] = [second], [third]
    return on_front


def _by_comparison(rows: np.ndarray) -> np.ndarray:
    """As ``_by_staircase``, for any number of objectives."""
    on_front = np.zeros(len(rows), dtype=bool)
    others = np.ascontiguousarray(rows.T[1:])
    front, size = np.empty_like(others), 0
    for number, row in enumerate(others.T.tolist()):
        at_least = front[0, :size] <= row[0]
        for column, value in zip(front[1:, :size], row[1:], strict=True):
            at_least &= column <= value
        if not at_least.any():
            on_front[number] = True
            front[:, size] = row
            size += 1
    return on_front

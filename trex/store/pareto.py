"""Rows of several objectives → the Pareto front: rows that no other row beats in all of them."""

from __future__ import annotations

from typing import Any

import numpy as np


def pareto_front(objectives: Any) -> np.ndarray:
    """objectives: one row per candidate, one column per objective, smaller is better; NaN is unknown. Returns the
    indexes of the front, ordered by the first objective.

    A row is dominated by one that is at least as good in all objectives and better in one. Rows with an unknown value
    are not candidates. Of equal rows all are kept. Sorted by the first objective, a row can only be dominated by an
    earlier one, so it is compared with the front of those: n rows and a front of f take n·f comparisons.
    """
    values = np.atleast_2d(np.asarray(objectives, dtype=np.float64))
    known = np.flatnonzero(~np.isnan(values).any(axis=1)) if values.size else np.array([], dtype=np.int64)
    order = known[np.lexsort(values[known].T[::-1])] if len(known) else known
    front: list[int] = []
    kept = np.empty((0, values.shape[1]))
    for index in order:
        row = values[index]
        at_least = (kept <= row).all(axis=1)
        if (at_least & (kept < row).any(axis=1)).any():
            continue
        front.append(int(index))
        kept = np.vstack((kept, row))
    return np.array(front, dtype=np.int64)

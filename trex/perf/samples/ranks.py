"""Values → ranks, equal values sharing the mean of their ranks; and Spearman's rank correlation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from trex.perf.samples.series import Floats, Integers


def ranks(values: Sequence[float] | Floats) -> tuple[Floats, Integers]:
    """(rank of each value from 1 on, number of values of each distinct value in ascending order)."""
    _, groups, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2.0)[groups], counts


def spearman(first: Sequence[float] | Floats, second: Sequence[float] | Floats) -> float | None:
    """Spearman's rank correlation; None for fewer than two values, or if one series does not vary."""
    one, other = ranks(first)[0], ranks(second)[0]
    if len(one) < 2 or np.ptp(one) == 0.0 or np.ptp(other) == 0.0:
        return None
    return float(np.corrcoef(one, other)[0, 1])

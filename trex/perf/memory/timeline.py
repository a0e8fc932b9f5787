"""Values → Timeline: live bytes at each layer, and the peak for other sizes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

# Sums up to here are exact in 64 bits; beyond, Python's own numbers are used, slower and as exact.
_EXACT = 2**62


class Timeline:
    """firsts, lasts: positions of layers between which each value is live, both included. sizes: bytes of each.

    ``live_bytes``: one number per layer, the sum of the sizes of all live values, live[i] = Σ size[v] over v with
    first[v] ≤ i ≤ last[v]. Computed by adding each size at its first layer, subtracting it after its last, and a
    cumulative sum over the layers: linear in values and layers.
    """

    def __init__(self, firsts: Sequence[int], lasts: Sequence[int], sizes: Sequence[int], layers: int) -> None:
        self.firsts, self.lasts, self.sizes = firsts, lasts, sizes
        self.layers = layers
        self._begins = np.array(firsts, dtype=np.intp)
        self._ends = np.array(lasts, dtype=np.intp) + 1
        self.sum_bytes = sum(sizes)
        self.live_bytes = self._live(sizes)

    @cached_property
    def peak_bytes(self) -> int:
        """The most live bytes, 0 without layers."""
        return int(self.live_bytes.max()) if self.layers else 0

    @cached_property
    def peak_position(self) -> int | None:
        """The first layer at the peak."""
        return int(np.argmax(self.live_bytes)) if self.layers else None

    def alive_at(self, position: int) -> list[int]:
        """Indexes of the values that are live at a layer, the largest first."""
        indexes = np.flatnonzero((self._begins <= position) & (self._ends > position)).tolist()
        return sorted(indexes, key=lambda index: -self.sizes[index])

    def peak_without(self, index: int) -> int:
        """The peak without one of the values at the peak.

        max(highest before it, peak − size, highest after it): no layer within its lifetime exceeds the peak, so none
        has to be recomputed.
        """
        first, last = self.firsts[index], self.lasts[index]
        before = int(self._highest_until[first - 1]) if first else 0
        after = int(self._highest_from[last + 1]) if last + 1 < self.layers else 0
        return max(before, self.peak_bytes - self.sizes[index], after)

    def peak_with(self, sizes: Sequence[int]) -> int:
        """The peak if the values had these sizes."""
        return int(self._live(sizes).max()) if self.layers else 0

    @cached_property
    def _highest_until(self) -> np.ndarray[Any, Any]:
        return np.maximum.accumulate(self.live_bytes)

    @cached_property
    def _highest_from(self) -> np.ndarray[Any, Any]:
        return np.maximum.accumulate(self.live_bytes[::-1])[::-1]

    def _live(self, sizes: Sequence[int]) -> np.ndarray[Any, Any]:
        kind = np.int64 if sum(sizes) < _EXACT else object
        amounts = np.array(sizes, dtype=kind)
        steps = np.zeros(self.layers + 1, dtype=kind)
        np.add.at(steps, self._begins, amounts)
        np.subtract.at(steps, self._ends, amounts)
        return np.cumsum(steps[: self.layers])

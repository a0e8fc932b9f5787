"""Layer times per iteration → a Note if they are at two levels, as of two runs in one file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from trex.core.note import Note
from trex.core.significant import significant
from trex.core.timings import LONGEST_MS, LayerTimes
from trex.ingest.differing_times import TWO_RUNS

_FEWEST = 20
_LEAST_SHARE = 0.3
"""Of the iterations at either level. With fewer, like a slow start, the medians are those of the other level."""
_STRAYS = 0.1
_OTHER_LEVEL, _OTHER_RUN = 1.25, 1.9
"""How many times as long the iterations of the higher level take; no clocks of a busy GPU explain the second."""
_APART = 1.5
"""The gap between two levels, to this power, is at least the factor between their medians: noise has none."""
_MIXED = 0.05
_SHORTEST_MS = 1e-6
"""Of an inference; also what keeps ratios finite."""


def two_levels(layer_times: LayerTimes) -> Iterator[Note]:
    """A Note if the layers, summed per iteration, take clearly longer in one part of the iterations than in the others.

    Layers that did not run in every iteration are left out.
    """
    sums = _sums(layer_times)
    known = np.flatnonzero((sums > _SHORTEST_MS) & (sums < LONGEST_MS))
    if len(known) < _FEWEST:
        return
    sums = sums[known]
    gap, limit = _widest_gap(np.sort(sums))
    is_high = sums > limit
    factor = float(np.median(sums[is_high]) / np.median(sums[~is_high])) if 0 < is_high.sum() < len(sums) else 1.0
    if factor <= _OTHER_LEVEL or gap**_APART < factor:
        return
    message = (
        f"the layers take {significant(factor, 2)} times as long {_when(is_high, known)}: two runs in one file, or "
        "other clocks"
    )
    hint = "export the iterations of one run to a file of its own, with locked clocks"
    yield Note(TWO_RUNS, message, hint, layer_times.source, "problem" if factor >= _OTHER_RUN else "warning")


def _sums(layer_times: LayerTimes) -> NDArray[np.float64]:
    """Of the layers with as many iterations as most have."""
    lengths = Counter(len(record.samples_ms) for record in layer_times.records if record.samples_ms)
    length = lengths.most_common(1)[0][0] if lengths else 0
    sums = np.zeros(length)
    for record in layer_times.records:
        if length and len(record.samples_ms) == length:
            sums += np.asarray(record.samples_ms)
    return sums


def _widest_gap(ordered: NDArray[np.float64]) -> tuple[float, float]:
    """(ratio, middle) of the widest gap that parts the values, but for a tenth of either part."""
    count = len(ordered)
    parts = np.arange(int(np.ceil(_LEAST_SHARE * count)), int((1.0 - _LEAST_SHARE) * count) + 1)
    low = ordered[((1.0 - _STRAYS) * parts).astype(int)]
    high = ordered[parts + (_STRAYS * (count - parts)).astype(int)]
    widest = int((high / low).argmax())
    return float(high[widest] / low[widest]), float(np.sqrt(low[widest] * high[widest]))


def _when(is_high: NDArray[np.bool_], iterations: NDArray[np.intp]) -> str:
    count = len(is_high)
    before = np.concatenate(([0], np.cumsum(is_high)))
    strays = 2 * before - np.arange(count + 1) + (count - before[-1])  # if the higher level begins at each index
    first, last = int(strays.argmin()), int(strays.argmax())
    if strays[first] <= _MIXED * count:
        return f"from iteration {iterations[first] + 1:,} on"
    if count - strays[last] <= _MIXED * count:
        return f"until iteration {iterations[last - 1] + 1:,}"
    return f"in {is_high.sum():,} of {count:,} iterations, first in iteration {iterations[is_high.argmax()] + 1:,}"

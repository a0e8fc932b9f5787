"""Times of layers → their known sum, and Notes where averages and medians differ."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from trex.core.counted import counted
from trex.core.note import Note
from trex.core.printable import clipped
from trex.core.significant import significant
from trex.core.timings import LayerTime

NOTED_PCT = 10.0
"""A Note reports averages and medians whose sums differ by more."""
_HINT = "lock the clocks, let nothing else use the GPU, and profile again"
_LONGEST_NAME = 60
WRONG_MEDIANS = "medians-contradict"
"""Code of the Note on medians that cannot be those of their layers' averages, a problem."""
_ROUNDED, _ROUNDED_MS = 1.01, 1e-4
"""Of trtexec's table."""
_LARGE_SHARE, _FEW = 0.01, 1.0 / 3.0


def known_sum(times: Iterable[float | None]) -> float:
    """Sum of the known times, NaN without any."""
    known = [ms for ms in times if ms is not None]
    return sum(known) if known else float("nan")


def of_layers(times: Sequence[float | None]) -> str:
    """Of how many layers a sum of layer times is, if not of all: " in 13 of 25 layers"."""
    timed = sum(ms is not None for ms in times)
    return "" if timed == len(times) else f" in {timed:,} of {counted(len(times), 'layer')}"


def slow_iterations(times: Sequence[LayerTime | None], where: str = "") -> tuple[Note, ...]:
    """A Note if the averages of the layers that have both add up to over 10 % more, or less, than their medians, or if
    that of one with 1 % of the time or more is over three times its median.
    """
    pairs = [
        (time.average_ms, time.median_ms) for time in times if time is not None and time.average_ms and time.median_ms
    ]
    averages, medians = (known_sum(column) for column in zip(*pairs)) if pairs else (0.0, 0.0)
    if not abs(averages - medians) * 100.0 > NOTED_PCT * medians > 0.0:
        return _slow_iterations_of_one(times, averages, where)
    why = "some iterations were much slower" if averages > medians else "some iterations were much faster"
    return (
        Note(
            "averages-off-medians",
            f"the layers' averages add up to {significant(averages, 4)} ms, their medians to "
            f"{significant(medians, 4)} ms: {why}",
            _HINT,
            where,
        ),
    )


def _slow_iterations_of_one(times: Sequence[LayerTime | None], whole_ms: float, where: str) -> tuple[Note, ...]:
    large = [
        (time.average_ms, time.median_ms, time.name)
        for time in times
        if time is not None and time.average_ms and time.median_ms and time.average_ms >= _LARGE_SHARE * whole_ms
    ]
    slow = [(average, median, name) for average, median, name in large if median < _FEW * average]
    if not slow:
        return ()
    average, median, name = max(slow)
    what = counted(len(slow), "layer takes", "layers take")
    message = (
        f"{what} on average over three times the median ({clipped(name, _LONGEST_NAME)!r}: {significant(average, 3)} "
        f"ms, median {significant(median, 3)} ms): some iterations were much slower"
    )
    return (Note("average-off-median", message, _HINT, where),)


def wrong_medians(times: Sequence[LayerTime | None], count: int | None, where: str = "") -> tuple[Note, ...]:
    """A Note if a layer's median is more than twice its average, or is not its average in one or two iterations.

    Half of the iterations take the median or longer: their average is at least half of it. count: of iterations.
    """
    pairs = [
        (time.name, time.average_ms, time.median_ms)
        for time in times
        if time is not None and time.average_ms is not None and time.median_ms is not None
        if 0.0 <= time.average_ms < math.inf and 0.0 <= time.median_ms < math.inf
    ]
    fewest = 1.0 / _ROUNDED if count in (1, 2) else 0.0
    most = _ROUNDED * (1.0 if count in (1, 2) else 2.0)
    wrong = [
        (name, average, median)
        for name, average, median in pairs
        if not average * fewest - _ROUNDED_MS <= median <= average * most + _ROUNDED_MS
    ]
    if not wrong:
        return ()
    name, average, median = wrong[0]
    what = counted(len(wrong), "layer has a median", "layers have medians")
    message = (
        f"{what} that no iterations of this average have ({clipped(name, _LONGEST_NAME)!r}: median "
        f"{significant(median, 3)} ms, average {significant(average, 3)} ms)"
    )
    return (Note(WRONG_MEDIANS, message, "export the profile again", where, "problem"),)

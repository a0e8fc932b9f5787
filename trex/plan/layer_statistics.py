"""Times of layers → their known sum, and a Note where averages and medians differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trex.core.counted import counted
from trex.core.note import Note
from trex.core.significant import significant
from trex.core.timings import LayerTime

NOTED_PCT = 10.0
"""A Note reports averages and medians whose sums differ by more."""


def known_sum(times: Iterable[float | None]) -> float:
    """Sum of the known times, NaN without any."""
    known = [ms for ms in times if ms is not None]
    return sum(known) if known else float("nan")


def of_layers(times: Sequence[float | None]) -> str:
    """Of how many layers a sum of layer times is, if not of all: " in 13 of 25 layers"."""
    timed = sum(ms is not None for ms in times)
    return "" if timed == len(times) else f" in {timed:,} of {counted(len(times), 'layer')}"


def slow_iterations(times: Sequence[LayerTime | None], where: str = "") -> tuple[Note, ...]:
    """A Note if the averages of the layers that have both add up to over 10 % more, or less, than their medians."""
    pairs = [
        (time.average_ms, time.median_ms) for time in times if time is not None and time.average_ms and time.median_ms
    ]
    averages, medians = (known_sum(column) for column in zip(*pairs)) if pairs else (0.0, 0.0)
    if not abs(averages - medians) * 100.0 > NOTED_PCT * medians > 0.0:
        return ()
    why = "some iterations were much slower" if averages > medians else "some iterations were much faster"
    return (
        Note(
            "averages-off-medians",
            f"the layers' averages add up to {significant(averages, 4)} ms, their medians to "
            f"{significant(medians, 4)} ms: {why}",
            "lock the clocks, let nothing else use the GPU, and profile again",
            where,
        ),
    )

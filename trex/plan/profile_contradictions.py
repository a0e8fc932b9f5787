"""A layer profile → Notes where its times, totals and percentages contradict each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from trex.core.counted import counted
from trex.core.layer import Layer, Role
from trex.core.note import Note
from trex.core.printable import clipped
from trex.core.significant import significant
from trex.core.timings import LayerTime, LayerTimes
from trex.plan.time_notes import (
    CONTRADICTED,
    OTHER_UNIT,
    SHARES_CONTRADICT,
    SHORTEST_MS,
    TIMES_CONTRADICT,
)

SHARES_OFF, SUM_OFF = 0.2, 1.0
"""Percentage points, of one record and of the sum. trtexec exports the percentage of a record's time with six digits:
real ones agree within 0.001. Its table has one decimal."""
NOT_MEASURED = "layers-not-measured"
_LONGEST = 80
_ZERO_SHARE = 0.01
"""Percent: a time that is printed as 0 has a share of 0."""
_OF_RECORD: tuple[Callable[[LayerTime], float | None], ...] = (
    lambda record: record.total_ms,
    lambda record: record.average_ms,
)


def of_profile(layer_times: LayerTimes, *, is_whole: bool) -> Iterator[Note]:
    """is_whole: whether every layer of the engine has a record."""
    yield from _zeros(layer_times)
    yield from _totals(layer_times)
    yield from _shares(layer_times, is_whole)


def too_short(layer_times: LayerTimes) -> Iterator[Note]:
    """Layers that are all shorter than any GPU's kernel: seconds, read as milliseconds."""
    times = [record.ms for record in layer_times.records if record.ms]
    mean = math.fsum(times) / len(times) if times else 0.0
    if 0.0 < mean < SHORTEST_MS / 5.0:
        message = (
            f"the layers take {significant(mean * 1e6, 2)} ns on average, and no kernel takes less than "
            f"{significant(SHORTEST_MS * 1e6, 3)} ns, as if the times were not in milliseconds"
        )
        yield Note(TIMES_CONTRADICT, message, OTHER_UNIT, layer_times.source, "problem")


def not_measured(layers: Sequence[Layer], times: Sequence[LayerTime | None], source: str) -> Iterator[Note]:
    """Layers that compute with weights in 0 ms, which no kernel does: a script wrote 0 for a time that is unknown.

    What writes nothing, as after a search that finds nothing, takes none.
    """
    odd = [
        layer
        for layer, time in zip(layers, times, strict=True)
        if time is not None and time.ms == 0.0 and not time.total_ms and not time.share_pct
        if layer.role is Role.KERNEL and layer.weights_cnt and all(tensor.volume != 0 for tensor in layer.outputs)
    ]
    if odd and any(time is not None and time.ms for time in times):
        words = counted(len(odd), "layer with weights takes", "layers with weights take")
        message = f"{words} 0 ms by the layer profile, first {clipped(odd[0].name, _LONGEST)!r}: nothing measured them"
        yield Note(NOT_MEASURED, message, OTHER_UNIT, source, "problem")


def _zeros(layer_times: LayerTimes) -> Iterator[Note]:
    times = [record.ms for record in layer_times.records]
    if times and all(ms == 0.0 for ms in times):
        message = "every time in the layer profile is 0 ms: nothing was measured"
        yield Note(TIMES_CONTRADICT, message, OTHER_UNIT, layer_times.source, "problem")


def _totals(layer_times: LayerTimes) -> Iterator[Note]:
    """A record's total is its average times the number of iterations."""
    records = [record for record in layer_times.records if record.total_ms and record.average_ms]
    if not records or not layer_times.count:
        return
    totals = _sum(records, lambda record: record.total_ms) / layer_times.count
    averages = _sum(records, lambda record: record.average_ms)
    if not 1.0 / CONTRADICTED <= totals / averages <= CONTRADICTED:
        message = (
            f"the layers' averages add up to {significant(averages, 3)} ms, their totals of {layer_times.count:,} "
            f"iterations to {significant(totals, 3)} ms each"
        )
        yield Note(TIMES_CONTRADICT, message, OTHER_UNIT, layer_times.source, "problem")


def _shares(layer_times: LayerTimes, is_whole: bool) -> Iterator[Note]:
    """Percentages are of the totals or of the averages; of a cut profile they add up to less than 100."""
    records = layer_times.records
    shares = [record.share_pct for record in records if record.share_pct is not None]
    zeros = (record for record in records if record.ms == 0.0 and (record.share_pct or 0.0) > _ZERO_SHARE)
    zero = next(zeros, None)
    if zero is not None and zero.share_pct and any(record.ms for record in records):
        message = f"the layer profile gives {zero.name!r} 0 ms and {significant(zero.share_pct, 3)} % of the time"
        yield Note(SHARES_CONTRADICT, message, "export the profile again", layer_times.source, "problem")
        return
    whole = math.fsum(shares)
    if not shares or len(shares) != len(records):
        return
    off = min(_off(shares, [of(record) or 0.0 for record in records]) for of in _OF_RECORD)
    differs = SHARES_OFF < off < math.inf
    if differs or whole > 100.0 + SUM_OFF or (is_whole and whole < 100.0 - SUM_OFF):
        message = f"the percentages of the layer profile add up to {significant(whole, 4)} %"
        if differs:
            message += f" and differ from its own times by up to {significant(off, 3)} points"
        hint = "use times, not percentages, or export the profile again"
        yield Note(SHARES_CONTRADICT, message, hint, layer_times.source)


def _off(shares: Sequence[float], times: Sequence[float]) -> float:
    """The largest difference of two columns as percentages of their sums; infinite without times."""
    whole, total = math.fsum(shares) or 1.0, math.fsum(times)
    if not total:
        return math.inf
    return max(abs(100.0 * share / whole - 100.0 * ms / total) for share, ms in zip(shares, times, strict=True))


def _sum(records: Iterable[LayerTime], of: Callable[[LayerTime], float | None]) -> float:
    return math.fsum(of(record) or 0.0 for record in records)

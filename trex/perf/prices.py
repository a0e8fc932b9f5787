"""Layer times and GPU compute time → Prices: how much of the engine's time each layer accounts for.

A layer profile is slower than the engine: timing each layer costs 1 to 8 µs. Saving a layer therefore saves less than
its profile says. Where GPU compute is known and the layers add up to more::

    overhead = min((sum of the layers − GPU compute) / timed layers, 8 µs)
    price    = max(0, time − overhead), scaled so that all prices add up to GPU compute

A difference above 8 µs per layer has other causes (other clocks, another run), which scale with the time. Layers on
several streams overlap: their sum exceeds GPU compute without any overhead, which is then estimated from the stream
with the largest sum. Layers that add up to less than GPU compute keep their times: no layer causes the gaps between
them. Without GPU compute, times are prices.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from trex.core.counted import counted
from trex.core.note import Note
from trex.perf.cache import Column, column
from trex.perf.measures import Measures
from trex.plan.engine_plan import EnginePlan
from trex.plan.time_units import USUAL_OVERHEAD_MS

_NOTABLE = 0.05
"""Streams that run for less of the layers' time are not worth a Note."""
COMPUTE, LAYERS = "GPU compute", "layer time"


@dataclass(frozen=True, eq=False)
class Prices:
    """ms: price of each layer of ``plan.layers`` in milliseconds, NaN if unknown; of_time: price / time, 0 to 1, NaN if
    unknown.

    total_ms: what no saving exceeds: GPU compute, or the sum of the layers if that is unknown; None without layer
    times. kind: which of the two, COMPUTE or LAYERS. overhead_ms: of timing one layer, 0 where none is subtracted.
    """

    ms: Column
    of_time: Column
    total_ms: float | None
    kind: str
    overhead_ms: float = 0.0
    notes: tuple[Note, ...] = ()


def prices_of(plan: EnginePlan, measures: Measures) -> Prices:
    """The prices of a plan; never raises. measures: of the same plan."""
    times = column(plan.layer_ms)
    timed = int(np.count_nonzero(np.isfinite(times)))
    layers_ms = float(np.nansum(times))
    compute = measures.compute.ms
    if not layers_ms > 0.0:
        return Prices(times, np.full_like(times, np.nan), None, LAYERS)
    if not compute:
        return Prices(times, np.where(np.isfinite(times), 1.0, np.nan), layers_ms, LAYERS)
    overhead = 0.0
    notes: tuple[Note, ...] = ()
    if layers_ms > compute:
        longest, serial, notes = _serial(plan, times, layers_ms, timed)
        overhead = min(max(0.0, longest - compute) / serial, USUAL_OVERHEAD_MS)
    prices = np.maximum(0.0, times - overhead)
    priced = float(np.nansum(prices))
    if priced > compute:
        prices *= compute / priced
    with np.errstate(divide="ignore", invalid="ignore"):
        of_time = np.where(times > 0.0, prices / times, np.where(times == 0.0, 0.0, np.nan))
    return Prices(prices, of_time, compute, COMPUTE, overhead, notes)


def _serial(plan: EnginePlan, times: Column, layers_ms: float, timed: int) -> tuple[float, int, tuple[Note, ...]]:
    """(sum, number) of the layers that run one after the other: of the longest stream, or of all; a Note on streams."""
    sums: dict[int | None, tuple[float, int]] = {}
    for layer, ms in zip(plan.working_layers, times.tolist()):
        if ms == ms:
            total, count = sums.get(layer.stream, (0.0, 0))
            sums[layer.stream] = (total + ms, count + 1)
    if len(sums.keys() - {None}) < 2:
        return layers_ms, timed, ()
    longest_ms, count = max(sums.values())
    if layers_ms - longest_ms < _NOTABLE * layers_ms:
        return longest_ms, count, ()
    message = (
        f"layers run on {counted(len(sums.keys() - {None}), 'stream')} and overlap: savings are shares of GPU compute, "
        "and a layer saves less where another stream takes longer"
    )
    return longest_ms, count, (Note("layers-overlap", message, severity="info"),)

"""Roofline: the minimum time of a layer on a device, what bounds it, and the share of it that the layer reaches.

Each layer has four times in milliseconds; the longest is attainable and names the bound:

- **tensor cores** or **CUDA cores**: 2 · macs / rate of the kernel's arithmetic (with Winograd and 2:4 sparsity the
  MACs that remain), and all other operations at the CUDA cores' rate. Matrix units and CUDA cores work in parallel, so
  the longer of the two counts; on CUDA cores alone both are added. Other operations count as half of a MAC each, the
  most that the published rate allows; exponentials and roots, which run at a quarter of it or less, count the same, so
  the time is a lower bound.
- **memory**: bytes that the device's memory moves over its bandwidth; for these bytes see Cache.
- **L2**: all bytes over the L2's bandwidth.
- **launch**: 2 µs, the shortest time of a kernel (2 to 5 µs with its launch).

attainable_ms = max(tensor or CUDA cores, memory, L2, launch)
achieved_share = attainable_ms / time_ms
intensity = operations / bytes
ridge = rate of the arithmetic / bandwidth of the memory, both in operations per byte

The attainable time depends on assumptions about the L2, the accumulators of the tensor cores and the launch; a layer
may be faster. ``least_ms`` assumes the best case: only the bytes that no cache could hold, the fastest accumulators,
the fewest MACs of Winograd, no launch. A layer between the two has reached what is attainable (its share is 1; if
memory was its bound, the L2 served more than assumed, and its bound is L2). A layer below 1/1.05 of ``least_ms``
contradicts the model: wrong device, clocks above those assumed, or skipped work. Its share stays above 1.05, and a Note
reports it.

Without a device only intensity and achieved rates are known. Times under 0.5 µs are below the resolution of the events
that measured them: they have no shares. Neither have layers that launch no kernel.

Source: Williams, Waterman and Patterson, Roofline: an insightful visual performance model (2009). It does not hold for
layers that run in parallel with layers of another stream, which share what the model gives to one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trex.core.counted import counted
from trex.core.layer import Layer, Role
from trex.core.note import Note
from trex.core.printable import clipped
from trex.perf.achievable import BOUNDS, Bound, achievable, headroom_ms
from trex.perf.arithmetic import Arithmetic
from trex.perf.cache import Column, column, memory_bytes
from trex.perf.device import Device
from trex.perf.kernel_arithmetic import KernelArithmetic
from trex.perf.mac_rates import DeviceRates, mac_rates_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from trex.core.timings import LayerTime
    from trex.perf.work.work import Work
    from trex.plan.engine_plan import EnginePlan
from trex.plan.time_notes import TIMES_OF_OTHER_SHAPES

LAUNCH_MS = 0.002
RESOLUTION_MS = 0.0005
IMPOSSIBLE_SHARE = 1.05
FASTER_THAN_POSSIBLE = "faster-than-possible"
_CODE = {bound: code for code, bound in enumerate(BOUNDS)}
_ASSUMED = 0.8


@dataclass(frozen=True, eq=False)
class Roofline:
    """One value per layer of ``plan.layers``, NaN if unknown.

    time_ms: as measured, NaN if it has no share. multiply_ms, other_ms: of MACs and of all other operations.
    compute_ms, memory_ms, l2_ms: see above. memory_bytes: the bytes charged to the memory. operations: done, after
    Winograd. rate: of the arithmetic, operations per second. bound: codes into ``achievable.BOUNDS``. impossible: True
    if the time is below the physical limit. is_own: False for layers whose times contain other work than their own
    (``Performance.other_work``): they have no bound, no rates, and nothing to save.
    """

    device: Device | None
    time_ms: Column
    macs: Column
    other_ops: Column
    bytes_moved: Column
    operations: Column
    rate: Column
    multiply_ms: Column
    other_ms: Column
    compute_ms: Column
    memory_bytes: Column
    memory_ms: Column
    l2_ms: Column
    least_ms: Column
    attainable_ms: Column
    achieved_share: Column
    achievable_share: Column
    headroom_ms: Column
    confidence: Column
    bound: NDArray[np.int8]
    impossible: NDArray[np.bool_]
    is_own: NDArray[np.bool_]
    kernel_arithmetics: tuple[KernelArithmetic, ...]
    arithmetic: tuple[Arithmetic | None, ...]
    notes: tuple[Note, ...] = ()

    @property
    def bounds(self) -> list[Bound]:
        return [BOUNDS[code] for code in self.bound.tolist()]

    @property
    def intensity(self) -> Column:
        """Operations per byte."""
        return _over(self.operations, self.bytes_moved)

    @property
    def ridge(self) -> Column:
        """Operations per byte above which the arithmetic, not the memory, is the limit."""
        rate = self.device.bytes_per_s if self.device is not None else None
        return self.rate / rate.per_second if rate is not None else np.full_like(self.rate, np.nan)

    @property
    def achieved_tflops(self) -> Column:
        """Operations done, 10¹² a second."""
        return np.where(self.is_own, _over(self.operations, self.time_ms) * 1e-9, np.nan)

    @property
    def achieved_gb_per_s(self) -> Column:
        """Bytes moved, 10⁹ a second."""
        return np.where(self.is_own, _over(self.bytes_moved, self.time_ms) * 1e-6, np.nan)


def roofline_of(
    plan: EnginePlan, works: Sequence[Work], device: Device | None, other_work: Collection[int] = ()
) -> Roofline:
    """The roofline of every layer; without a device only what needs none.

    other_work: positions of the layers whose times contain other work than their own.
    """
    layers = plan.working_layers
    rates = DeviceRates(device)
    mac_rates = mac_rates_of(layers, rates)
    layer_times = plan.times
    if has_times_of_passes(plan) or any(note.code == TIMES_OF_OTHER_SHAPES for note in plan.notes):
        layer_times = (None,) * len(layers)  # the work is not that of the run
    times, notes = measured_ms(layer_times)
    macs, other = column([w.macs for w in works]), column([w.other_ops for w in works])
    moved = column([w.bytes_read for w in works]) + column([w.bytes_written for w in works])
    far, least_far = memory_bytes(layers, works, _capacity(device))

    cuda = column([rates.cuda(layer.compute.data_type) for layer in layers])
    multiply_ms = _time_ms(2 * macs * mac_rates.share, mac_rates.rate)
    other_ms = _time_ms(np.nan_to_num(other), cuda)
    on_matrix = mac_rates.on_matrix_units
    compute_ms = np.where(on_matrix, np.maximum(multiply_ms, other_ms), multiply_ms + other_ms)
    memory_ms = _time_ms(far, rates.memory)
    l2_ms = np.nan_to_num(_time_ms(moved, rates.l2))

    is_kernel = np.array([layer.role is Role.KERNEL for layer in layers], dtype=bool)
    is_own = np.array([position not in other_work for position in range(len(layers))], dtype=bool)
    known = is_own & is_kernel & ~np.isnan(compute_ms) & ~np.isnan(memory_ms) & (device is not None)
    by_matrix = np.where(on_matrix & (multiply_ms >= other_ms), compute_ms, 0.0)
    attainable, bound = _longest(by_matrix, compute_ms, memory_ms, l2_ms)
    least = _longest_of(
        _time_ms(2 * macs * mac_rates.least_share, mac_rates.fastest_rate),
        other_ms,
        _time_ms(least_far, rates.memory),
        l2_ms,
    )
    is_better = times < attainable
    bound[is_better & (bound == _CODE[Bound.MEMORY])] = _CODE[Bound.L2]
    bound[~known] = _CODE[Bound.UNKNOWN]
    attainable = np.where(known, np.where(is_better, np.maximum(times, least), attainable), np.nan)
    # Layers of a few ns, too: they are in other units.
    shown = column([None if time is None else time.ms for time in layer_times])
    impossible = is_own & is_kernel & (shown >= 0.0) & (least > IMPOSSIBLE_SHARE * np.maximum(shown, RESOLUTION_MS))
    reached = column([achievable(BOUNDS[code], work.kind).share for code, work in zip(bound.tolist(), works)])
    confidence = column([w.confidence for w in works])
    if device is None:
        notes += (_no_device(),)
    return Roofline(
        device=device,
        time_ms=times,
        macs=macs,
        other_ops=other,
        bytes_moved=moved,
        operations=2 * macs * mac_rates.share + other,
        rate=mac_rates.rate,
        multiply_ms=multiply_ms,
        other_ms=other_ms,
        compute_ms=compute_ms,
        memory_bytes=far,
        memory_ms=memory_ms,
        l2_ms=l2_ms,
        least_ms=np.where(is_own & is_kernel & (device is not None), least, np.nan),
        attainable_ms=attainable,
        achieved_share=_over(attainable, times),
        achievable_share=reached,
        headroom_ms=headroom_ms(times, attainable, reached, LAUNCH_MS),
        confidence=np.where(mac_rates.is_assumed & (macs > 0), _ASSUMED * confidence, confidence),
        bound=bound,
        impossible=impossible,
        is_own=is_own,
        kernel_arithmetics=mac_rates.kernel_arithmetics,
        arithmetic=mac_rates.arithmetic,
        notes=(*notes, *_contradictions(layers, shown, least, impossible)),
    )


def has_times_of_passes(plan: EnginePlan) -> bool:
    """Whether conditions or loops decide how often a layer ran while it was timed; predicted times are of one pass."""
    return plan.has_jumps and not plan.provenance.has_predicted_times


def _longest(by_matrix: Column, compute: Column, memory: Column, l2: Column) -> tuple[Column, NDArray[np.int8]]:
    """(the longest of the times and the launch, the code of its bound). Matrix units come first among equals."""
    parts = np.nan_to_num(np.stack([by_matrix, compute, memory, l2]))
    codes = [_CODE[bound] for bound in (Bound.TENSOR_CORES, Bound.CUDA_CORES, Bound.MEMORY, Bound.L2)]
    longest = parts.max(axis=0)
    bound = np.where(longest <= LAUNCH_MS, _CODE[Bound.LAUNCH], np.array(codes)[parts.argmax(axis=0)])
    return np.maximum(longest, LAUNCH_MS), bound.astype(np.int8)


def _longest_of(*parts: Column) -> Column:
    """The longest of the known ones, 0 if none is known."""
    longest: Column = np.nan_to_num(np.stack(parts)).max(axis=0)
    return longest


def measured_ms(times: Sequence[LayerTime | None]) -> tuple[Column, tuple[Note, ...]]:
    """(times long enough for shares, notes on the others). NaN: not measured, or too short."""
    known = column([None if time is None else time.ms for time in times])
    usable = np.isfinite(known) & (known >= RESOLUTION_MS)
    short = int(np.count_nonzero(np.isfinite(known) & ~usable))
    if not short:
        return np.where(usable, known, np.nan), ()
    note = Note(
        "times-below-resolution",
        f"{counted(short, 'layer')} of {len(times):,} took less than 0.5 µs, the resolution of the timer: "
        f"{'it has' if short == 1 else 'they have'} no shares",
        severity="info",
    )
    return np.where(usable, known, np.nan), (note,)


def _no_device() -> Note:
    return Note(
        "no-device",
        "unknown GPU: rates are known, shares of its peaks are not",
        "trex perf PATH --device NAME (trex devices lists them)",
        severity="info",
    )


def _contradictions(
    layers: Sequence[Layer], times: Column, least: Column, impossible: NDArray[np.bool_]
) -> tuple[Note, ...]:
    """One Note about all layers faster than the device's limit; the worst with its numbers."""
    indexes = np.flatnonzero(impossible)
    if not len(indexes):
        return ()
    with np.errstate(over="ignore", divide="ignore"):  # times such as 1e-320 ms, and 0
        shares = least[indexes] / times[indexes]
    worst = int(indexes[np.argmax(shares)])
    by = f", up to {shares.max():.2f}×" if np.isfinite(shares.max()) else ""
    return (
        Note(
            FASTER_THAN_POSSIBLE,
            f"{counted(len(indexes), 'layer was', 'layers were')} faster than the device's limit{by}: "
            f"{clipped(layers[worst].name, 60)} took {times[worst]:.4f} ms, at least "
            f"{least[worst]:.4f} ms expected",
            "likely causes: another device (--device NAME), clocks above those assumed, work that the kernel skipped, "
            "data that stayed in the L2, or a run at smaller shapes",
            severity="warning",
        ),
    )


def _capacity(device: Device | None) -> float | None:
    return None if device is None or device.l2_mib is None else device.l2_mib * 1024 * 1024


def _time_ms(amount: Column, per_second: Column | float) -> Column:
    """0 for no amount, whatever the rate; NaN if either is unknown."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(amount == 0, 0.0, amount / per_second * 1e3)


def _over(above: Column, below: Column) -> Column:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below > 0, above / below, np.nan)

"""Roofline: the time that a layer takes at least on a device, what bounds it, and which share of that it reaches.

Each layer has four times, all in milliseconds, of which the longest is attainable and names the bound:

- **tensor cores** or **CUDA cores**: 2 · macs / rate of the arithmetic in which the kernel multiplies (Winograd and 2:4
  sparsity with the products they leave), and all other operations at the CUDA cores' rate. Matrix units and CUDA cores
  work side by side, so there the longer of the two counts; on CUDA cores alone both are added. Other operations are
  charged as if each were half of a multiply-add, the most that the published rate allows; exponentials and roots, which
  run at a quarter of it or less, are charged the same, so the time is a lower one.
- **memory**: bytes that the device's memory moves over its bandwidth; which bytes these are, see Cache.
- **L2**: all bytes over the L2's bandwidth.
- **launch**: 2 µs, the shortest that a kernel of its own takes (2 to 5 µs with its launch).

attainable_ms = max(tensor or CUDA cores, memory, L2, launch)
achieved_share = attainable_ms / time_ms
intensity = operations / bytes, ridge = rate of the arithmetic / bandwidth, both in operations per byte.

What is attainable assumes which bytes come from the L2, which sums the matrix units make, and the launch; a layer may
do better. ``least_ms`` assumes the best: only the bytes that no cache could hold, the fastest sums, the fewest products
of Winograd, no launch. A layer between the two has reached what is attainable (its share is 1; if memory was
its bound, the L2 served more than assumed, and its bound is L2). A layer below 1/1.05 of ``least_ms`` contradicts the
model: wrong device, clocks above those assumed, or work that was not done. Its share, over 1.05, is left as it is and a
Note tells of it.

Without a device only relative statements are left: intensity and the rates that were achieved. Times under 0.5 µs are
below the resolution of the events that measured them: they have no shares. Layers that launch no kernel have none
either.

Source: Williams, Waterman and Patterson, Roofline: an insightful visual performance model (2009). It does not hold for
layers that run beside others on another stream, which share what the model gives to one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.core.layer import Layer, Role
from trex.core.note import Note
from trex.core.printable import clipped
from trex.perf.achievable import BOUNDS, Bound, achievable, headroom_ms
from trex.perf.arithmetic import Arithmetic
from trex.perf.cache import Column, column, memory_bytes
from trex.perf.device import Device, Rate
from trex.perf.multiplication import Multiplication, multiplication_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trex.core.timings import LayerTime
    from trex.perf.work.work import Work
    from trex.plan.engine_plan import EnginePlan

LAUNCH_MS = 0.002
RESOLUTION_MS = 0.0005
IMPOSSIBLE_SHARE = 1.05
_CODE = {bound: code for code, bound in enumerate(BOUNDS)}
_ASSUMED = 0.8


@dataclass(frozen=True, eq=False)
class Roofline:
    """One value per layer of ``plan.layers``, NaN where it is not known.

    time_ms: as measured, NaN where it has no share. multiply_ms, other_ms: of products and of all other operations.
    compute_ms, memory_ms, l2_ms: see above. memory_bytes: of the bytes, those charged to the memory. operations: done,
    after Winograd. rate: of the arithmetic, operations per second. bound: codes into ``achievable.BOUNDS``.
    impossible: True where the time is below what is possible at all. rates: what the arithmetics found on the device.
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
    multiplications: tuple[Multiplication, ...]
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
        """Operations per byte from which the arithmetic, not the memory, is the limit."""
        rate = self.device.bytes_per_s if self.device is not None else None
        return self.rate / rate.per_second if rate is not None else np.full_like(self.rate, np.nan)

    @property
    def achieved_tflops(self) -> Column:
        """Operations done, 10¹² a second."""
        return _over(self.operations, self.time_ms) * 1e-9

    @property
    def achieved_gb_per_s(self) -> Column:
        """Bytes moved, 10⁹ a second."""
        return _over(self.bytes_moved, self.time_ms) * 1e-6


def roofline_of(plan: EnginePlan, works: Sequence[Work], device: Device | None) -> Roofline:
    """The roofline of every layer; without a device only what needs none."""
    layers = plan.layers
    times, notes = measured_ms(plan.times)
    macs, other = column([w.macs for w in works]), column([w.other_ops for w in works])
    moved = column([w.bytes_read for w in works]) + column([w.bytes_written for w in works])
    multiplications = tuple(map(multiplication_of, layers))
    share = column([m.share for m in multiplications])
    least_share = column([m.least_share for m in multiplications])
    rates = _Rates(device)
    chosen = [rates.of(m.candidates) for m in multiplications]
    rate = column([None if each is None else each[1] for each in chosen])
    on_matrix = np.array([each is not None and each[0].tensor_core for each in chosen], dtype=bool)
    fastest = column([rates.per_second(m.fastest) for m in multiplications])
    cuda = column([rates.cuda(layer.compute.data_type) for layer in layers])
    multiply_ms, other_ms = _time_ms(2 * macs * share, rate), _time_ms(np.nan_to_num(other), cuda)
    compute = np.where(on_matrix, np.maximum(multiply_ms, other_ms), multiply_ms + other_ms)
    least_compute = np.fmax(np.nan_to_num(_time_ms(2 * macs * least_share, fastest)), np.nan_to_num(other_ms))
    far, least_far = memory_bytes(layers, works, _capacity(device))
    memory_ms, least_memory = _time_ms(far, rates.memory), np.nan_to_num(_time_ms(least_far, rates.memory))
    l2_ms = np.nan_to_num(_time_ms(moved, rates.l2)) if rates.l2 == rates.l2 else np.zeros_like(moved)
    is_kernel = np.array([layer.role is Role.KERNEL for layer in layers], dtype=bool)
    least = np.maximum(np.maximum(least_compute, least_memory), l2_ms)
    parts = np.stack([np.where(on_matrix & (multiply_ms >= other_ms), compute, 0.0), compute, memory_ms, l2_ms])
    known = is_kernel & ~np.isnan(compute) & ~np.isnan(memory_ms) & (device is not None)
    order = [Bound.TENSOR_CORES, Bound.CUDA_CORES, Bound.MEMORY, Bound.L2]
    which = np.array([_CODE[b] for b in order], dtype=np.int8)[np.argmax(np.nan_to_num(parts), axis=0)]
    soft = np.maximum(np.nan_to_num(parts).max(axis=0) if len(layers) else compute, LAUNCH_MS)
    bound = np.where(soft <= LAUNCH_MS, _CODE[Bound.LAUNCH], which)
    better = times < soft
    in_l2 = better & (bound == _CODE[Bound.MEMORY])
    bound = np.where(known, np.where(in_l2, _CODE[Bound.L2], bound), _CODE[Bound.UNKNOWN]).astype(np.int8)
    attainable = np.where(known, np.where(better, np.maximum(times, least), soft), np.nan)
    impossible = is_kernel & (least > IMPOSSIBLE_SHARE * times)
    reached = column([achievable(BOUNDS[b], w.kind).share for b, w in zip(bound.tolist(), works)])
    confidence = column([w.confidence for w in works]) * np.where(
        np.array([m.is_assumed for m in multiplications], dtype=bool) & (macs > 0), _ASSUMED, 1.0
    )
    if device is None:
        notes += (_NO_DEVICE,)
    notes += _contradictions(layers, times, least, impossible)
    return Roofline(
        device=device,
        time_ms=times,
        macs=macs,
        other_ops=other,
        bytes_moved=moved,
        operations=2 * macs * share + other,
        rate=rate,
        multiply_ms=multiply_ms,
        other_ms=other_ms,
        compute_ms=compute,
        memory_bytes=far,
        memory_ms=memory_ms,
        l2_ms=l2_ms,
        least_ms=np.where(is_kernel, least, np.nan) if device is not None else np.full_like(times, np.nan),
        attainable_ms=attainable,
        achieved_share=_over(attainable, times),
        achievable_share=reached,
        headroom_ms=headroom_ms(times, attainable, reached, LAUNCH_MS),
        confidence=confidence,
        bound=bound,
        impossible=impossible,
        multiplications=multiplications,
        arithmetic=tuple([None if each is None else each[0] for each in chosen]),
        notes=notes,
    )


def measured_ms(times: Sequence[LayerTime | None]) -> tuple[Column, tuple[Note, ...]]:
    """(average times of which shares can be told, what is to be said of the others). NaN: not measured, too short."""
    told = column([None if time is None else time.average_ms for time in times])
    usable = np.isfinite(told) & (told >= RESOLUTION_MS)
    short = int(np.count_nonzero(np.isfinite(told) & ~usable))
    if not short:
        return np.where(usable, told, np.nan), ()
    note = Note(
        "times-below-resolution",
        f"{counted(short, 'layer')} of {len(times):,} took less than 0.5 µs, which is what the timer can tell: "
        f"{'it has' if short == 1 else 'they have'} no shares",
        severity="info",
    )
    return np.where(usable, told, np.nan), (note,)


_NO_DEVICE = Note(
    "no-device",
    "which GPU this ran on is not known, so there is nothing to judge the times by: rates are told, shares are not",
    "trex perf PATH --device NAME (trex devices lists them)",
    severity="info",
)


def _contradictions(
    layers: Sequence[Layer], times: Column, least: Column, impossible: NDArray[np.bool_]
) -> tuple[Note, ...]:
    """One Note of all layers whose times the device cannot explain; the worst of them with the rate it would need."""
    places = np.flatnonzero(impossible)
    if not len(places):
        return ()
    shares = least[places] / times[places]
    worst = int(places[np.argmax(shares)])
    return (
        Note(
            "faster-than-possible",
            f"{counted(len(places), 'layer was', 'layers were')} faster than the device can be, up to "
            f"{shares.max():.2f} times: {clipped(layers[worst].name, 60)} took {times[worst]:.4f} ms where "
            f"{least[worst]:.4f} ms are the least",
            "likely causes: another device than the one that is assumed (--device NAME), clocks above those assumed, "
            "work that the kernel did not do, or data that stayed in the L2",
            severity="warning",
        ),
    )


class _Rates:
    """Rates of a device by arithmetic, each looked up once; NaN where it is not known."""

    def __init__(self, device: Device | None) -> None:
        self._device = device
        self._found: dict[Arithmetic, float] = {}
        self._chosen: dict[tuple[Arithmetic, ...], tuple[Arithmetic, float] | None] = {}
        self._cuda: dict[DataType, float] = {}
        self.memory = _per_second(None if device is None else device.bytes_per_s)
        self.l2 = _per_second(None if device is None else device.l2_bytes_per_s)

    def of(self, candidates: tuple[Arithmetic, ...]) -> tuple[Arithmetic, float] | None:
        """The fastest of the candidates that the device has, and its rate; None where it has none of them."""
        if candidates not in self._chosen:
            rates = [(self._rate(each), each) for each in candidates]
            known = [(rate, each) for rate, each in rates if rate == rate]
            best = max(known, key=lambda one: one[0], default=None)
            self._chosen[candidates] = None if best is None else (best[1], best[0])
        return self._chosen[candidates]

    def per_second(self, candidates: tuple[Arithmetic, ...]) -> float | None:
        best = self.of(candidates)
        return None if best is None else best[1]

    def cuda(self, data_type: DataType) -> float:
        """The CUDA cores' rate for other operations: in FP32, or in the layer's own type where that is faster."""
        if data_type not in self._cuda:
            both = [self._rate(Arithmetic(each, tensor_core=False)) for each in {DataType.FP32, data_type}]
            self._cuda[data_type] = max((rate for rate in both if rate == rate), default=float("nan"))
        return self._cuda[data_type]

    def _rate(self, arithmetic: Arithmetic) -> float:
        if self._device is None or not arithmetic.data_type.is_known:
            return float("nan")
        if arithmetic not in self._found:
            self._found[arithmetic] = _per_second(self._device.ops_per_s(arithmetic))
        return self._found[arithmetic]


def _per_second(rate: Rate | None) -> float:
    return float("nan") if rate is None else rate.per_second


def _capacity(device: Device | None) -> float | None:
    return None if device is None or device.l2_mib is None else device.l2_mib * 1024 * 1024


def _time_ms(amount: Column, per_second: Column | float) -> Column:
    """0 for no amount, whatever the rate; NaN where either is unknown."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(amount == 0, 0.0, amount / per_second * 1e3)


def _over(above: Column, below: Column) -> Column:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(below > 0, above / below, np.nan)

"""Series → ConversionCost: what a conversion between two engines' choices would take, from those that were measured."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from trex.core.tensor import Tensor
from trex.perf.device import Device
from trex.perf.roofline import LAUNCH_MS

_ABOVE_FLOOR = 2.0
_FEWEST = 3


@dataclass(frozen=True, slots=True)
class ConversionCost:
    """floor_ms: the least that one takes. bytes_per_ms: of what it reads and writes; None when nothing tells it, and
    every conversion is told at the floor. source: where both come from, in words.
    """

    floor_ms: float
    bytes_per_ms: float | None
    source: str

    def ms(self, moved: float | None) -> float:
        """Of so many bytes read and written together; at the floor where they are not known."""
        if moved is None or self.bytes_per_ms is None:
            return self.floor_ms
        return max(self.floor_ms, moved / self.bytes_per_ms)

    def between(self, written: Tensor, read: Tensor) -> float:
        """From a tensor as one engine writes it to the same as the other reads it; 0 where type and format agree."""
        if is_alike(written, read):
            return 0.0
        sizes = written.size_bytes, read.size_bytes
        return self.ms(None if sizes[0] is None or sizes[1] is None else float(sizes[0] + sizes[1]))


def is_alike(one: Tensor, other: Tensor) -> bool:
    """Whether two tensors have one type and one format."""
    return one.data_type is other.data_type and one.format.label == other.format.label


def conversion_cost(measured: Iterable[tuple[float, float]], device: Device | None) -> ConversionCost:
    """measured: (bytes read and written, ms) of the engines' own conversions.

    The floor is the shortest of them, the rate the median of those that took at least twice that. With fewer than three
    such, the device's bandwidth; with fewer than three in all, 2 µs for a launch as the floor.
    """
    known = [(moved, ms) for moved, ms in measured if moved > 0.0 and ms > 0.0]
    floor = min(ms for _, ms in known) if len(known) >= _FEWEST else LAUNCH_MS
    rates = [moved / ms for moved, ms in known if ms >= _ABOVE_FLOOR * floor]
    if len(known) >= _FEWEST and len(rates) >= _FEWEST:
        return ConversionCost(floor, median(rates), f"{len(known)} conversions that were measured in these engines")
    rate = device.bytes_per_s if device is not None else None
    if device is not None and rate is not None:
        return ConversionCost(floor, rate.per_second / 1000.0, f"the bandwidth of {device.name}")
    return ConversionCost(
        floor, None, "the shortest conversion measured" if len(known) >= _FEWEST else "a launch alone"
    )

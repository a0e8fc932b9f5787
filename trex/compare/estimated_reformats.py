"""The estimated time of a reformat between layers of two engines, from the reformats measured in these engines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from trex.core.tensor import Tensor
from trex.perf.device import Device
from trex.perf.roofline import LAUNCH_MS

_LARGE = 2.0
_FEWEST = 3


@dataclass(frozen=True, slots=True)
class ReformatCost:
    """floor_ms: the shortest possible time. bytes_per_ms: bytes read and written per millisecond; None if unknown, and
    every reformat costs the floor. source: where both come from.
    """

    floor_ms: float
    bytes_per_ms: float | None
    source: str

    def ms(self, moved: float | None) -> float:
        """For this many bytes read and written; the floor if they are unknown."""
        if moved is None or self.bytes_per_ms is None:
            return self.floor_ms
        return max(self.floor_ms, moved / self.bytes_per_ms)

    def between(self, written: Tensor, read: Tensor) -> float:
        """From a tensor as one engine writes it to how the other reads it; 0 if type and format match."""
        if has_same_layout(written, read):
            return 0.0
        sizes = written.size_bytes, read.size_bytes
        return self.ms(None if sizes[0] is None or sizes[1] is None else float(sizes[0] + sizes[1]))


def has_same_layout(one: Tensor, other: Tensor) -> bool:
    """Whether two tensors have the same type and format."""
    return one.data_type is other.data_type and one.format.label == other.format.label


def reformat_cost(measured: Iterable[tuple[float, float]], device: Device | None) -> ReformatCost:
    """measured: (bytes read and written, ms) of the engines' own reformats.

    The floor is the shortest of them, the rate the median of those that took at least twice as long. With fewer than
    three of these, the rate is the device's bandwidth; with fewer than three in all, the floor is 2 µs for a launch.
    """
    known = [(moved, ms) for moved, ms in measured if moved > 0.0 and ms > 0.0]
    floor = min(ms for _, ms in known) if len(known) >= _FEWEST else LAUNCH_MS
    rates = [moved / ms for moved, ms in known if ms >= _LARGE * floor]
    if len(known) >= _FEWEST and len(rates) >= _FEWEST:
        return ReformatCost(floor, median(rates), f"{len(known)} reformats measured in these engines")
    rate = device.bytes_per_s if device is not None else None
    if device is not None and rate is not None:
        return ReformatCost(floor, rate.per_second / 1000.0, f"the bandwidth of {device.name}")
    return ReformatCost(floor, None, "the shortest measured reformat" if len(known) >= _FEWEST else "a kernel launch")

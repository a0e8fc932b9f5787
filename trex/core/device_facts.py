"""DeviceFacts: the numbers about a GPU that performance models need."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DeviceFacts:
    """What a file says about the device, in fixed units; None for what it does not say.

    compute_capability: (major, minor). compute_clock_ghz, memory_clock_ghz: the application (maximum) clocks that the
    driver reports, not clocks measured during a run. memory_bus_bits: width of the memory interface.
    memory_mib, shared_memory_per_sm_kib, l2_mib: capacities in binary units.
    """

    name: str | None = None
    compute_capability: tuple[int, int] | None = None
    sm_count: int | None = None
    compute_clock_ghz: float | None = None
    memory_clock_ghz: float | None = None
    memory_bus_bits: int | None = None
    memory_mib: float | None = None
    shared_memory_per_sm_kib: float | None = None
    l2_mib: float | None = None

    @property
    def is_empty(self) -> bool:
        return self == DeviceFacts()

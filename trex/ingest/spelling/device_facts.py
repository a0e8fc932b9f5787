"""Device section of a metadata file → DeviceFacts, for every known set of keys and units."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from trex.core.device_facts import DeviceFacts
from trex.ingest.spelling.written_number import written_number, written_quantity

_GHZ = {"ghz": 1.0, "mhz": 1e3, "khz": 1e6, "hz": 1e9}
_BYTES_PER = {"b": 1, "bytes": 1, "kib": 2**10, "kb": 1000, "mib": 2**20, "mb": 10**6, "gib": 2**30, "gb": 10**9}

_CAPABILITY = re.compile(r"(?:sm_?)?([0-9]{1,3})\.([0-9]{1,2})")
_SM = re.compile(r"sm_?([0-9]{1,2})([0-9])[af]?", re.IGNORECASE)
_QUOTED_NAME = re.compile(r'"([^"]+)"')
_LETTERS = re.compile(r"[^a-z0-9]")


def device_facts(device: Mapping[str, Any]) -> DeviceFacts:
    """The facts in a device section; the first readable spelling wins.

    Accepts the keys of trtexec 8.0 to 11.x (``Compute Clock Rate``, ``Application Compute Clock Rate``, ``Memory Bus
    Width: 192 bits (ECC disabled)``), of CUDA attribute dumps (``CLOCK_RATE`` in kHz, ``TotalMemory`` in bytes) and of
    cudaDeviceProp (``clockRate``). A number without a unit is in trtexec's unit under trtexec's keys (GHz, MiB, KiB,
    bits), and in CUDA's unit under other keys (kHz, bytes).
    """
    section = _Section(device)
    return DeviceFacts(
        name=_name(section),
        compute_capability=_capability(section),
        sm_count=_whole(section.first_number("sms", "multiprocessorcount", "smcount")),
        compute_clock_ghz=section.clock_ghz("computeclockrate", "applicationcomputeclockrate", "clockrate"),
        memory_clock_ghz=section.clock_ghz("memoryclockrate", "applicationmemoryclockrate"),
        memory_bus_bits=_whole(
            section.first_number("memorybuswidth", "globalmemorybuswidth", "memorybuswidthbits"),
        ),
        memory_mib=section.size("deviceglobalmemory", "totalmemory", "totalglobalmem", bare="mib"),
        shared_memory_per_sm_kib=section.size(
            "sharedmemorypersm",
            "maxsharedmemorypermultiprocessor",
            "sharedmempermultiprocessor",
            bare="kib",
        ),
        l2_mib=section.size("l2cachesize", bare="mib"),
    )


def trtexec_device_section(facts: DeviceFacts) -> dict[str, str]:
    """The facts as trtexec prints them under ``=== Device Information ===``, without unknown ones."""
    section = {}
    if facts.name:
        section["Selected Device"] = facts.name
    if facts.compute_capability:
        section["Compute Capability"] = ".".join(map(str, facts.compute_capability))
    if facts.sm_count is not None:
        section["SMs"] = str(facts.sm_count)
    if facts.compute_clock_ghz is not None:
        section["Compute Clock Rate"] = f"{facts.compute_clock_ghz:g} GHz"
    if facts.memory_mib is not None:
        section["Device Global Memory"] = f"{int(facts.memory_mib)} MiB"
    if facts.shared_memory_per_sm_kib is not None:
        section["Shared Memory per SM"] = f"{facts.shared_memory_per_sm_kib:g} KiB"
    if facts.memory_bus_bits is not None:
        section["Memory Bus Width"] = f"{facts.memory_bus_bits} bits"
    if facts.memory_clock_ghz is not None:
        section["Memory Clock Rate"] = f"{facts.memory_clock_ghz:g} GHz"
    return section


class _Section:
    """A device section by normalized key: lower case, letters and digits only. trtexec's keys come first."""

    def __init__(self, device: Mapping[str, Any]) -> None:
        self.values: dict[str, list[tuple[bool, Any]]] = {}
        for key, value in device.items():
            if isinstance(key, str):
                is_trtexec = "_" not in key and (" " in key or key == "SMs")
                self.values.setdefault(_LETTERS.sub("", key.lower()), []).append((is_trtexec, value))
        for candidates in self.values.values():
            candidates.sort(key=lambda candidate: not candidate[0])

    def of(self, *keys: str) -> Iterable[tuple[bool, Any]]:
        """(whether the key is trtexec's, value) of every entry under the keys, in the order of the keys."""
        for key in keys:
            yield from self.values.get(key, ())

    def first_number(self, *keys: str) -> float | None:
        for _, value in self.of(*keys):
            quantity = written_quantity(value)
            if quantity and quantity[0] > 0:
                return quantity[0]
        return None

    def clock_ghz(self, *keys: str) -> float | None:
        for is_trtexec, value in self.of(*keys):
            quantity = written_quantity(value)
            if quantity and quantity[0] > 0:
                divisor = _GHZ.get(quantity[1] or ("ghz" if is_trtexec else "khz"))
                if divisor:
                    return quantity[0] / divisor
        return None

    def size(self, *keys: str, bare: str) -> float | None:
        """A capacity in the unit ``bare``, the unit of trtexec's numbers without one."""
        for is_trtexec, value in self.of(*keys):
            quantity = written_quantity(value)
            if quantity and quantity[0] > 0:
                factor = _BYTES_PER.get(quantity[1] or (bare if is_trtexec else "bytes"))
                if factor:
                    return quantity[0] * factor / _BYTES_PER[bare]
        return None


def _name(section: _Section) -> str | None:
    for _, value in section.of("selecteddevice", "name", "devicename", "gpu", "gpuname", "device"):
        if isinstance(value, str) and value.strip().strip('"'):
            return value.strip().strip('"')
    listed = [value for key in section.values if re.fullmatch("device[0-9]{1,3}", key) for _, value in section.of(key)]
    if len(listed) == 1 and isinstance(listed[0], str):
        quoted = _QUOTED_NAME.search(listed[0])
        return quoted[1] if quoted else None
    return None


def _capability(section: _Section) -> tuple[int, int] | None:
    for _, value in section.of("computecapability", "cc", "smversion"):
        if isinstance(value, (list, tuple)) and len(value) >= 2:
            major, minor = _whole(written_number(value[0])), _whole(written_number(value[1]))
            if major is not None and minor is not None:
                return major, minor
        text = str(value) if type(value) is float else f"{value}.0" if _is_small(value) else value
        if isinstance(text, str):
            match = _CAPABILITY.fullmatch(text.strip()) or _SM.fullmatch(text.strip())
            if match:
                return int(match[1]), int(match[2])
    majors = [_whole(written_number(value)) for _, value in section.of("computecapabilitymajor", "major")]
    minors = [_whole(written_number(value)) for _, value in section.of("computecapabilityminor", "minor")]
    if majors and minors and majors[0] is not None and minors[0] is not None:
        return majors[0], minors[0]
    return None


def _is_small(value: Any) -> bool:
    """Whether an int can only be a major version (``8`` for 8.0), not an architecture number (86)."""
    return type(value) is int and 0 < value < 20


def _whole(number: float | None) -> int | None:
    return int(number) if number is not None and number >= 0 and number == int(number) else None

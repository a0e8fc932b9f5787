"""Device section of a metadata file → DeviceFacts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from trex.core.device_facts import DeviceFacts
from trex.ingest.spelling.written_number import written_number, written_quantity

# {unit: how many of it are one GHz, KiB, MiB}
_GHZ = {"ghz": 1.0, "mhz": 1e3, "khz": 1e6, "hz": 1e9}
_KIB = {"b": 2**10, "bytes": 2**10, "kib": 1, "mib": 2**-10, "gib": 2**-20}
_MIB = {"b": 2**20, "bytes": 2**20, "kib": 2**10, "mib": 1, "gib": 2**-10}
_COUNT = {"": 1.0, "bits": 1.0}
_SLOWEST_GHZ, _FASTEST_GHZ = 0.001, 100.0
"""Below any clock of a GPU that runs, and above the effective clock of any memory (GDDR7: 28 GHz): a number of another
unit, so unknown.
"""
_LEAST, _MOST = 1e-3, 1e9
"""Of counts, KiB and MiB."""

_DECIMAL_COMMA = re.compile(r"^(\s*[0-9]{1,2}),([0-9]{1,3}\s*GHz)", re.IGNORECASE)
"""No clock has thousands of GHz: in some locales a program prints 1,425 GHz."""
_CAPABILITY = re.compile(r"([0-9]{1,3})\.([0-9]{1,2})")
_DEVICE_KEY = re.compile("device[0-9]{1,3}")
_UUID = re.compile("gpu-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_QUOTED_NAME = re.compile(r'"([^"]+)"')
_LETTERS = re.compile(r"[^a-z0-9]")


def device_facts(device: Mapping[str, Any]) -> DeviceFacts:
    """The facts in a device section.

    Accepts the keys of trtexec 8.0 to 11.x (``Compute Clock Rate``, ``Application Compute Clock Rate``, ``Memory Bus
    Width: 192 bits (ECC disabled)``) and of CUDA attribute dumps (``CLOCK_RATE`` in kHz, ``TotalMemory`` in bytes). A
    number without a unit is in trtexec's unit under trtexec's keys (GHz, MiB, KiB, bits), and in CUDA's unit under
    other keys (kHz, bytes).
    """
    section = _Section(device)
    return DeviceFacts(
        name=_name(section),
        compute_capability=_capability(section),
        sm_count=_whole(section.amount(_COUNT, "", "", "sms", "multiprocessorcount")),
        compute_clock_ghz=section.amount(
            _GHZ, "ghz", "khz", "computeclockrate", "applicationcomputeclockrate", "clockrate"
        ),
        memory_clock_ghz=section.amount(_GHZ, "ghz", "khz", "memoryclockrate", "applicationmemoryclockrate"),
        memory_bus_bits=_whole(section.amount(_COUNT, "", "", "memorybuswidth", "globalmemorybuswidth")),
        memory_mib=section.amount(_MIB, "mib", "bytes", "deviceglobalmemory", "totalmemory"),
        shared_memory_per_sm_kib=section.amount(
            _KIB, "kib", "bytes", "sharedmemorypersm", "maxsharedmemorypermultiprocessor"
        ),
        l2_mib=section.amount(_MIB, "mib", "bytes", "l2cachesize"),
    )


def trtexec_device_section(facts: DeviceFacts) -> dict[str, str]:
    """The facts as trtexec prints them under ``=== Device Information ===``, without unknown ones."""
    capability = facts.compute_capability and ".".join(map(str, facts.compute_capability))
    memory_mib = None if facts.memory_mib is None else int(facts.memory_mib)
    facts_and_units = {
        "Selected Device": (facts.name or None, ""),
        "Compute Capability": (capability, ""),
        "SMs": (facts.sm_count, ""),
        "Compute Clock Rate": (facts.compute_clock_ghz, " GHz"),
        "Device Global Memory": (memory_mib, " MiB"),
        "Shared Memory per SM": (facts.shared_memory_per_sm_kib, " KiB"),
        "Memory Bus Width": (facts.memory_bus_bits, " bits"),
        "Memory Clock Rate": (facts.memory_clock_ghz, " GHz"),
    }
    return {
        key: f"{value:g}{unit}" if isinstance(value, float) else f"{value}{unit}"
        for key, (value, unit) in facts_and_units.items()
        if value is not None
    }


def uuid_of_gpu(device: Mapping[str, Any]) -> str:
    """In lower case; "" if it is unknown, or the device is a part of a GPU (MIG), for which CUDA and NVML state two."""
    section = _Section(device)
    uuid = str(section.values.get("selecteddeviceuuid") or section.values.get("uuid") or "").lower()
    is_part = "MIG" in (_name(section) or "").split()
    return uuid if _UUID.fullmatch(uuid) and not is_part else ""


class _Section:
    """A device section by normalized key: lower case, letters and digits only. trtexec's keys win."""

    def __init__(self, device: Mapping[str, Any]) -> None:
        self.values: dict[str, Any] = {}
        self.of_trtexec: set[str] = set()
        for written, value in device.items():
            key = _LETTERS.sub("", written.lower())
            is_trtexec = "_" not in written and (" " in written or written == "SMs")
            if is_trtexec or key not in self.of_trtexec:
                self.values[key] = value
            if is_trtexec:
                self.of_trtexec.add(key)

    def amount(self, units: Mapping[str, float], bare: str, bare_cuda: str, *keys: str) -> float | None:
        """The first positive quantity under the keys. bare, bare_cuda: the unit of a number without one."""
        for key in keys:
            value = self.values.get(key)
            if isinstance(value, str):
                value = _DECIMAL_COMMA.sub(r"\1.\2", value, count=1)
            quantity = written_quantity(value)
            if quantity and quantity[0] > 0:
                unit = units.get(quantity[1] or (bare if key in self.of_trtexec else bare_cuda))
                least, most = (_SLOWEST_GHZ, _FASTEST_GHZ) if units is _GHZ else (_LEAST, _MOST)
                if unit and least <= quantity[0] / unit <= most:
                    return quantity[0] / unit
        return None


def _name(section: _Section) -> str | None:
    for key in ("selecteddevice", "name"):
        value = section.values.get(key)
        if isinstance(value, str) and value.strip().strip('"'):
            return value.strip().strip('"')
    listed = [value for key, value in section.values.items() if _DEVICE_KEY.fullmatch(key)]
    quoted = _QUOTED_NAME.search(listed[0]) if len(listed) == 1 and isinstance(listed[0], str) else None
    return quoted[1] if quoted else None


def _capability(section: _Section) -> tuple[int, int] | None:
    value = section.values.get("computecapability")
    if isinstance(value, list | tuple) and len(value) >= 2:
        major, minor = _whole(written_number(value[0])), _whole(written_number(value[1]))
        return None if major is None or minor is None else (major, minor)
    match = _CAPABILITY.fullmatch(str(value).strip())
    return (int(match[1]), int(match[2])) if match else None


def _whole(number: float | None) -> int | None:
    return int(number) if number is not None and number >= 0 and number == int(number) else None

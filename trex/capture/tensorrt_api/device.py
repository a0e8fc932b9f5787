"""The GPU as trtexec's log describes it."""

from __future__ import annotations

from typing import Any

from trex.capture.tensorrt_api.cuda_common import ATTRIBUTES
from trex.capture.tensorrt_api.errors import CollectorError


def device_section(cuda: Any) -> dict[str, str]:
    """Facts that CUDA does not report are left out. Clocks are the highest, not those of the run."""
    section = {"Selected Device": cuda.device_name()}
    major, minor = _attribute(cuda, "ComputeCapabilityMajor"), _attribute(cuda, "ComputeCapabilityMinor")
    if major:
        section["Compute Capability"] = "%d.%d" % (major, minor)
    for key, name, divisor, unit in (
        ("SMs", "MultiProcessorCount", 1, ""),
        ("Shared Memory per SM", "MaxSharedMemoryPerMultiprocessor", 1024, " KiB"),
        ("Memory Bus Width", "GlobalMemoryBusWidth", 1, " bits"),
        ("Application Compute Clock Rate", "ClockRate", 1e6, " GHz"),
        ("Application Memory Clock Rate", "MemoryClockRate", 1e6, " GHz"),
    ):
        value = _attribute(cuda, name)
        if value > 0:
            section[key] = f"{value / divisor:g}{unit}"
    memory = cuda.memory_bytes()
    if memory:
        section["Device Global Memory"] = "%d MiB" % (memory >> 20)
    return section


def _attribute(cuda: Any, name: str) -> int:
    try:
        return int(cuda.attribute(ATTRIBUTES[name]))
    except (CollectorError, KeyError, ValueError):
        return 0

"""The GPU, in trtexec's words."""

from __future__ import annotations

from typing import Any

from trex.capture.tensorrt_api.cuda_calls import ATTRIBUTES
from trex.capture.tensorrt_api.fault import Fault


def device_section(cuda: Any) -> dict[str, str]:
    """What CUDA tells of the GPU; what it does not tell is left out. Clocks are the highest, not those of the run."""
    section = {"Selected Device": cuda.device_name()}
    major, minor = _asked(cuda, "ComputeCapabilityMajor"), _asked(cuda, "ComputeCapabilityMinor")
    if major:
        section["Compute Capability"] = "%d.%d" % (major, minor)
    for key, name, per, unit in (
        ("SMs", "MultiProcessorCount", 1, ""),
        ("Shared Memory per SM", "MaxSharedMemoryPerMultiprocessor", 1024, " KiB"),
        ("Memory Bus Width", "GlobalMemoryBusWidth", 1, " bits"),
        ("Application Compute Clock Rate", "ClockRate", 1e6, " GHz"),
        ("Application Memory Clock Rate", "MemoryClockRate", 1e6, " GHz"),
    ):
        value = _asked(cuda, name)
        if value > 0:
            section[key] = f"{value / per:g}{unit}"
    memory = cuda.memory_bytes()
    if memory:
        section["Device Global Memory"] = "%d MiB" % (memory >> 20)
    return section


def _asked(cuda: Any, name: str) -> int:
    try:
        return int(cuda.attribute(ATTRIBUTES[name]))
    except (Fault, KeyError, ValueError):
        return 0

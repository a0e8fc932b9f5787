"""CUDA through cuda-python or pycuda, whichever is installed, with the same few calls; the GPU as logs describe it."""

from __future__ import annotations

import ctypes
from typing import Any, Callable

from trex.capture.tensorrt_api.cuda_common import ATTRIBUTES
from trex.capture.tensorrt_api.cuda_python import CudaPython
from trex.capture.tensorrt_api.errors import CollectorError
from trex.capture.tensorrt_api.log import Log
from trex.capture.tensorrt_api.pycuda_driver import PyCuda

# Streams, events and graphs are the binding's own objects; memory is an int; ``handle`` is what TensorRT takes.
BINDINGS: dict[str, Callable[[int], Any]] = {"cuda-python": CudaPython, "pycuda": PyCuda}
NO_CUDA_HINT = "pip install cuda-python (trex's extra: tensorrt-engine-explorer[gpu]), or pycuda"


def open_cuda(log: Log, name: str, device: int) -> Any | None:
    """The binding ``name``, or the first that works for ""; None if none is installed.

    Raises CollectorError without a GPU.
    """
    if name == "none":
        return None
    if name and name not in BINDINGS:
        raise CollectorError(f"there is no CUDA binding {name!r}", "one of {}, none".format(", ".join(BINDINGS)))
    failure: CollectorError | None = None
    for choice in [name] if name else BINDINGS:
        try:
            cuda = BINDINGS[choice](device)
        except CollectorError as error:  # perhaps made for another driver; the next one may fit
            failure = failure or error
            continue
        except ImportError as error:
            if name:
                raise CollectorError(f"{choice} cannot be used: {error}", NO_CUDA_HINT) from None
            continue
        log.info(f"CUDA through {choice}, driver {cuda.driver_version}, runtime {cuda.runtime_version}")
        return cuda
    if failure is not None:
        raise failure
    return None


def has_driver() -> bool:
    """Whether NVIDIA's driver is installed."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


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

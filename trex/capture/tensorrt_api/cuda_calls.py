"""What the ways to CUDA share: numbers of CUDA's own, versions in words, and how a failed call is told."""

from __future__ import annotations

import ctypes

from trex.capture.tensorrt_api.fault import FAILED, Fault

HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE = 1, 2, 3
CAPTURE_OF_THIS_THREAD = 1
EVENT_BLOCKS = 1
# cudaDeviceAttr, the same numbers as the driver's CUdevice_attribute
ATTRIBUTES: dict[str, int] = {
    "ClockRate": 13,
    "MultiProcessorCount": 16,
    "MemoryClockRate": 36,
    "GlobalMemoryBusWidth": 37,
    "L2CacheSize": 38,
    "ComputeCapabilityMajor": 75,
    "ComputeCapabilityMinor": 76,
    "MaxSharedMemoryPerMultiprocessor": 81,
}


def cuda_fault(call: str, said: str) -> Fault:
    hint = "nvidia-smi should list the GPU" if "device" in said.lower() or "driver" in said.lower() else ""
    if "memory" in said.lower():
        hint = "other programs may hold the GPU's memory; smaller shapes need less"
    return Fault(f"CUDA's {call} failed: {said}", hint, FAILED)


def check_device(device: int, count: int) -> None:
    """Raises Fault for a number that none of the ``count`` GPUs has."""
    if not 0 <= device < count:
        there = (
            "none" if count < 1 else "one, which is number 0" if count == 1 else f"{count}, numbers 0 to {count - 1}"
        )
        raise Fault(
            f"there is no GPU {device}: CUDA finds {there}",
            "nvidia-smi -L lists the GPUs; choose one of these numbers (CUDA_VISIBLE_DEVICES renumbers them)",
        )


def fill_host(address: int, data: bytes) -> None:
    ctypes.memmove(address, data, len(data))


def cuda_version(number: int) -> str:
    """12090 → 12.9."""
    return "%d.%d" % (number // 1000, number % 1000 // 10)

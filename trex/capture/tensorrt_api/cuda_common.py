"""Shared by the CUDA bindings: CUDA's numbers, versions as text, and errors."""

from __future__ import annotations

import ctypes

from trex.capture.tensorrt_api.errors import FAILED, CollectorError

HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE = 1, 2, 3
CAPTURE_OF_THIS_THREAD = 1
EVENT_BLOCKS = 1
# cudaDeviceAttr, the same numbers as the driver's CUdevice_attribute
ATTRIBUTES: dict[str, int] = {
    "ClockRate": 13,
    "MultiProcessorCount": 16,
    "MemoryClockRate": 36,
    "GlobalMemoryBusWidth": 37,
    "ComputeCapabilityMajor": 75,
    "ComputeCapabilityMinor": 76,
    "MaxSharedMemoryPerMultiprocessor": 81,
}


def cuda_error(call: str, message: str) -> CollectorError:
    lower = message.lower()
    hint = "nvidia-smi should list the GPU" if "device" in lower or "driver" in lower else ""
    if "memory" in lower:
        hint = "other programs may use the GPU's memory; smaller shapes need less"
    return CollectorError(f"CUDA's {call} failed: {message}", hint, FAILED)


def check_device(device: int, count: int) -> None:
    """Raises CollectorError for a number that none of the ``count`` GPUs has."""
    if not 0 <= device < count:
        gpus = "none" if count < 1 else "one, number 0" if count == 1 else f"{count}, numbers 0 to {count - 1}"
        raise CollectorError(
            f"there is no GPU {device}: CUDA finds {gpus}",
            "nvidia-smi -L lists the GPUs; choose one of these numbers (CUDA_VISIBLE_DEVICES renumbers them)",
        )


def fill_host(address: int, data: bytes) -> None:
    ctypes.memmove(address, data, len(data))


def cuda_version(number: int) -> str:
    """12090 → 12.9."""
    return "%d.%d" % (number // 1000, number % 1000 // 10)

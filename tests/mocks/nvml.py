"""A mock of the module ``pynvml``: the functions that trex calls, by the names and errors of nvidia-ml-py."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

UNINITIALIZED, INVALID_ARGUMENT, NOT_SUPPORTED, NO_PERMISSION = 1, 2, 3, 4
LIBRARY_NOT_FOUND = 12
_WORDS = {
    UNINITIALIZED: "Uninitialized",
    INVALID_ARGUMENT: "Invalid Argument",
    NOT_SUPPORTED: "Not Supported",
    NO_PERMISSION: "Insufficient Permissions",
    LIBRARY_NOT_FOUND: "NVML Shared Library Not Found",
}


class NVMLError(Exception):
    """Raised with a code in ``value``; its text is the library's."""

    def __init__(self, value: int) -> None:
        super().__init__(_WORDS.get(value, f"NVML Error with code {value}"))
        self.value = value


class Nvml:
    """An instance put into ``sys.modules["pynvml"]``.

    failing: function name → error code it raises. calls: every change that was asked for, in order.
    """

    NVMLError = NVMLError
    NVML_CLOCK_GRAPHICS, NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_CLOCK_VIDEO = range(4)
    NVML_TEMPERATURE_GPU = 0
    NVML_ERROR_NO_PERMISSION = NO_PERMISSION
    NVML_ERROR_NOT_SUPPORTED = NOT_SUPPORTED

    def __init__(self, names: Sequence[str] = ("NVIDIA A100 80GB PCIe",)) -> None:
        self.names = list(names)
        self.uuids = [f"GPU-{index:08x}-0000-0000-0000-000000000000" for index in range(len(names))]
        self.failing: dict[str, int] = {}
        self.calls: list[tuple[Any, ...]] = []
        self.power_limit_mw = 300_000
        self.is_open = 0
        self.temperature_c = 41
        self.power_mw = 61_500
        self.sm_mhz = 1410
        self.memory_mhz = 1512
        self.reasons = 0

    def _called(self, name: str, needs_init: bool = True) -> None:
        if name in self.failing:
            raise NVMLError(self.failing[name])
        if needs_init and not self.is_open:
            raise NVMLError(UNINITIALIZED)

    def _change(self, name: str, *values: Any) -> None:
        self._called(name)
        self.calls.append((name, *values))

    def nvmlInit(self) -> None:
        self._called("nvmlInit", needs_init=False)
        self.is_open += 1

    def nvmlShutdown(self) -> None:
        self._called("nvmlShutdown")
        self.is_open -= 1

    def nvmlSystemGetDriverVersion(self) -> str:
        self._called("nvmlSystemGetDriverVersion")
        return "550.54.15"

    def nvmlSystemGetCudaDriverVersion_v2(self) -> int:
        self._called("nvmlSystemGetCudaDriverVersion_v2")
        return 12040

    def nvmlDeviceGetCount(self) -> int:
        self._called("nvmlDeviceGetCount")
        return len(self.names)

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:
        self._called("nvmlDeviceGetHandleByIndex")
        if not 0 <= index < len(self.names):
            raise NVMLError(INVALID_ARGUMENT)
        return 1000 + index

    def nvmlDeviceGetName(self, handle: int) -> str:
        self._called("nvmlDeviceGetName")
        return self.names[handle - 1000]

    def nvmlDeviceGetUUID(self, handle: int) -> str:
        self._called("nvmlDeviceGetUUID")
        return self.uuids[handle - 1000]

    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> int:
        self._called("nvmlDeviceGetHandleByUUID")
        if uuid not in self.uuids:
            raise NVMLError(INVALID_ARGUMENT)
        return 1000 + self.uuids.index(uuid)

    def nvmlDeviceGetMaxClockInfo(self, handle: int, type: int) -> int:
        self._called("nvmlDeviceGetMaxClockInfo")
        return 1512 if type == self.NVML_CLOCK_MEM else 1410

    def nvmlDeviceGetClockInfo(self, handle: int, type: int) -> int:
        self._called("nvmlDeviceGetClockInfo")
        return self.memory_mhz if type == self.NVML_CLOCK_MEM else self.sm_mhz

    def nvmlDeviceGetTemperature(self, handle: int, sensor: int) -> int:
        self._called("nvmlDeviceGetTemperature")
        return self.temperature_c

    def nvmlDeviceGetPowerUsage(self, handle: int) -> int:
        self._called("nvmlDeviceGetPowerUsage")
        return self.power_mw

    def nvmlDeviceGetUtilizationRates(self, handle: int) -> SimpleNamespace:
        self._called("nvmlDeviceGetUtilizationRates")
        return SimpleNamespace(gpu=97, memory=40)

    def nvmlDeviceGetMemoryInfo(self, handle: int) -> SimpleNamespace:
        self._called("nvmlDeviceGetMemoryInfo")
        return SimpleNamespace(total=80 << 30, free=79 << 30, used=1 << 30)

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, handle: int) -> int:
        self._called("nvmlDeviceGetCurrentClocksThrottleReasons")
        return self.reasons

    def nvmlDeviceGetCudaComputeCapability(self, handle: int) -> tuple[int, int]:
        self._called("nvmlDeviceGetCudaComputeCapability")
        return 8, 0

    def nvmlDeviceGetMemoryBusWidth(self, device: int) -> int:
        self._called("nvmlDeviceGetMemoryBusWidth")
        return 5120

    def nvmlDeviceGetPowerManagementLimit(self, handle: int) -> int:
        self._called("nvmlDeviceGetPowerManagementLimit")
        return self.power_limit_mw

    def nvmlDeviceGetPowerManagementLimitConstraints(self, handle: int) -> list[int]:
        self._called("nvmlDeviceGetPowerManagementLimitConstraints")
        return [150_000, 310_000]

    def nvmlDeviceSetPowerManagementLimit(self, handle: int, limit: int) -> None:
        self._change("nvmlDeviceSetPowerManagementLimit", handle, limit)
        self.power_limit_mw = limit

    def nvmlDeviceSetGpuLockedClocks(self, handle: int, minGpuClockMHz: int, maxGpuClockMHz: int) -> None:
        self._change("nvmlDeviceSetGpuLockedClocks", handle, minGpuClockMHz, maxGpuClockMHz)

    def nvmlDeviceResetGpuLockedClocks(self, handle: int) -> None:
        self._change("nvmlDeviceResetGpuLockedClocks", handle)

    def nvmlDeviceSetMemoryLockedClocks(self, handle: int, minMemClockMHz: int, maxMemClockMHz: int) -> None:
        self._change("nvmlDeviceSetMemoryLockedClocks", handle, minMemClockMHz, maxMemClockMHz)

    def nvmlDeviceResetMemoryLockedClocks(self, handle: int) -> None:
        self._change("nvmlDeviceResetMemoryLockedClocks", handle)

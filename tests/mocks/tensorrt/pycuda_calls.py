"""pycuda.driver: objects, and exceptions for what fails."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, ClassVar

from tests.mocks.tensorrt.cuda_python_calls import ATTRIBUTES
from tests.mocks.tensorrt.gpu import GPU


class Error(Exception):
    pass


class event_flags:
    BLOCKING_SYNC = 1


class device_attribute:
    values: ClassVar = {number: number for number in ATTRIBUTES}


class Context:
    def push(self) -> None:
        pass


class Device:
    def __init__(self, number: int) -> None:
        if GPU.is_absent:
            raise Error("cuDeviceGet failed: no CUDA-capable device is detected")

    @staticmethod
    def count() -> int:
        if GPU.is_absent:
            raise Error("cuDeviceGetCount failed: no CUDA-capable device is detected")
        return 1

    def retain_primary_context(self) -> Context:
        return Context()

    def get_attribute(self, attribute: int) -> int:
        return ATTRIBUTES[attribute]

    def total_memory(self) -> int:
        return 40 << 30

    def name(self) -> str:
        return "Mock A100"


class Stream:
    handle = 0x5000

    def synchronize(self) -> None:
        pass


class Event:
    def __init__(self, flags: int = 0) -> None:
        self.at = 0.0

    def record(self, stream: Stream) -> Event:
        self.at = GPU.clock_ms
        return self

    def synchronize(self) -> Event:
        return self

    def time_till(self, event: Event) -> float:
        return event.at - self.at


class DeviceAllocation:
    def __init__(self, address: int) -> None:
        self.address = address

    def __int__(self) -> int:
        return self.address


class PagelockedArray:
    """As much of a NumPy array as is used here."""

    def __init__(self, address: int, size: int) -> None:
        self.ctypes = SimpleNamespace(data=address)
        self.size = size

    def __getitem__(self, part: slice) -> PagelockedArray:
        return PagelockedArray(self.ctypes.data, len(range(self.size)[part]))


def init() -> None:
    if GPU.is_absent:
        raise Error("cuInit failed: no CUDA-capable device is detected")


def get_driver_version() -> int:
    return 12090


def get_version() -> tuple[int, int, int]:
    return 12, 6, 0


def mem_alloc(size: int) -> DeviceAllocation:
    return DeviceAllocation(GPU.allocate(size))


def pagelocked_empty(shape: int, dtype: Any) -> PagelockedArray:
    assert dtype == "uint8"
    return PagelockedArray(GPU.allocate_host(shape), shape)


def memset_d8(dest: int, data: int, count: int) -> None:
    assert GPU.memory[dest] >= count


def memcpy_htod_async(dest: int, src: PagelockedArray, stream: Stream) -> None:
    GPU.copy(stream.handle, dest, src.ctypes.data, src.size)


def memcpy_dtoh_async(dest: PagelockedArray, src: int, stream: Stream) -> None:
    GPU.copy(stream.handle, dest.ctypes.data, src, dest.size)

"""cuda-python's runtime calls: each gives back a tuple that begins with the error."""

from __future__ import annotations

import enum
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from tests.mocks.tensorrt.gpu import GPU, LAUNCH_MS

_SUCCESS, _INVALID, _NO_DEVICE, _CAPTURE = 0, 1, 100, 900
ATTRIBUTES = {13: 1410000, 16: 108, 36: 1215000, 37: 5120, 75: 8, 76: 0, 81: 167936}


class cudaError_t(enum.IntEnum):
    cudaSuccess = _SUCCESS
    cudaErrorInvalidValue = _INVALID
    cudaErrorNoDevice = _NO_DEVICE
    cudaErrorStreamCaptureUnsupported = _CAPTURE


class cudaMemcpyKind(enum.IntEnum):
    cudaMemcpyHostToDevice = 1
    cudaMemcpyDeviceToHost = 2


class cudaStreamCaptureMode(enum.IntEnum):
    cudaStreamCaptureModeThreadLocal = 1


class cudaDeviceAttr(enum.IntEnum):
    cudaDevAttrClockRate = 13
    cudaDevAttrMultiProcessorCount = 16
    cudaDevAttrMemoryClockRate = 36
    cudaDevAttrGlobalMemoryBusWidth = 37
    cudaDevAttrComputeCapabilityMajor = 75
    cudaDevAttrComputeCapabilityMinor = 76
    cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81


class cudaStream_t:
    def __init__(self, number: int) -> None:
        self.number = number

    def __int__(self) -> int:
        return self.number


class cudaEvent_t:
    def __init__(self) -> None:
        self.at: float | None = None


def _answer(*results: Any, error: int = _SUCCESS) -> tuple[Any, ...]:
    return (cudaError_t(_NO_DEVICE if GPU.is_absent else error), *results)


def cudaGetDeviceCount() -> tuple[Any, ...]:
    return _answer(1)


def cudaSetDevice(device: int) -> tuple[Any, ...]:
    return _answer(error=_SUCCESS if device == 0 else 1)


def cudaFree(devPtr: int) -> tuple[Any, ...]:
    return _answer()


def cudaDriverGetVersion() -> tuple[Any, ...]:
    return _answer(12090)


def cudaRuntimeGetVersion() -> tuple[Any, ...]:
    return _answer(12060)


def cudaMalloc(size: int) -> tuple[Any, ...]:
    return _answer(GPU.allocate(size))


def cudaHostAlloc(size: int, flags: int) -> tuple[Any, ...]:
    return _answer(GPU.allocate_host(size))


def cudaMemset(devPtr: int, value: int, count: int) -> tuple[Any, ...]:
    return _answer(error=_SUCCESS if GPU.memory.get(devPtr, 0) >= count else _INVALID)


def cudaMemcpyAsync(dst: int, src: int, count: int, kind: cudaMemcpyKind, stream: cudaStream_t) -> tuple[Any, ...]:
    assert isinstance(kind, cudaMemcpyKind)
    try:
        GPU.copy(int(stream), dst, src, count)
    except ValueError:
        return _answer(error=_INVALID)
    return _answer()


def cudaStreamCreate() -> tuple[Any, ...]:
    return _answer(cudaStream_t(0x5000))


def cudaStreamSynchronize(stream: cudaStream_t) -> tuple[Any, ...]:
    return _answer(error=_CAPTURE if int(stream) in GPU.capturing else _SUCCESS)


def cudaEventCreateWithFlags(flags: int) -> tuple[Any, ...]:
    return _answer(cudaEvent_t())


def cudaEventRecord(event: cudaEvent_t, stream: cudaStream_t) -> tuple[Any, ...]:
    event.at = GPU.clock_ms
    return _answer()


def cudaEventSynchronize(event: cudaEvent_t) -> tuple[Any, ...]:
    return _answer(error=_INVALID if event.at is None else _SUCCESS)


def cudaEventElapsedTime(start: cudaEvent_t, end: cudaEvent_t) -> tuple[Any, ...]:
    if start.at is None or end.at is None:
        return _answer(0.0, error=_INVALID)
    return _answer(end.at - start.at)


def cudaStreamBeginCapture(stream: cudaStream_t, mode: cudaStreamCaptureMode) -> tuple[Any, ...]:
    assert isinstance(mode, cudaStreamCaptureMode)
    GPU.capturing[int(stream)] = []
    return _answer()


def cudaStreamEndCapture(stream: cudaStream_t) -> tuple[Any, ...]:
    works = GPU.capturing.pop(int(stream))
    return _answer(works, error=_CAPTURE if GPU.refuses_capture else _SUCCESS)


def cudaGraphInstantiate(graph: list[Callable[[], None]], flags: int) -> tuple[Any, ...]:
    return _answer(graph)


def cudaGraphLaunch(graphExec: list[Callable[[], None]], stream: cudaStream_t) -> tuple[Any, ...]:
    GPU.spend(LAUNCH_MS)
    for work in graphExec:
        work()
    return _answer()


def cudaDeviceGetAttribute(attr: cudaDeviceAttr, device: int) -> tuple[Any, ...]:
    return _answer(ATTRIBUTES[attr])


def cudaMemGetInfo() -> tuple[Any, ...]:
    return _answer(30 << 30, 40 << 30)


def cudaGetDeviceProperties(device: int) -> tuple[Any, ...]:
    return _answer(SimpleNamespace(name=b"Mock A100\0\0"))

"""CUDA through its own library, libcudart, for machines that have neither cuda-python nor pycuda."""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import glob
import os
import sys
from typing import Any, Iterable, Iterator

from trex.capture.tensorrt_api.cuda_calls import (
    CAPTURE_OF_THIS_THREAD,
    DEVICE_TO_HOST,
    EVENT_BLOCKS,
    HOST_TO_DEVICE,
    check_device,
    cuda_fault,
    cuda_version,
)
from trex.capture.tensorrt_api.fault import Fault

_NAMES = ("libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0", "libcudart.so.10.2", "libcudart.so")
_WINDOWS_NAMES = ("cudart64_13.dll", "cudart64_12.dll", "cudart64_110.dll")
# Where pip's wheels of CUDA put it, below a folder of sys.path, and where CUDA's installer does.
_PLACES = ("nvidia/*/lib/libcudart.so.*", "nvidia/*/bin/cudart64_*.dll", "nvidia/*/bin/*/cudart64_*.dll")
_INSTALLED = ("/usr/local/cuda/lib64/libcudart.so*", "/usr/local/cuda/targets/*/lib/libcudart.so*")
_NAME_BYTES = 256
_PROPERTIES_BYTES = 1 << 13


class Cudart:
    """Raises ImportError when the library is not there. library: one that was found already."""

    name = "libcudart"
    has_graphs = True

    def __init__(self, device: int, library: Any | None = None) -> None:
        self._device = device
        self._library = self._begun([library] if library is not None else load_cudarts())
        self._runtime = self._number("cudaRuntimeGetVersion")
        self.driver_version = cuda_version(self._number("cudaDriverGetVersion"))
        self.runtime_version = cuda_version(self._runtime)

    def _begun(self, libraries: Iterable[Any]) -> Any:
        """The first library that takes the device: one may be too new for the driver where another is not."""
        failed: Fault | None = None
        for library in libraries:
            self._library = library
            try:
                check_device(self._device, self._number("cudaGetDeviceCount"))
                self._call("cudaSetDevice", ctypes.c_int(self._device))
                # makes the context, so that it is no part of what is timed
                self._call("cudaFree", ctypes.c_void_p(0))
            except Fault as fault:
                failed = failed or fault
                continue
            return library
        raise failed or ImportError("libcudart was found neither by the system nor in Python's packages")

    def _call(self, name: str, *arguments: Any) -> None:
        function = getattr(self._library, name, None)
        if function is None:
            raise cuda_fault(name, "this libcudart does not have it")
        error = function(*arguments)
        if error:
            told = getattr(self._library, "cudaGetErrorString", None)
            said = None
            if told is not None:
                told.restype = ctypes.c_char_p
                said = told(ctypes.c_int(error))
            raise cuda_fault(name, said.decode("utf-8", "replace") if said else "error %d" % error)

    def _number(self, name: str) -> int:
        value = ctypes.c_int(0)
        self._call(name, ctypes.byref(value))
        return value.value

    def _made(self, name: str, *arguments: Any) -> Any:
        made = ctypes.c_void_p()
        self._call(name, ctypes.byref(made), *arguments)
        return made

    def allocate(self, size: int) -> int:
        return int(self._made("cudaMalloc", ctypes.c_size_t(size)).value or 0)

    def host(self, size: int) -> int:
        """Address of page-locked memory."""
        return int(self._made("cudaHostAlloc", ctypes.c_size_t(size), ctypes.c_uint(0)).value or 0)

    def clear(self, address: int, size: int) -> None:
        self._call("cudaMemset", ctypes.c_void_p(address), ctypes.c_int(0), ctypes.c_size_t(size))

    def copy_in(self, device: int, host: int, size: int, stream: Any) -> None:
        self._copy(device, host, size, HOST_TO_DEVICE, stream)

    def copy_out(self, host: int, device: int, size: int, stream: Any) -> None:
        self._copy(host, device, size, DEVICE_TO_HOST, stream)

    def _copy(self, to: int, start: int, size: int, kind: int, stream: Any) -> None:
        addresses = (ctypes.c_void_p(to), ctypes.c_void_p(start), ctypes.c_size_t(size))
        self._call("cudaMemcpyAsync", *addresses, ctypes.c_int(kind), stream)

    def stream(self) -> Any:
        return self._made("cudaStreamCreate")

    def handle(self, stream: Any) -> int:
        return int(stream.value or 0)

    def finish(self, stream: Any) -> None:
        self._call("cudaStreamSynchronize", stream)

    def event(self, blocks: bool) -> Any:
        return self._made("cudaEventCreateWithFlags", ctypes.c_uint(EVENT_BLOCKS if blocks else 0))

    def record(self, event: Any, stream: Any) -> None:
        self._call("cudaEventRecord", event, stream)

    def wait(self, event: Any) -> None:
        self._call("cudaEventSynchronize", event)

    def milliseconds(self, first: Any, second: Any) -> float:
        value = ctypes.c_float(0)
        self._call("cudaEventElapsedTime", ctypes.byref(value), first, second)
        return value.value

    def begin_capture(self, stream: Any) -> None:
        self._call("cudaStreamBeginCapture", stream, ctypes.c_int(CAPTURE_OF_THIS_THREAD))

    def end_capture(self, stream: Any) -> Any:
        """A graph that can be launched."""
        graph = ctypes.c_void_p()
        self._call("cudaStreamEndCapture", stream, ctypes.byref(graph))
        if self._runtime >= 12000:
            return self._made("cudaGraphInstantiate", graph, ctypes.c_ulonglong(0))
        # CUDA 11 wants room for its complaints instead of flags
        return self._made("cudaGraphInstantiate", graph, ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_size_t(0))

    def launch(self, graph: Any, stream: Any) -> None:
        self._call("cudaGraphLaunch", graph, stream)

    def attribute(self, number: int) -> int:
        value = ctypes.c_int(0)
        self._call("cudaDeviceGetAttribute", ctypes.byref(value), ctypes.c_int(number), ctypes.c_int(self._device))
        return value.value

    def memory_bytes(self) -> int:
        free, total = ctypes.c_size_t(0), ctypes.c_size_t(0)
        self._call("cudaMemGetInfo", ctypes.byref(free), ctypes.byref(total))
        return total.value

    def device_name(self) -> str:
        """The properties begin with the name on every release; what follows differs."""
        properties = ctypes.create_string_buffer(_PROPERTIES_BYTES)
        self._call("cudaGetDeviceProperties", properties, ctypes.c_int(self._device))
        return properties.raw[:_NAME_BYTES].split(b"\0")[0].decode("utf-8", "replace")


def load_cudarts() -> Iterator[Any]:
    """Every libcudart that can be loaded, one after the other."""
    for path in _candidates():
        with contextlib.suppress(OSError):
            yield ctypes.CDLL(path)


def _candidates() -> Iterator[str]:
    found = ctypes.util.find_library("cudart")
    if found:
        yield found
    yield from _WINDOWS_NAMES if os.name == "nt" else _NAMES
    for folder in sys.path:
        for place in _PLACES:
            yield from sorted(glob.glob(os.path.join(folder or ".", place)), reverse=True)
    for place in _INSTALLED:
        yield from sorted(glob.glob(place), reverse=True)

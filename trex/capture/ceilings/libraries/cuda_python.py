"""cuda-python and cuBLAS: copies by cudaMemcpyAsync, products by cublasGemmEx, times by CUDA events.

cuBLAS comes with the CUDA toolkit or in the package nvidia-cublas (nvidia-cublas-cu12); without it only the copy
bandwidth is measured. Tried against mocks for both, not on a GPU.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from trex.capture.ceilings.library import Launch
from trex.capture.tensorrt_api.cuda_calls import ATTRIBUTES
from trex.capture.tensorrt_api.cuda_python import CudaPython
from trex.core.data_type import DataType
from trex.core.device_facts import DeviceFacts
from trex.core.errors import TrexError
from trex.perf.arithmetic import Arithmetic

_FP32 = Arithmetic(DataType.FP32, DataType.FP32, tensor_core=False)
_TF32 = Arithmetic(DataType.FP32, DataType.FP32, tf32=True)
_FP16 = Arithmetic(DataType.FP16, DataType.FP32)
_FP16_SUMS = Arithmetic(DataType.FP16, DataType.FP16)
_BF16 = Arithmetic(DataType.BF16, DataType.FP32)
_INT8 = Arithmetic(DataType.INT8, DataType.INT32)

# cudaDataType_t of the factors and of the product, cublasComputeType_t, type of the scale, bytes of a factor, of a sum
_CALLS: dict[Arithmetic, tuple[int, int, int, Any, int, int]] = {
    _FP32: (0, 0, 68, ctypes.c_float, 4, 4),
    _TF32: (0, 0, 77, ctypes.c_float, 4, 4),
    _FP16: (2, 2, 68, ctypes.c_float, 2, 2),
    _FP16_SUMS: (2, 2, 64, ctypes.c_uint16, 2, 2),
    _BF16: (14, 14, 68, ctypes.c_float, 2, 2),
    _INT8: (3, 10, 72, ctypes.c_int32, 1, 4),
}
_ONE_IN_FP16 = 0x3C00
_TRANSPOSED, _PLAIN, _DEFAULT_ALGORITHM = 1, 0, -1
_DEVICE_TO_DEVICE = 3


class CudaPythonAndCublas:
    """Raises ImportError without cuda-python, TrexError when it finds no such GPU."""

    def __init__(self, device: int) -> None:
        self._cuda = CudaPython(device)
        self._stream = self._cuda.stream()
        self._held: list[int] = []
        self._cublas = _load_cublas()
        self._handle = ctypes.c_void_p()
        self.words = f"cuda-python, CUDA {self._cuda.runtime_version}"
        self.arithmetics: tuple[Arithmetic, ...] = ()
        if self._cublas is not None:
            _succeeded("cublasCreate", self._cublas.cublasCreate_v2(ctypes.byref(self._handle)))
            stream = ctypes.c_void_p(self._cuda.handle(self._stream))
            _succeeded("cublasSetStream", self._cublas.cublasSetStream_v2(self._handle, stream))
            self.words += " and cuBLAS"
            self.arithmetics = tuple(_CALLS)

    def facts(self) -> DeviceFacts:
        def told(name: str) -> int:
            return self._cuda.attribute(ATTRIBUTES[name])

        return DeviceFacts(
            compute_capability=(told("ComputeCapabilityMajor"), told("ComputeCapabilityMinor")),
            sm_count=told("MultiProcessorCount"),
            l2_mib=told("L2CacheSize") / 2**20 or None,
        )

    def copy(self, size_bytes: int) -> Launch:
        source, target = self._room(size_bytes), self._room(size_bytes)
        cuda = self._cuda
        kind = cuda._runtime.cudaMemcpyKind(_DEVICE_TO_DEVICE)
        return lambda: cuda._call("cudaMemcpyAsync", target, source, size_bytes, kind, self._stream)

    def product(self, arithmetic: Arithmetic, side: int) -> Launch:
        factor_type, sum_type, compute, scale_type, factor_bytes, sum_bytes = _CALLS[arithmetic]
        left, right = self._room(side * side * factor_bytes), self._room(side * side * factor_bytes)
        out = self._room(side * side * sum_bytes)
        one = scale_type(_ONE_IN_FP16 if arithmetic is _FP16_SUMS else 1)
        zero = scale_type(0)
        # The first matrix transposed: the only order that INT8 products know on matrix units.
        arguments = (
            self._handle, _TRANSPOSED, _PLAIN, side, side, side, ctypes.byref(one),
            ctypes.c_void_p(left), factor_type, side, ctypes.c_void_p(right), factor_type, side, ctypes.byref(zero),
            ctypes.c_void_p(out), sum_type, side, compute, _DEFAULT_ALGORITHM,
        )  # fmt: skip

        def launch() -> None:
            assert self._cublas is not None  # product() is asked for what ``arithmetics`` offers
            _succeeded("cublasGemmEx", self._cublas.cublasGemmEx(*arguments))

        return launch

    def elapsed_ms(self, launch: Launch, times: int, meanwhile: Callable[[], object] = lambda: None) -> float:
        begin, end = self._cuda.event(False), self._cuda.event(False)
        self._cuda.record(begin, self._stream)
        for _ in range(times):
            launch()
        self._cuda.record(end, self._stream)
        meanwhile()
        self._cuda.wait(end)
        return self._cuda.milliseconds(begin, end)

    def release(self) -> None:
        while self._held:
            self._cuda._call("cudaFree", self._held.pop())

    def _room(self, size_bytes: int) -> int:
        """Memory of zeros; held until ``release``."""
        address = self._cuda.allocate(size_bytes)
        self._held.append(address)
        self._cuda.clear(address, size_bytes)
        return address


def _load_cublas() -> Any | None:
    for path in _cublas_files():
        with suppress(OSError):
            return ctypes.CDLL(path)
    return None


def _cublas_files() -> Iterator[str]:
    """Where cuBLAS may be: packages of NVIDIA's first, then what the system's loader knows."""
    for package in ("nvidia.cublas", "nvidia.cu13", "nvidia.cu12"):
        with suppress(ImportError, ValueError):
            spec = find_spec(package)
            for folder in map(Path, (spec.submodule_search_locations or ()) if spec else ()):
                yield from sorted(str(file) for file in folder.glob("lib/libcublas.so.*"))
    listed = ctypes.util.find_library("cublas")
    if listed:
        yield listed
    yield from ("libcublas.so.13", "libcublas.so.12", "libcublas.so.11")


def _succeeded(call: str, status: int) -> None:
    if status != 0:
        words = {7: "a value that it does not take", 13: "failed on the GPU", 15: "not supported here", 3: "no memory"}
        raise TrexError(f"cuBLAS's {call} failed: {words.get(status, f'status {status}')}")


LIBRARY = CudaPythonAndCublas

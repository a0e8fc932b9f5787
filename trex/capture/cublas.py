"""Copies and GEMMs on one GPU through cuda-python and cuBLAS, timed with CUDA events.

cuBLAS comes with the CUDA toolkit or the package nvidia-cublas (nvidia-cublas-cu12); without it only copies run. Tested
with a mock, tried on an H100 and an H200 with the CUDA toolkit's.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from trex.capture.tensorrt_api.cuda_python import CudaPython
from trex.core.data_type import DataType
from trex.core.errors import TrexError
from trex.perf.arithmetic import Arithmetic

Launch = Callable[[], object]
"""Puts one piece of work on the GPU's queue and returns without waiting for it."""


class GemmTypes(NamedTuple):
    """Arguments of cublasGemmEx: cudaDataType_t of inputs and output, cublasComputeType_t; the C type of the scale."""

    input_type: int
    output_type: int
    compute_type: int
    scale: Any
    input_bytes: int
    output_bytes: int


_FP16_ACCUMULATE = Arithmetic(DataType.FP16, DataType.FP16)
_GEMMS = {
    Arithmetic(DataType.FP32, DataType.FP32, tensor_core=False): GemmTypes(0, 0, 68, ctypes.c_float, 4, 4),
    Arithmetic(DataType.FP32, DataType.FP32, tf32=True): GemmTypes(0, 0, 77, ctypes.c_float, 4, 4),
    Arithmetic(DataType.FP16, DataType.FP32): GemmTypes(2, 2, 68, ctypes.c_float, 2, 2),
    _FP16_ACCUMULATE: GemmTypes(2, 2, 64, ctypes.c_uint16, 2, 2),
    Arithmetic(DataType.BF16, DataType.FP32): GemmTypes(14, 14, 68, ctypes.c_float, 2, 2),
    Arithmetic(DataType.INT8, DataType.INT32): GemmTypes(3, 10, 72, ctypes.c_int32, 1, 4),
}
_ONE_IN_FP16 = 0x3C00
_TRANSPOSED, _PLAIN, _DEFAULT_ALGORITHM = 1, 0, -1
_STATUS = {3: "no memory", 7: "invalid value", 13: "execution failed", 15: "not supported here"}


class GpuWork:
    """Work for one GPU. name: libraries and release. arithmetics: data types of the GEMMs; () without cuBLAS.

    Raises ImportError without cuda-python, CollectorError if there is no such GPU.
    """

    def __init__(self, device: int) -> None:
        self._cuda = CudaPython(device)
        self._stream = self._cuda.stream()
        self._allocations: list[int] = []
        self._cublas = _load_cublas()
        self._handle = ctypes.c_void_p()
        self.name = f"cuda-python, CUDA {self._cuda.runtime_version}"
        self.arithmetics: tuple[Arithmetic, ...] = ()
        if self._cublas is not None:
            _check("cublasCreate", self._cublas.cublasCreate_v2(ctypes.byref(self._handle)))
            stream = ctypes.c_void_p(self._cuda.handle(self._stream))
            _check("cublasSetStream", self._cublas.cublasSetStream_v2(self._handle, stream))
            self.name += " and cuBLAS"
            self.arithmetics = tuple(_GEMMS)

    def copy(self, size_bytes: int) -> Launch:
        """A copy within the GPU's memory."""
        source, target = self._allocate(size_bytes), self._allocate(size_bytes)
        return lambda: self._cuda.copy_on_device(target, source, size_bytes, self._stream)

    def gemm(self, arithmetic: Arithmetic, side: int) -> Launch:
        """A GEMM of two square matrices. Raises TrexError if the GPU does not support the arithmetic."""
        types = _GEMMS[arithmetic]
        left, right = (self._allocate(side * side * types.input_bytes) for _ in range(2))
        out = self._allocate(side * side * types.output_bytes)
        one = types.scale(_ONE_IN_FP16 if arithmetic is _FP16_ACCUMULATE else 1)
        zero = types.scale(0)
        # The first matrix is transposed: the only order in which INT8 runs on tensor cores.
        arguments = (
            self._handle, _TRANSPOSED, _PLAIN, side, side, side, ctypes.byref(one),
            ctypes.c_void_p(left), types.input_type, side, ctypes.c_void_p(right), types.input_type, side,
            ctypes.byref(zero), ctypes.c_void_p(out), types.output_type, side, types.compute_type, _DEFAULT_ALGORITHM,
        )  # fmt: skip
        cublas = self._cublas
        assert cublas is not None  # ``arithmetics`` is empty without it
        return lambda: _check("cublasGemmEx", cublas.cublasGemmEx(*arguments))

    def elapsed_ms(self, launch: Launch, count: int, meanwhile: Callable[[], object] = lambda: None) -> float:
        """GPU time of ``count`` launches. meanwhile: called when all are queued, before waiting for their end."""
        begin, end = self._cuda.event(False), self._cuda.event(False)
        self._cuda.record(begin, self._stream)
        for _ in range(count):
            launch()
        self._cuda.record(end, self._stream)
        meanwhile()
        self._cuda.wait(end)
        return self._cuda.milliseconds(begin, end)

    def free(self) -> None:
        """Frees the memory of earlier copies and GEMMs."""
        while self._allocations:
            self._cuda.free(self._allocations.pop())

    def _allocate(self, size_bytes: int) -> int:
        address = self._cuda.allocate(size_bytes)
        self._allocations.append(address)
        self._cuda.clear(address, size_bytes)
        return address


def _load_cublas() -> Any | None:
    for path in _cublas_files():
        with suppress(OSError):
            return ctypes.CDLL(path)
    return None


def _cublas_files() -> Iterator[str]:
    """NVIDIA's Python packages first, then what the system's loader finds."""
    for package in ("nvidia.cublas", "nvidia.cu13", "nvidia.cu12"):
        with suppress(ImportError, ValueError):
            spec = find_spec(package)
            for folder in map(Path, (spec.submodule_search_locations or ()) if spec else ()):
                yield from sorted(str(file) for file in folder.glob("lib/libcublas.so.*"))
    listed = ctypes.util.find_library("cublas")
    if listed:
        yield listed
    yield from ("libcublas.so.13", "libcublas.so.12", "libcublas.so.11")


def _check(call: str, status: int) -> None:
    if status != 0:
        raise TrexError(f"cuBLAS's {call} failed: {_STATUS.get(status, f'status {status}')}")

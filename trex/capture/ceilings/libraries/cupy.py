"""CuPy: copies of arrays, products by cupy.matmul in FP32, TF32 and FP16, times by CUDA events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trex.capture.ceilings.library import Launch
from trex.core.data_type import DataType
from trex.core.device_facts import DeviceFacts
from trex.core.errors import TrexError
from trex.perf.arithmetic import Arithmetic


class CuPy:
    """Raises ImportError without CuPy, TrexError when it finds no such GPU."""

    arithmetics = (
        Arithmetic(DataType.FP32, DataType.FP32, tensor_core=False),
        Arithmetic(DataType.FP32, DataType.FP32, tf32=True),
        Arithmetic(DataType.FP16, DataType.FP32),
    )

    def __init__(self, device: int) -> None:
        import cupy

        self._cupy: Any = cupy
        self.words = f"CuPy {cupy.__version__}"
        count = cupy.cuda.runtime.getDeviceCount()
        if not 0 <= device < count:
            raise TrexError(f"there is no GPU {device}: CuPy finds {count}", "nvidia-smi -L lists the GPUs")
        cupy.cuda.Device(device).use()
        self._device = device

    def facts(self) -> DeviceFacts:
        properties = self._cupy.cuda.runtime.getDeviceProperties(self._device)
        name = properties["name"]
        l2_bytes = properties.get("l2CacheSize")
        return DeviceFacts(
            name=name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name),
            compute_capability=(int(properties["major"]), int(properties["minor"])),
            sm_count=int(properties["multiProcessorCount"]),
            l2_mib=l2_bytes / 2**20 if l2_bytes else None,
        )

    def copy(self, size_bytes: int) -> Launch:
        cupy = self._cupy
        source = cupy.zeros(size_bytes, dtype=cupy.uint8)
        target = cupy.empty_like(source)
        return lambda: target.data.copy_from_device_async(source.data, size_bytes, cupy.cuda.get_current_stream())

    def product(self, arithmetic: Arithmetic, side: int) -> Launch:
        cupy = self._cupy
        data_type = cupy.float16 if arithmetic.data_type is DataType.FP16 else cupy.float32
        self._choose(data_type, arithmetic)
        left = cupy.ones((side, side), dtype=data_type)
        out = cupy.empty_like(left)
        return lambda: cupy.matmul(left, left, out=out)

    def _choose(self, data_type: Any, arithmetic: Arithmetic) -> None:
        """Says in which type cuBLAS is to multiply FP32; a CuPy that cannot be told is of no use for it."""
        if arithmetic.data_type is DataType.FP16:
            return  # sums are in FP32 unless one asks for less
        try:
            from cupy._core import _routines_linalg as linalg
            from cupy._core import set_compute_type
        except ImportError as error:
            raise TrexError("this release of CuPy does not let one choose how matrices are multiplied") from error
        set_compute_type(data_type, linalg.COMPUTE_TYPE_TF32 if arithmetic.tf32 else linalg.COMPUTE_TYPE_FP32)

    def elapsed_ms(self, launch: Launch, times: int, meanwhile: Callable[[], object] = lambda: None) -> float:
        cuda = self._cupy.cuda
        begin, end = cuda.Event(), cuda.Event()
        begin.record()
        for _ in range(times):
            launch()
        end.record()
        meanwhile()
        end.synchronize()
        return float(cuda.get_elapsed_time(begin, end))

    def release(self) -> None:
        self._cupy.get_default_memory_pool().free_all_blocks()


LIBRARY = CuPy

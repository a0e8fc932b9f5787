"""PyTorch: copies of tensors, products by torch.matmul, torch._int_mm and torch._scaled_mm, times by CUDA events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trex.capture.ceilings.library import Launch
from trex.core.data_type import DataType
from trex.core.device_facts import DeviceFacts
from trex.core.errors import TrexError
from trex.perf.arithmetic import Arithmetic


class PyTorch:
    """Raises ImportError without PyTorch, TrexError when it was built without CUDA or finds no such GPU."""

    arithmetics = (
        Arithmetic(DataType.FP32, DataType.FP32, tensor_core=False),
        Arithmetic(DataType.FP32, DataType.FP32, tf32=True),
        Arithmetic(DataType.FP16, DataType.FP32),
        Arithmetic(DataType.FP16, DataType.FP16),
        Arithmetic(DataType.BF16, DataType.FP32),
        Arithmetic(DataType.INT8, DataType.INT32),
        Arithmetic(DataType.FP8, DataType.FP32),
    )

    def __init__(self, device: int) -> None:
        import torch

        self._torch: Any = torch
        self.words = f"PyTorch {torch.__version__}"
        if not torch.cuda.is_available():
            raise TrexError("PyTorch finds no GPU", "nvidia-smi should list it; PyTorch must be a build for CUDA")
        count = torch.cuda.device_count()
        if not 0 <= device < count:
            raise TrexError(f"there is no GPU {device}: PyTorch finds {count}", "nvidia-smi -L lists the GPUs")
        torch.cuda.set_device(device)
        self._device = device

    def facts(self) -> DeviceFacts:
        properties = self._torch.cuda.get_device_properties(self._device)
        l2_bytes = getattr(properties, "L2_cache_size", None)  # since 2.1
        return DeviceFacts(
            name=properties.name,
            compute_capability=(int(properties.major), int(properties.minor)),
            sm_count=int(properties.multi_processor_count),
            l2_mib=l2_bytes / 2**20 if l2_bytes else None,
        )

    def copy(self, size_bytes: int) -> Launch:
        torch = self._torch
        source = torch.zeros(size_bytes, dtype=torch.uint8, device="cuda")
        target = torch.empty_like(source)
        return lambda: target.copy_(source)

    def product(self, arithmetic: Arithmetic, side: int) -> Launch:
        torch, data_type = self._torch, arithmetic.data_type
        if data_type is DataType.INT8:
            integers = torch.ones((side, side), dtype=torch.int8, device="cuda")
            return lambda: torch._int_mm(integers, integers.t())
        if data_type is DataType.FP8:
            return self._scaled(side)
        settings = torch.backends.cuda.matmul
        settings.allow_tf32 = arithmetic.tf32
        settings.allow_fp16_reduced_precision_reduction = False
        if arithmetic.accumulate is DataType.FP16:
            if not hasattr(settings, "allow_fp16_accumulation"):
                raise TrexError("this release of PyTorch cannot sum in FP16", "PyTorch 2.7 can")
            settings.allow_fp16_accumulation = True
        elif hasattr(settings, "allow_fp16_accumulation"):
            settings.allow_fp16_accumulation = False
        names = {DataType.FP32: torch.float32, DataType.FP16: torch.float16, DataType.BF16: torch.bfloat16}
        left = torch.randn((side, side), device="cuda").to(names[data_type])
        out = torch.empty_like(left)
        return lambda: torch.matmul(left, left, out=out)

    def _scaled(self, side: int) -> Launch:
        torch = self._torch
        left = torch.randn((side, side), device="cuda").to(torch.float8_e4m3fn)
        one = torch.ones((), device="cuda")
        # The second matrix by columns, as the FP8 units want it.
        return lambda: torch._scaled_mm(
            left, left.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True
        )

    def elapsed_ms(self, launch: Launch, times: int, meanwhile: Callable[[], object] = lambda: None) -> float:
        cuda = self._torch.cuda
        begin, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
        begin.record()
        for _ in range(times):
            launch()
        end.record()
        meanwhile()
        end.synchronize()
        return float(begin.elapsed_time(end))

    def release(self) -> None:
        self._torch.cuda.empty_cache()


LIBRARY = PyTorch

"""A device with round figures, so that expectations can be worked out in the head."""

from __future__ import annotations

from typing import Any

from trex.core.data_type import DataType
from trex.perf.arithmetic import Arithmetic
from trex.perf.device import Device, Rate

FP32, FP16, INT8 = DataType.FP32, DataType.FP16, DataType.INT8

_TERA = {
    Arithmetic(FP16, FP32): 100.0,
    Arithmetic(FP16, FP16): 200.0,
    Arithmetic(FP16, FP32, sparse=True): 200.0,
    Arithmetic(INT8, DataType.INT32): 400.0,
    Arithmetic(FP32, FP32, tf32=True): 50.0,
    Arithmetic(FP32, tensor_core=False): 10.0,
    Arithmetic(FP16, tensor_core=False): 20.0,
}


def round_device(**changes: Any) -> Device:
    """FP16 on the tensor cores 100 TFLOP/s (200 with FP16 sums), INT8 400, TF32 50, 2:4 sparse twice as much; on the
    CUDA cores FP32 10 and FP16 20; memory 500 GB/s, L2 2000 GB/s of 4 MiB; 10 SMs.
    """
    facts: dict[str, Any] = {"sm_count": 10, "bandwidth_gb_per_s": 500.0, "l2_gb_per_s": 2000.0, "l2_mib": 4.0}
    rates = {arithmetic: Rate(tera * 1e12, "round", "measured") for arithmetic, tera in _TERA.items()}
    return Device("Round", rates=rates, **(facts | changes))

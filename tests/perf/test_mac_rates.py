"""Rates of MACs on devices that lack a unit, and on those whose unit has no published rate."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trex.core.data_type import DataType
from trex.perf.arithmetic import Arithmetic, Rate
from trex.perf.known_devices import find_device
from trex.perf.mac_rates import DeviceRates

INT8 = Arithmetic(DataType.INT8, DataType.INT32)
DP4A = replace(INT8, tensor_core=False)
TF32 = Arithmetic(DataType.FP32, tf32=True)
FP32 = Arithmetic(DataType.FP32, tensor_core=False)


@pytest.mark.parametrize(
    ("device", "candidates"),
    [("NVIDIA B300", (INT8, DP4A)), ("NVIDIA Thor", (INT8, DP4A)), ("NVIDIA Thor", (TF32, FP32))],
)
def test_cuda_cores_are_no_ceiling_where_tensor_cores_have_no_published_rate(
    device: str, candidates: tuple[Arithmetic, ...]
) -> None:
    known = find_device(device)
    assert known is not None
    arithmetic, rate = DeviceRates(known).fastest(candidates)
    assert arithmetic is None
    assert rate != rate
    assert DeviceRates(known).of(candidates[1]) > 0.0  # kernels that are named as of CUDA cores
    measured = replace(known, rates={candidates[0]: Rate(1e15, "test", "measured")})
    assert DeviceRates(measured).fastest(candidates) == (candidates[0], 1e15)


def test_cuda_cores_are_the_ceiling_where_there_are_no_tensor_cores() -> None:
    known = find_device("NVIDIA Tesla V100-SXM2-16GB")
    assert known is not None
    assert DeviceRates(known).fastest((INT8, DP4A))[0] == DP4A

"""Ceilings measured with a mock GPU whose rates are known: the result is what the mock was given."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from tests.mocks import timed_gpu
from tests.mocks.nvml import NOT_SUPPORTED, Nvml
from tests.mocks.timed_gpu import COPY_GB_PER_S, TERA_PER_S, MockGpu, install
from trex.capture import ceilings, cublas
from trex.capture.ceilings import copy_gb_per_s, gemm_ops_per_s, measure_device
from trex.core.data_type import DataType
from trex.core.errors import TrexError
from trex.perf.arithmetic import Arithmetic
from trex.perf.device_file import device_document, device_of_document

ARITHMETICS = {
    "float32": Arithmetic(DataType.FP32, tensor_core=False),
    "tf32": Arithmetic(DataType.FP32, tf32=True),
    "float16": Arithmetic(DataType.FP16, DataType.FP32),
    "float16 sums": Arithmetic(DataType.FP16, DataType.FP16),
    "bfloat16": Arithmetic(DataType.BF16, DataType.FP32),
    "int8": Arithmetic(DataType.INT8, DataType.INT32),
}


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> MockGpu:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    return install(monkeypatch)


def rates(device: Any) -> dict[Arithmetic, float]:
    return {arithmetic: rate.per_second / 1e12 for arithmetic, rate in device.rates.items()}


def test_the_arithmetic_of_bytes_and_operations() -> None:
    # 1 GB copied in 2 ms: 1 GB read and 1 GB written, 2 GB in 0.002 s = 1000 GB/s.
    assert copy_gb_per_s(10**9, 2.0) == pytest.approx(1000)
    # 1000³ MACs, two operations each, in 1 ms: 2·10⁹ / 10⁻³ s = 2·10¹² a second.
    assert gemm_ops_per_s(1000, 1.0) == pytest.approx(2e12)


def test_the_rates_of_the_gpu_are_measured(gpu: MockGpu) -> None:
    device = measure_device()
    assert device.name == "NVIDIA A100-SXM4-40GB"
    assert device.bandwidth_gb_per_s == pytest.approx(COPY_GB_PER_S, rel=1e-3)
    assert device.certainties["bandwidth_gb_per_s"] == "measured"
    assert "cuda-python, CUDA 12.9 and cuBLAS" in device.sources["bandwidth_gb_per_s"]
    assert min(gpu.copies) >= 4 * 40 << 20  # far larger than the L2 of 40 MiB
    for kind, arithmetic in ARITHMETICS.items():
        rate = device.ops_per_s(arithmetic)
        assert rate is not None and rate.certainty == "measured"
        assert rate.per_second == pytest.approx(TERA_PER_S[kind] * 1e12, rel=1e-3), kind
    assert device.sm_count == 108 and device.compute_capability == (8, 0) and device.l2_mib == 40
    assert not gpu.held  # everything was freed


def test_the_launch_is_spread_over_many(gpu: MockGpu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timed_gpu, "LAUNCH_MS", 0.5)  # a hundred times the usual, around every pair of events
    assert measure_device().bandwidth_gb_per_s == pytest.approx(COPY_GB_PER_S, rel=0.02)


def test_a_data_type_that_the_gpu_lacks_is_noted(gpu: MockGpu) -> None:
    gpu.lacking = {"bfloat16"}
    device = measure_device()
    assert sorted(rates(device).values()) == pytest.approx([15, 120, 250, 280, 480], rel=1e-3)
    (note,) = [note for note in device.notes if note.code == "ceiling-not-measured"]
    assert note.severity == "info"
    assert note.message == (
        "BF16 accumulating in FP32 could not be measured with cuda-python, CUDA 12.9 and cuBLAS: "
        "cuBLAS's cublasGemmEx failed: not supported here"
    )


def test_without_cublas_only_the_copy_is_measured(gpu: MockGpu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cublas, "_load_cublas", lambda: None)
    device = measure_device()
    assert device.bandwidth_gb_per_s == pytest.approx(COPY_GB_PER_S, rel=1e-3)
    assert not device.rates
    assert "nvidia-cublas" in next(note for note in device.notes if note.code == "ceiling-not-measured").hint


def test_little_memory_makes_the_copy_smaller(gpu: MockGpu) -> None:
    gpu.memory_bytes = 200 << 20
    device = measure_device()
    assert gpu.copies and max(gpu.copies) == 160 << 20
    assert device.bandwidth_gb_per_s == pytest.approx(COPY_GB_PER_S, rel=1e-2)
    gpu.memory_bytes = 100 << 20  # copies within the L2 of 40 MiB would be timed
    with pytest.raises(TrexError, match="not even a copy of 160 MiB could be timed: CUDA out of memory"):
        measure_device()


def test_a_timer_that_stands_still_gives_no_figure(gpu: MockGpu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timed_gpu.Event, "elapsed_ms", lambda self, end: 0.0)
    monkeypatch.setattr(ceilings, "_MAX_LAUNCHES", 10)
    with pytest.raises(TrexError, match=r"not even a copy of [0-9]+ MiB could be timed"):
        measure_device()


def test_the_clock_is_reported_with_nvml(gpu: MockGpu, nvml: Nvml) -> None:
    nvml.names = ["NVIDIA A100-SXM4-40GB"]
    nvml.sm_mhz = 1275
    device = measure_device()
    assert "at 1275 MHz" in device.sources["bandwidth_gb_per_s"]
    assert all("at 1275 MHz" in rate.source for rate in device.rates.values())
    assert not nvml.is_open and not nvml.calls  # no setting was changed
    nvml.failing["nvmlDeviceGetClockInfo"] = NOT_SUPPORTED
    assert "MHz" not in measure_device().sources["bandwidth_gb_per_s"]


def test_without_nvml_there_is_no_clock(gpu: MockGpu) -> None:
    device = measure_device()
    assert "MHz" not in device.sources["bandwidth_gb_per_s"]
    assert "ceiling-without-clock" in [note.code for note in device.notes]


def test_without_cuda_python_the_next_step_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("cuda", "cuda.bindings", "cuda.bindings.runtime", "cuda.cudart"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(TrexError, match="needs cuda-python, which is not installed") as raised:
        measure_device()
    assert "pip install 'tensorrt-engine-explorer[gpu]'" in raised.value.hint


def test_without_a_gpu_the_reason_is_named(gpu: MockGpu) -> None:
    with pytest.raises(TrexError, match="no GPU can be measured here: there is no GPU 3: CUDA finds one"):
        measure_device(3)


def test_the_result_is_a_device_file(gpu: MockGpu) -> None:
    device = measure_device()
    again = device_of_document(device_document(device), "measured.json")
    assert rates(again) == pytest.approx(rates(device))
    assert {rate.source for rate in again.rates.values()} == {rate.source for rate in device.rates.values()}
    assert again.bandwidth_gb_per_s == device.bandwidth_gb_per_s
    assert again.bytes_per_s == device.bytes_per_s

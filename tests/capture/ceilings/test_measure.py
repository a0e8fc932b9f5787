"""Ceilings measured with mocks whose rates are known: what comes out is what was put in."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from tests.mocks import measured_gpu
from tests.mocks.measured_gpu import Cublas, CudaOf, MockGpu, cupy_of, torch_of
from tests.mocks.nvml import NOT_SUPPORTED, Nvml
from trex.capture.ceilings import measure
from trex.capture.ceilings.libraries import cuda_python
from trex.capture.ceilings.library import LIBRARIES
from trex.capture.ceilings.measure import copy_gb_per_s, measure_device, product_ops_per_s
from trex.core.data_type import DataType
from trex.core.errors import TrexError
from trex.perf.arithmetic import Arithmetic
from trex.perf.device_file import device_document, device_of_document

FP32 = Arithmetic(DataType.FP32, tensor_core=False)
TF32 = Arithmetic(DataType.FP32, tf32=True)
FP16 = Arithmetic(DataType.FP16, DataType.FP32)
FP16_SUMS = Arithmetic(DataType.FP16, DataType.FP16)
BF16 = Arithmetic(DataType.BF16, DataType.FP32)
INT8 = Arithmetic(DataType.INT8, DataType.INT32)
FP8 = Arithmetic(DataType.FP8, DataType.FP32)
MODULES = ("torch", "cupy", "cupy._core", "cuda", "cuda.bindings", "cuda.bindings.runtime", "cuda.bindings.driver",
           "cuda.cuda", "cuda.cudart", "pycuda", "pycuda.driver", "pynvml")  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in MODULES:
        monkeypatch.setitem(sys.modules, name, None)


@pytest.fixture
def gpu() -> MockGpu:
    return MockGpu(lacking={"fp8"})


@pytest.fixture
def torch(gpu: MockGpu, monkeypatch: pytest.MonkeyPatch) -> Any:
    module = torch_of(gpu, allow_fp16_accumulation=False)
    monkeypatch.setitem(sys.modules, "torch", module)
    return module


def rates(device: Any) -> dict[Arithmetic, float]:
    return {arithmetic: rate.per_second / 1e12 for arithmetic, rate in device.rates.items()}


def test_the_arithmetic_of_bytes_and_operations() -> None:
    # 1 GB copied in 2 ms: 1 GB read and 1 GB written, 2 GB in 0.002 s = 1000 GB/s.
    assert copy_gb_per_s(10**9, 2.0) == pytest.approx(1000)
    # 1000³ multiply-adds, two operations each, in 1 ms: 2·10⁹ / 10⁻³ s = 2·10¹² a second.
    assert product_ops_per_s(1000, 1.0) == pytest.approx(2e12)


def test_pytorch_measures_what_the_gpu_does(gpu: MockGpu, torch: Any) -> None:
    device = measure_device()
    assert device.name == "NVIDIA A100-SXM4-40GB"
    assert device.bandwidth_gb_per_s == pytest.approx(measured_gpu.COPY_GB_PER_S, rel=1e-3)
    assert device.certainties["bandwidth_gb_per_s"] == "measured"
    assert "PyTorch 2.9.1" in device.sources["bandwidth_gb_per_s"]
    assert min(gpu.copies) >= 4 * 40 << 20  # no copy that the L2 of 40 MiB could hold a good part of
    found = device.ops_per_s
    for arithmetic, kind in (
        (FP32, "float32"), (TF32, "tf32"), (FP16, "float16"), (FP16_SUMS, "float16 sums"), (BF16, "bfloat16"),
        (INT8, "int8"),
    ):  # fmt: skip
        rate = found(arithmetic)
        assert rate is not None and rate.certainty == "measured"
        assert rate.per_second == pytest.approx(measured_gpu.TERA_PER_S[kind] * 1e12, rel=1e-3), kind
    assert device.sm_count == 108 and device.compute_capability == (8, 0) and device.l2_mib == 40


def test_the_launch_is_spread_over_many(gpu: MockGpu, torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured_gpu, "LAUNCH_MS", 0.5)  # a hundred times what it is, around every pair of events
    device = measure_device()
    assert device.bandwidth_gb_per_s == pytest.approx(measured_gpu.COPY_GB_PER_S, rel=0.02)


def test_what_the_gpu_lacks_is_noted_and_left_out(gpu: MockGpu, torch: Any) -> None:
    device = measure_device()
    assert FP8 not in device.rates
    (note,) = [note for note in device.notes if note.code == "ceiling-not-measured"]
    assert (
        note.message
        == "FP8 with sums in FP32 could not be measured with PyTorch 2.9.1: fp8 is not supported on this GPU"
    )
    assert note.severity == "info"


def test_an_older_pytorch_cannot_sum_in_fp16(gpu: MockGpu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", torch_of(gpu))
    device = measure_device()
    assert FP16 in device.rates and FP16_SUMS not in device.rates


def test_little_memory_makes_the_copy_smaller(gpu: MockGpu, torch: Any) -> None:
    gpu.memory_bytes = 100 << 20
    device = measure_device()
    assert gpu.copies and max(gpu.copies) <= 100 << 20
    assert device.bandwidth_gb_per_s == pytest.approx(measured_gpu.COPY_GB_PER_S, rel=1e-2)
    gpu.memory_bytes = 0
    with pytest.raises(TrexError, match="not even a copy could be timed: CUDA out of memory"):
        measure_device()


def test_the_clock_is_told_where_nvml_tells_it(
    gpu: MockGpu, torch: Any, monkeypatch: pytest.MonkeyPatch, nvml: Nvml
) -> None:
    nvml.names = ["NVIDIA A100-SXM4-40GB"]
    nvml.sm_mhz = 1275
    device = measure_device()
    assert "at 1275 MHz" in device.sources["bandwidth_gb_per_s"]
    assert all("at 1275 MHz" in rate.source for rate in device.rates.values())
    assert not nvml.is_open and not nvml.calls  # no setting was changed
    nvml.failing["nvmlDeviceGetClockInfo"] = NOT_SUPPORTED
    assert "MHz" not in measure_device().sources["bandwidth_gb_per_s"]


def test_without_nvml_the_clock_is_not_told(torch: Any) -> None:
    device = measure_device()
    assert "MHz" not in device.sources["bandwidth_gb_per_s"]
    assert "ceiling-without-clock" in [note.code for note in device.notes]


def test_cupy_when_it_is_what_there_is(gpu: MockGpu, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, module in cupy_of(gpu).items():
        monkeypatch.setitem(sys.modules, name, module)
    device = measure_device()
    assert "CuPy 13.6.0" in device.sources["bandwidth_gb_per_s"]
    assert device.bandwidth_gb_per_s == pytest.approx(measured_gpu.COPY_GB_PER_S, rel=1e-3)
    kinds = {"float32": 15.0, "tf32": 120.0, "float16": 250.0}
    assert sorted(rates(device).values()) == pytest.approx(sorted(kinds.values()), rel=1e-3)
    assert device.ops_per_s(TF32).per_second == pytest.approx(120e12, rel=1e-3)  # type: ignore[union-attr]


def test_cuda_python_with_cublas(gpu: MockGpu, monkeypatch: pytest.MonkeyPatch) -> None:
    cuda = CudaOf(gpu)
    gpu.lacking = {"bfloat16"}
    monkeypatch.setattr(cuda_python, "CudaPython", lambda device: cuda)
    monkeypatch.setattr(cuda_python, "_load_cublas", lambda: Cublas(cuda))
    device = measure_device(library="cuda-python")
    assert device.bandwidth_gb_per_s == pytest.approx(measured_gpu.COPY_GB_PER_S, rel=1e-3)
    assert "cuda-python, CUDA 12.9 and cuBLAS" in device.sources["bandwidth_gb_per_s"]
    assert sorted(rates(device).values()) == pytest.approx([15, 120, 250, 280, 480], rel=1e-3)
    assert any("BF16" in note.message and "not supported here" in note.message for note in device.notes)
    assert not cuda.held  # everything was freed


def test_cuda_python_without_cublas_measures_the_copy(gpu: MockGpu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_python, "CudaPython", lambda device: CudaOf(gpu))
    monkeypatch.setattr(cuda_python, "_load_cublas", lambda: None)
    device = measure_device()
    assert device.bandwidth_gb_per_s == pytest.approx(measured_gpu.COPY_GB_PER_S, rel=1e-3)
    assert not device.rates
    assert "nvidia-cublas" in next(note for note in device.notes if note.code == "ceiling-not-measured").hint


def test_nothing_installed_is_told_with_the_next_step() -> None:
    with pytest.raises(TrexError) as raised:
        measure_device()
    assert raised.value.message == (
        "nothing here can measure a GPU (pytorch is not installed; cupy is not installed; cuda-python is not installed)"
    )
    assert "pip install torch" in raised.value.hint


def test_a_library_without_a_gpu_is_told(gpu: MockGpu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", torch_of(gpu, devices=0))
    with pytest.raises(TrexError, match="pytorch: PyTorch finds no GPU"):
        measure_device()
    monkeypatch.setitem(sys.modules, "torch", torch_of(gpu, devices=1))
    with pytest.raises(TrexError, match="there is no GPU 3: PyTorch finds 1"):
        measure_device(3)
    with pytest.raises(TrexError, match="there is no library called 'tensorflow'"):
        measure_device(0, "tensorflow")


def test_the_result_is_a_device_file(torch: Any) -> None:
    device = measure_device()
    again = device_of_document(device_document(device), "measured.json")
    assert rates(again) == pytest.approx(rates(device))
    assert {rate.source for rate in again.rates.values()} == {rate.source for rate in device.rates.values()}
    assert again.bandwidth_gb_per_s == device.bandwidth_gb_per_s
    assert again.bytes_per_s == device.bytes_per_s


def test_a_timer_that_stands_still_is_no_figure(gpu: MockGpu, torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured_gpu.Event, "elapsed_time", lambda self, end: 0.0)
    with pytest.raises(TrexError, match="not even a copy could be timed"):
        measure_device()


def test_every_library_is_tried_in_order() -> None:
    assert set(measure.ORDER) == set(LIBRARIES.names)

"""Device properties under their classic keys, from whichever package answers."""

from __future__ import annotations

import json
import sys
from enum import IntEnum
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.mocks.nvml import LIBRARY_NOT_FOUND, NOT_SUPPORTED, Nvml
from trex.capture.device_info import device_info, device_properties
from trex.core.device_facts import DeviceFacts
from trex.core.errors import TrexError
from trex.ingest.finding.file_kind import Kind, recognize
from trex.ingest.metadata_json import read_metadata
from trex.ingest.spelling.device_facts import device_facts

try:
    REAL: Any = import_module("cuda.bindings.driver")
except ImportError:
    REAL = None

VALUES = {
    "CLOCK_RATE": 1410000,
    "COMPUTE_CAPABILITY_MAJOR": 8,
    "COMPUTE_CAPABILITY_MINOR": 0,
    "GLOBAL_MEMORY_BUS_WIDTH": 5120,
    "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": 167936,
    "MEMORY_CLOCK_RATE": 1512000,
    "MULTIPROCESSOR_COUNT": 108,
}
NAME, BYTES = "NVIDIA A100 80GB PCIe", 84929216512
WHOLE = DeviceFacts(NAME, (8, 0), 108, 1.41, 1.512, 5120, BYTES / 2**20, 164.0)


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("cuda", "cuda.bindings", "cuda.bindings.driver", "cuda.cuda", "pycuda", "pycuda.driver", "pynvml"):
        monkeypatch.setitem(sys.modules, name, None)


class Attribute(IntEnum):
    """As cuda-python lists them; the driver does not report the last two."""

    CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16
    CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36
    CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81
    CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID = 134
    CU_DEVICE_ATTRIBUTE_MAX = 150


class Result(IntEnum):
    CUDA_SUCCESS = 0
    CUDA_ERROR_INVALID_VALUE = 1
    CUDA_ERROR_NO_DEVICE = 100


def cuda_python(count: int = 1, init: Result = Result.CUDA_SUCCESS) -> Any:
    """The driver module: every call gives a result code first."""
    ok = Result.CUDA_SUCCESS

    def attribute(wanted: Attribute, device: int) -> tuple[Result, int | None]:
        assert wanted is not Attribute.CU_DEVICE_ATTRIBUTE_MAX
        key = wanted.name.removeprefix("CU_DEVICE_ATTRIBUTE_")
        return (ok, VALUES[key]) if key in VALUES else (Result.CUDA_ERROR_INVALID_VALUE, None)

    return SimpleNamespace(
        CUdevice_attribute=Attribute,
        cuInit=lambda flags: (init,),
        cuDriverGetVersion=lambda: (ok, 12040),
        cuDeviceGetCount=lambda: (ok, count),
        cuDeviceGet=lambda index: (ok, index),
        cuDeviceGetName=lambda length, device: (ok, NAME.encode() + b"\x00" * 8),
        cuDeviceTotalMem=lambda device: (ok, BYTES),
        cuDeviceGetAttribute=attribute,
    )


@pytest.mark.parametrize("module", ["cuda.bindings.driver", "cuda.cuda"])
def test_cuda_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, module: str) -> None:
    monkeypatch.setitem(sys.modules, module.rpartition(".")[0], ModuleType("package"))
    monkeypatch.setitem(sys.modules, "cuda", ModuleType("package"))
    monkeypatch.setitem(sys.modules, module, cuda_python())
    path = device_info(tmp_path / "device.json")
    (device,) = json.loads(path.read_text())
    assert device.pop("Source").startswith("cuda-python")
    assert device == {
        "Name": NAME,
        "ComputeCapability": [8, 0],
        "TotalMemory": BYTES,
        "CUDA_VERSION": [12, 4, 0],
        **VALUES,
    }
    assert device_facts(device) == WHOLE
    assert recognize(path.read_bytes(), path.name) is Kind.DEVICE
    assert read_metadata(path.read_bytes()).device["SMs"] == "108"


def test_pycuda(monkeypatch: pytest.MonkeyPatch) -> None:
    class Device:
        count = staticmethod(lambda: 2)
        name = staticmethod(lambda: NAME)
        compute_capability = staticmethod(lambda: (8, 0))
        total_memory = staticmethod(lambda: BYTES)
        get_attributes = staticmethod(lambda: VALUES)

        def __init__(self, index: int) -> None:
            assert index < 2

    driver = SimpleNamespace(init=lambda: None, Device=Device, get_version=lambda: (12, 4, 0))
    monkeypatch.setitem(sys.modules, "pycuda", ModuleType("pycuda"))
    monkeypatch.setitem(sys.modules, "pycuda.driver", driver)
    first, _second = device_properties()
    assert first["Source"].startswith("pycuda") and device_facts(first) == WHOLE
    assert len(device_properties(1)) == 1
    with pytest.raises(TrexError, match="no GPU 2 among 2"):
        device_properties(2)


def test_nvml_reports_fewer_properties(nvml: Nvml) -> None:
    (device,) = device_properties()
    assert device["Source"].startswith("nvidia-ml-py")
    facts = device_facts(device)
    assert facts == DeviceFacts(NAME, (8, 0), None, 1.41, 1.512, 5120, 80 * 1024, None)
    nvml.failing |= dict.fromkeys(["nvmlDeviceGetMaxClockInfo", "nvmlDeviceGetCudaComputeCapability"], NOT_SUPPORTED)
    nvml.failing["nvmlSystemGetCudaDriverVersion_v2"] = NOT_SUPPORTED
    (device,) = device_properties()
    assert set(device) == {"Name", "TotalMemory", "Source", "GLOBAL_MEMORY_BUS_WIDTH"}
    assert not nvml.is_open


def test_nvml_follows_what_cuda_shows(nvml: Nvml, monkeypatch: pytest.MonkeyPatch) -> None:
    nvml.names, nvml.uuids = ["A100", "T4", "T4 MIG 1g.5gb"], ["GPU-aaa", "GPU-ttt", "MIG-1"]
    for visible, names in (
        ("GPU-ttt", ["T4"]),
        ("1,0", ["T4", "A100"]),
        ("GPU-t, 7, 0", ["T4"]),
        ("MIG-1", ["T4 MIG 1g.5gb"]),
    ):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
        assert [device["Name"] for device in device_properties()] == names
    for visible in ("", "-1", "MIG-2", "0,0", "1,GPU-ttt"):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
        with pytest.raises(TrexError, match="no GPU"):
            device_properties()


def test_one_that_does_not_answer_is_passed_over(nvml: Nvml, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("cuda", "cuda.bindings"):
        monkeypatch.setitem(sys.modules, name, ModuleType("package"))
    monkeypatch.setitem(sys.modules, "cuda.bindings.driver", cuda_python(init=Result.CUDA_ERROR_NO_DEVICE))
    assert device_properties()[0]["Source"].startswith("nvidia-ml-py")
    nvml.failing["nvmlInit"] = LIBRARY_NOT_FOUND
    with pytest.raises(TrexError) as caught:
        device_properties()
    assert "cuda-python: CUDA_ERROR_NO_DEVICE; pycuda is not installed; nvidia-ml-py: NVML Sha" in caught.value.message


def test_without_any_package_the_extra_is_named(tmp_path: Path) -> None:
    with pytest.raises(TrexError, match="cuda-python is not installed") as caught:
        device_info(tmp_path / "device.json")
    assert "[gpu]" in caught.value.hint and not list(tmp_path.iterdir())


def test_no_gpu_at_all(nvml: Nvml) -> None:
    nvml.names.clear()
    with pytest.raises(TrexError, match="there is no GPU"):
        device_properties()


@pytest.mark.skipif(REAL is None, reason="cuda-python is not installed")
def test_the_mock_is_like_the_real_binding() -> None:
    for name in vars(cuda_python()):
        assert hasattr(REAL, name), name
    for attribute in Attribute:
        if attribute is not Attribute.CU_DEVICE_ATTRIBUTE_MAX:
            assert getattr(REAL.CUdevice_attribute, attribute.name).value == attribute.value
    for result in Result:
        assert int(getattr(REAL.CUresult, result.name)) == result.value
    names = [attribute.name for attribute in REAL.CUdevice_attribute]  # can be gone through, as an Enum can
    assert names[-1] == "CU_DEVICE_ATTRIBUTE_MAX" and len(names) == len(set(names))
    assert int(REAL.CUresult(0)) == 0 and REAL.CUresult(0).name == "CUDA_SUCCESS"

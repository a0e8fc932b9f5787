"""Which GPU is opened, and what is said when there is none."""

from __future__ import annotations

import inspect
import sys

import pytest

from tests.mocks.nvml import LIBRARY_NOT_FOUND, NOT_SUPPORTED, Nvml
from trex.capture import nvml as access
from trex.capture.nvml import get_max_clocks, is_jetson, nvmlContext, open_gpu
from trex.core.errors import TrexError


def test_a_gpu_is_opened_and_closed(nvml: Nvml) -> None:
    with nvmlContext(0) as handle:
        assert handle == 1000
        assert get_max_clocks(handle) == (1512, 1410)
        assert nvml.is_open
    assert not nvml.is_open


def test_an_absent_package_names_the_extra(nvml: Nvml, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pynvml", None)
    with pytest.raises(TrexError, match=r"needs the package 'nvidia-ml-py'") as caught, open_gpu():
        pass
    assert "tensorrt-engine-explorer[gpu]" in caught.value.hint


def test_an_absent_driver_is_reported(nvml: Nvml) -> None:
    nvml.failing["nvmlInit"] = LIBRARY_NOT_FOUND
    with pytest.raises(TrexError, match="NVML Shared Library Not Found") as caught, open_gpu():
        pass
    assert "nvidia-smi" in caught.value.hint


@pytest.mark.parametrize("has_package", [True, False])
def test_a_jetson_has_its_own_commands(nvml: Nvml, monkeypatch: pytest.MonkeyPatch, has_package: bool) -> None:
    access._JETSON_MODEL.write_text("NVIDIA Jetson AGX Orin Developer Kit\x00")
    assert is_jetson()
    nvml.failing["nvmlInit"] = LIBRARY_NOT_FOUND
    if not has_package:
        monkeypatch.setitem(sys.modules, "pynvml", None)
    with pytest.raises(TrexError) as caught, open_gpu():
        pass
    assert "jetson_clocks" in caught.value.hint and "nvpmodel" in caught.value.hint


@pytest.mark.parametrize(
    ("visible", "gpu_id", "index"),
    [
        (None, 1, 1),
        ("1,0", 0, 1),
        ("2", 0, 2),
        ("GPU-00000002", 0, 2),
        ("0,GPU-00000001-0000-0000-0000-000000000000", 1, 1),
    ],
)
def test_cudas_numbers_are_followed(nvml: Nvml, visible: str | None, gpu_id: int, index: int) -> None:
    nvml.__init__(["A", "A", "A"])  # type: ignore[misc]
    environment = {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}
    with open_gpu(gpu_id, environment) as gpu:
        assert (gpu.index, gpu.handle, gpu.notes) == (index, 1000 + index, ())


@pytest.mark.parametrize("visible", [None, "", "0", "-1", "7", "GPU-9", "MIG-1"])
def test_a_gpu_that_is_not_there(nvml: Nvml, visible: str | None) -> None:
    environment = {} if visible is None else {"CUDA_VISIBLE_DEVICES": visible}
    number = 0 if visible in ("", "-1", "7", "GPU-9", "MIG-1") else 1
    with pytest.raises(TrexError) as caught, open_gpu(number, environment):
        pass
    assert "nvidia-smi -L" in caught.value.hint
    assert not nvml.is_open


def test_different_gpus_may_be_counted_differently(nvml: Nvml) -> None:
    nvml.__init__(["GeForce", "A100"])  # type: ignore[misc]
    with open_gpu(0, {}) as gpu:
        assert [note.code for note in gpu.notes] == ["gpu-order-unclear"]
    with open_gpu(0, {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}) as gpu:
        assert gpu.notes == ()
    with open_gpu(0, {"CUDA_VISIBLE_DEVICES": "GPU-00000001"}) as gpu:
        assert (gpu.index, gpu.notes) == (1, ())


def test_unknown_clocks_are_an_error(nvml: Nvml) -> None:
    nvml.failing["nvmlDeviceGetMaxClockInfo"] = NOT_SUPPORTED
    with nvmlContext(0) as handle, pytest.raises(TrexError, match="Not Supported"):
        get_max_clocks(handle)


def test_the_mock_is_like_the_real_binding() -> None:
    """Every function it offers is in nvidia-ml-py, and takes what it is given here; constants are equal."""
    real = pytest.importorskip("pynvml")
    functions = [name for name in vars(Nvml) if name.startswith("nvml")]
    assert len(functions) > 20
    for name in functions:
        ours = inspect.signature(getattr(Nvml, name)).parameters
        count = len(inspect.signature(getattr(real, name)).bind(*range(len(ours) - 1)).args)
        assert count == len(ours) - 1, name
    for name in (name for name in vars(Nvml) if name.startswith("NVML_")):
        assert getattr(real, name) == getattr(Nvml, name), name
    assert issubclass(real.NVMLError, Exception)
    assert str(real.NVMLError(4)) == "Insufficient Permissions" and real.NVMLError(4).value == 4

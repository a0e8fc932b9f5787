"""What the tests of the wing share: a mock NVML and a machine that is no Jetson."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.mocks.nvml import Nvml
from trex.capture import nvml as access


@pytest.fixture
def nvml(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Nvml:
    """One A100 that takes every change; CUDA sees all GPUs."""
    fake = Nvml()
    monkeypatch.setitem(sys.modules, "pynvml", fake)
    monkeypatch.setattr(access, "_JETSON_RELEASE", tmp_path / "nv_tegra_release")
    monkeypatch.setattr(access, "_JETSON_MODEL", tmp_path / "model")
    for name in ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"):
        monkeypatch.delenv(name, raising=False)
    return fake

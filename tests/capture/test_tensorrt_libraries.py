"""TensorRT's libraries are found by their files."""

from __future__ import annotations

import ctypes.util
from pathlib import Path

import pytest

from trex.capture.tensorrt_libraries import find_libraries


def test_they_are_found_where_loaders_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package, tar, root = tmp_path / "site" / "tensorrt_libs", tmp_path / "tar" / "lib", tmp_path / "root"
    for folder in (package, tar, root / "lib"):
        folder.mkdir(parents=True)
        (folder / "libnvinfer.so.10").touch()
        (folder / "libnvinfer_plugin.so.10").touch()
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(package.parent))
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: "libnvinfer.so.8")
    environment = {"LD_LIBRARY_PATH": f"{tar}:/no/such/folder:", "TENSORRT_ROOT": str(root)}
    folders = [str(folder / "libnvinfer.so.10") for folder in (package, tar, root / "lib")]
    assert find_libraries(environment) == (*folders, "libnvinfer.so.8")


def test_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes.util, "find_library", lambda name: None)
    assert find_libraries({}) == ()

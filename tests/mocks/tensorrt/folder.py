"""Packages in a folder, for PYTHONPATH."""

from __future__ import annotations

import _ctypes
import json
import shutil
from pathlib import Path
from typing import Any

from tests.mocks.launcher import RELEASES as ALL
from tests.mocks.launcher import REPOSITORY

RELEASES = {release: version for release, version in ALL.items() if release not in ("8.2", "8.4")}

_TENSORRT = """import sys
sys.path.append({repository!r})
from tests.mocks.tensorrt.module import offer
globals().update(offer({version!r}, {behavior!r}))
"""
_CUDA = """import sys
sys.path.append({repository!r})
from tests.mocks.tensorrt.{module} import *
"""
_PATHS = {
    "cuda-python": ("cuda/bindings/runtime.py", "cuda_python_calls"),
    "cuda-python 11": ("cuda/cudart.py", "cuda_python_calls"),
    "pycuda": ("pycuda/driver.py", "pycuda_calls"),
}
_METADATA = "Metadata-Version: 2.1\nName: tensorrt-rtx-cu12-bindings\nVersion: 1.7.1.116\n"
_NOT_HERE = "raise ImportError('not on this machine')\n"


def write_tensorrt(folder: Path, release: str = "10.4", cuda: str = "cuda-python", **behavior: Any) -> Path:
    """cuda: ``cuda-python``, ``cuda-python 11`` (its older place), ``pycuda`` or "" for none; the others are not there.

    behavior: no_gpu, fails (build, load, context, inference, capture), complaint (what TensorRT says then),
    parser_errors ([(node, name, operator, words)]), shape_tensor (an input that is one), skips (a layer that runs in
    every second inference only), no_report (profilers get nothing), build_s (how long a build takes),
    deaf (a build that does not ask its monitor meanwhile), noise (a number: another one, other tactics), silent
    (operations whose recorded tactic a build passes over without a word), rejects (a cache that takes no tactic).
    """
    version = RELEASES.get(release, release)
    _write(folder / "tensorrt" / "__init__.py", _TENSORRT, version=version, behavior=json.loads(json.dumps(behavior)))
    for package in ("cuda", "pycuda"):
        _write(folder / package / "__init__.py", "" if cuda.partition("-")[0] == package else _NOT_HERE)
    if cuda:
        file, module = _PATHS[cuda]
        path = folder / file
        if path.parent.name == "bindings":
            _write(path.parent / "__init__.py", "")
        _write(path, _CUDA, module=module)
    return folder


def write_tensorrt_rtx(folder: Path, **behavior: Any) -> Path:
    """TensorRT for RTX 1.7.1, which has the API of TensorRT 11, and a driver: with cuda-python, on a GPU.

    The driver is found by LD_LIBRARY_PATH. It and the libraries are some library that can be loaded.
    """
    write_tensorrt(folder, "11.0", **behavior)
    behavior = {**json.loads(json.dumps(behavior)), "api": [11, 0]}
    _write(folder / "tensorrt_rtx_bindings" / "__init__.py", _TENSORRT, version="1.7.1", behavior=behavior)
    _write(folder / "tensorrt_rtx_cu12_bindings-1.7.1.116.dist-info" / "METADATA", _METADATA)
    libraries = folder / "onnxruntime_ep_nv_tensorrt_rtx"
    _write(libraries / "__init__.py", "raise ImportError('nobody needs this')\n")
    for path in (libraries / "libtensorrt_rtx.so.1.7.1", libraries / "libtensorrt_onnxparser_rtx.so.1.7.1",
                 folder / "libcuda.so.1"):  # fmt: skip
        shutil.copyfile(_ctypes.__file__, path)
    return folder


def _write(path: Path, text: str, **facts: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.format(repository=str(REPOSITORY), **facts) if facts else text, encoding="utf-8")

"""The wheels of TensorRT for RTX: which are installed, whether their versions agree, and their Python module.

The libraries are part of NVIDIA's ONNX Runtime plugin, the Python module is a wheel of its own; importing the plugin's
package is not needed. Both are wheels of the Python package index for Linux x86-64. A build needs no GPU, no driver.
"""

from __future__ import annotations

import ctypes
import glob
import importlib
import importlib.util
import os
import re
from importlib import metadata
from typing import Any

from trex.capture.tensorrt_api.errors import CollectorError

RTX_MODULE = "tensorrt_rtx_bindings"
RTX_LIBRARIES = "onnxruntime_ep_nv_tensorrt_rtx"
TESTED = "1.7.1"
"""The version that this was tried with; its wheels are those of the extra."""

TARGETS = ("sm75", "sm80", "sm86", "sm89", "sm120", "sm121")
"""Compute capabilities that it builds for without a GPU."""

_BINDINGS = ("tensorrt-rtx-cu12-bindings", "tensorrt-rtx-cu13-bindings")
_LOADED = ("libtensorrt_rtx.so.", "libtensorrt_onnxparser_rtx.so.")  # the parser needs the builder
_HINT = 'pip install "tensorrt-engine-explorer[rtx]" (Linux x86-64)'


class RtxWheels:
    """paths: of the libraries, in the order to load. version: theirs. bindings: version of the Python module."""

    def __init__(self, paths: list[str], version: str, bindings: str) -> None:
        self.paths = paths
        self.version = version
        self.bindings = bindings


def find_wheels() -> RtxWheels:
    """Imports nothing. Raises CollectorError if a wheel is missing or the two do not belong together."""
    folder, module = _folder(RTX_LIBRARIES), _folder(RTX_MODULE)
    missing = [name for name, path in ((RTX_LIBRARIES, folder), (RTX_MODULE, module)) if not path]
    if missing:
        raise CollectorError(
            "TensorRT for RTX is not installed: there is no {}".format(" and no ".join(missing)), _HINT
        )
    paths = [_library(folder, name) for name in _LOADED]
    version = paths[0].rpartition(".so.")[2]
    bindings = _version_of_bindings()
    if re.findall(r"\d+", bindings)[:3] != re.findall(r"\d+", version)[:3]:
        raise CollectorError(
            f"TensorRT for RTX is installed in two versions: libraries {version}, Python module {bindings}", _HINT
        )
    return RtxWheels(paths, version, bindings)


def load_module() -> Any:
    """The Python module, after its libraries. Raises CollectorError if they cannot be loaded."""
    wheels = find_wheels()
    try:
        for path in wheels.paths:
            ctypes.CDLL(path, mode=getattr(ctypes, "RTLD_GLOBAL", 0))
        return importlib.import_module(RTX_MODULE)
    except (ImportError, OSError) as error:
        raise CollectorError(f"TensorRT for RTX {wheels.version} cannot be loaded: {error}", _HINT) from None


def _folder(package: str) -> str:
    """The package's folder, "" without one."""
    spec = importlib.util.find_spec(package)
    return os.path.dirname(spec.origin) if spec is not None and spec.origin else ""


def _library(folder: str, name: str) -> str:
    paths = sorted(
        path for path in glob.glob(os.path.join(glob.escape(folder), name + "*")) if not os.path.islink(path)
    )
    if not paths:
        raise CollectorError(f"the wheel {RTX_LIBRARIES} has no {name}*", _HINT)
    return paths[-1]


def _version_of_bindings() -> str:
    for name in _BINDINGS:
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return ""

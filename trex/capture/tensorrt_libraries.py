"""Where TensorRT's shared libraries are, found without loading any."""

from __future__ import annotations

import ctypes.util
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

ROOT_VARIABLES = ("TENSORRT_ROOT", "TENSORRT_DIR", "TENSORRT_HOME", "TRT_ROOT")

_NAMES = ("libnvinfer.so", "nvinfer.dll", "nvinfer_10.dll", "nvinfer_11.dll")


def find_libraries(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Paths of libnvinfer, those of the pip package first, or the bare name that the system's loader knows."""
    environment = os.environ if environment is None else environment
    paths = [str(file) for folder in _folders(environment) for file in _library_in(folder)]
    listed = ctypes.util.find_library("nvinfer")
    if listed and not any(Path(path).name == Path(listed).name for path in paths):
        paths.append(listed)
    return tuple(dict.fromkeys(paths))


def _folders(environment: Mapping[str, str]) -> Iterator[Path]:
    for package in ("tensorrt_libs", "tensorrt"):
        with suppress(ImportError, ValueError):
            spec = find_spec(package)
            yield from map(Path, (spec.submodule_search_locations or ()) if spec else ())
    variable = "PATH" if os.name == "nt" else "LD_LIBRARY_PATH"
    yield from (Path(part) for part in environment.get(variable, "").split(os.pathsep) if part)
    yield from (Path(environment[name]) / "lib" for name in ROOT_VARIABLES if environment.get(name))


def _library_in(folder: Path) -> list[Path]:
    """The first library of a folder; the others are links to it."""
    with suppress(OSError):
        return sorted(file for file in folder.iterdir() if file.name.startswith(_NAMES) and file.is_file())[:1]
    return []

"""NVIDIA's own bindings, out of a wheel, imported without TensorRT and without a GPU: what they offer, as data.

The wheels hold no stubs (.pyi), but one extension module with signatures in its docstrings. It is linked against
TensorRT's libraries and needs a handful of their functions; empty ones of the same names let it be imported.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

LIBRARIES = ("nvinfer", "nvonnxparser", "nvparsers", "nvinfer_plugin")
# The Caffe and UFF parsers' are those of 8.x.
_FUNCTIONS = (
    "createInferBuilder_INTERNAL", "createInferRefitter_INTERNAL", "createInferRuntime_INTERNAL",
    "createNvOnnxParserRefitter_INTERNAL", "createNvOnnxParser_INTERNAL", "getBuilderPluginRegistry",
    "getNvOnnxParserVersion", "getPluginRegistry", "initLibNvInferPlugins", "getInferLibVersion",
    "_ZN11nvuffparser15createUffParserEv", "_ZN11nvuffparser8FieldMapC1EPKcPKvNS_9FieldTypeEi",
    "_ZN14nvcaffeparser117createCaffeParserEv", "_ZN14nvcaffeparser123shutdownProtobufLibraryEv",
)  # fmt: skip
_WHEEL = re.compile(r"tensorrt.*bindings-(\d+)\.(\d+)[.\d]*-cp(\d)(\d+)-")
_SIGNATURE = re.compile(r"^\s*(?:\d+\. )?\w+\((.*)\) -> ", re.MULTILINE)
_PARAMETER = re.compile(r"(?:^|, )(\w+): ")
_LIST = """
import inspect, json
import tensorrt_bindings.tensorrt as module
signatures = {}
for name in dir(module):
    value = getattr(module, name)
    if inspect.isclass(value):
        members = sorted(getattr(value, "__members__", ()))
        attributes = {a: getattr(value, a).__doc__ or "" for a in dir(value) if a == "__init__" or a[0] != "_"}
        signatures[name] = {"members": members, "attributes": attributes}
    elif callable(value):
        signatures[name] = {"doc": value.__doc__ or ""}
print(json.dumps(signatures))
"""

Offered = dict[str, Any]


def wheels(folder: str | None) -> dict[str, Path]:
    """{release: wheel} of those in the folder that are for this Python."""
    files = {}
    for path in sorted(Path(folder).glob("*.whl")) if folder else []:
        match = _WHEEL.match(path.name)
        if match and (int(match[3]), int(match[4])) == sys.version_info[:2]:
            files[f"{match[1]}.{match[2]}"] = path
    return files


def unpacked(wheel: Path, folder: Path) -> dict[str, str] | None:
    """The environment in which a Python can import ``tensorrt_bindings.tensorrt``; None without a C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    package = folder / "tensorrt_bindings"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    with zipfile.ZipFile(wheel) as archive:
        (package / "tensorrt.so").write_bytes(archive.read("tensorrt_bindings/tensorrt.so"))
    source = folder / "empty.c"
    source.write_text("".join(f"void *{name}(void) {{ return 0; }}\n" for name in _FUNCTIONS))
    match = _WHEEL.match(wheel.name)
    assert match is not None
    for library in LIBRARIES:
        name = f"lib{library}.so.{match[1]}"
        words = [compiler, "-shared", "-fPIC", "-w", "-o", str(folder / name), str(source), f"-Wl,-soname,{name}"]
        subprocess.run(words, check=True, timeout=60)
    return {**os.environ, "LD_LIBRARY_PATH": str(folder), "PYTHONPATH": str(folder)}


def offered_by(environment: dict[str, str]) -> Offered:
    """{name: {members, attributes: {name: docstring}}} of the module."""
    offered: Offered = json.loads(run_with(environment, _LIST))
    return offered


def run_with(environment: dict[str, str], program: str) -> str:
    """What a program prints that imports the bindings."""
    words = [sys.executable, "-c", program]
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=True, timeout=60).stdout


def parameters(docstring: str) -> list[list[str]]:
    """The names of each overload's parameters, ``self`` left out; once more without those that may be left out."""
    files = []
    for signature in _SIGNATURE.findall(docstring):
        starts = list(_PARAMETER.finditer(signature))
        ends = [*(match.start() for match in starts[1:]), len(signature)]
        signatures = [
            (match[1], " = " in signature[match.end() : end]) for match, end in zip(starts, ends, strict=True)
        ]
        files.append([name for name, _ in signatures if name != "self"])
        files.append([name for name, is_optional in signatures if name != "self" and not is_optional])
    return files


_TELL_CUDA = """
import json
from cuda.bindings import runtime
signatures = {n: getattr(runtime, n).__doc__ or "" for n in dir(runtime) if n.startswith("cuda")}
signatures.update({n: {m.name: int(m) for m in getattr(runtime, n)} for n in signatures
             if hasattr(getattr(runtime, n), "__members__")})
print(json.dumps(signatures))
"""
_CUDA_WHEEL = re.compile(r"cuda_bindings-(\d+\.\d+)[.\d]*-cp(\d)(\d+)-")


def cuda_wheels(folder: str | None) -> dict[str, Path]:
    """{release: wheel} of cuda-python's bindings for this Python."""
    files = {}
    for path in sorted(Path(folder).glob("cuda_bindings-*.whl")) if folder else []:
        match = _CUDA_WHEEL.match(path.name)
        if match and (int(match[2]), int(match[3])) == sys.version_info[:2]:
            files[match[1]] = path
    return files


def cuda_offered_by(wheel: Path, folder: Path) -> Offered:
    """{function: docstring, enumeration: {member: number}} of ``cuda.bindings.runtime``."""
    for path in (wheel, *wheel.parent.glob("cuda_pathfinder-*.whl")):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
    words = [sys.executable, "-c", _TELL_CUDA]
    signatures = subprocess.run(
        words, env={**os.environ, "PYTHONPATH": str(folder)}, capture_output=True, text=True, check=True, timeout=60
    )
    offered: Offered = json.loads(signatures.stdout)
    return offered


def cuda_parameters(docstring: str) -> list[str]:
    """``cudaMemset(devPtr, int value, size_t count)`` → [devPtr, value, count]."""
    inside = re.match(r"\w+\(([^)]*)\)", docstring)
    return [part.partition(":")[0].split()[-1] for part in inside[1].split(",") if part.strip()] if inside else []

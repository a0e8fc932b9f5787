"""Model bytes → processed model bytes, by the package ``onnx`` in a child process.

Its C++ code crashes (an assertion, a signal) on some damaged models, or fills the memory; only the child process ends.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, replace

TIME_LIMIT_S, _LONGEST_S = 8.0, 120.0
"""Damaged models can keep the library busy without end: an Einsum whose equation has 15,000 characters, for minutes. A
model is given to it up to three times, and has this time for all of them. 100,000 operators take it a second."""
_BYTES_PER_S = 1 << 20
"""Larger models get more time: one second for each MiB."""
_LEAST_BYTES, _PER_BYTE = 1 << 30, 64
"""Address space of the child process: for the library itself (it takes 0.1 GiB), and for each byte of the model (up to
40). A chain of concatenated shapes in 10 kB of model would take 8 GB."""
_REASON_CHARS = 300

# -I keeps the current folder off the path, -S leaves out ``site``: the package comes from this interpreter's path.
_FRAME = """\
import json, sys
sys.path[:] = json.loads(sys.argv[1])
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, ({memory}, resource.getrlimit(resource.RLIMIT_AS)[1]))
    resource.setrlimit(resource.RLIMIT_CPU, ({seconds}, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
except (ImportError, ValueError, OSError):
    pass
{statements}
try:
    result = run(sys.stdin.buffer.read())
except Exception as error:
    sys.stderr.write(" ".join(str(error).split()) or type(error).__name__)
    sys.exit(3)
sys.stdout.buffer.write(result)
"""
# ``onnx.shape_inference`` hands the bytes to this library and reads its answer. The library alone is loaded in a fifth
# of the time that the package takes.
_INFER = """\
try:
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec
    spec = PathFinder.find_spec("onnx_cpp2py_export", PathFinder.find_spec("onnx").submodule_search_locations)
    library = module_from_spec(spec)
    spec.loader.exec_module(library)
    infer_shapes = library.shape_inference.infer_shapes
except (ImportError, AttributeError):
    import onnx.shape_inference
    def infer_shapes(*arguments):
        return onnx.shape_inference.infer_shapes(*arguments).SerializeToString()
def run(data):
    check_type, strict_mode, data_prop = False, {is_strict}, True
    return infer_shapes(data, check_type, strict_mode, data_prop)
"""
_INLINE = """\
import onnx
from onnx.inliner import inline_local_functions
def run(data):
    return inline_local_functions(onnx.load_model_from_string(data)).SerializeToString()
"""


@dataclass(frozen=True, slots=True)
class OnnxChildResult:
    """data: the resulting model, empty if it failed. problem: why, in one line. seconds: the time it took."""

    data: bytes = b""
    problem: str = ""
    seconds: float = 0.0


def inferred(data: bytes, *, is_strict: bool = False, spent_s: float = 0.0) -> OnnxChildResult:
    """The model with the shapes that ONNX's inference finds. is_strict: the first unknown shape is a problem. spent_s:
    what the model has taken before of its time.
    """
    return _run(_INFER.format(is_strict=is_strict), data, spent_s)


def inlined(data: bytes) -> OnnxChildResult:
    """The model with its own functions inlined."""
    return _run(_INLINE, data)


def _run(statements: str, data: bytes, spent_s: float = 0.0) -> OnnxChildResult:
    started = time.monotonic()
    result = _result(statements, data, spent_s)
    return replace(result, seconds=time.monotonic() - started)


def _result(statements: str, data: bytes, spent_s: float) -> OnnxChildResult:
    allowed_s = min(TIME_LIMIT_S + len(data) // _BYTES_PER_S, _LONGEST_S)
    limit_s = allowed_s - spent_s
    late = OnnxChildResult(problem=f"it takes longer than {allowed_s:g} s")
    if limit_s <= 0.0:
        return late
    # The system's limit holds when this process is killed.
    limits = {"memory": _LEAST_BYTES + _PER_BYTE * len(data), "seconds": int(limit_s) + 1}
    program = _FRAME.format(statements=statements, **limits)
    command = [sys.executable, "-I", "-S", "-c", program, json.dumps(sys.path)]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=limit_s, check=False)
    except subprocess.TimeoutExpired:
        return late
    except OSError as error:
        return OnnxChildResult(problem=f"the child process could not be started: {error.strerror}")
    if done.returncode == 0:
        return OnnxChildResult(done.stdout)
    if done.returncode < 0:
        return OnnxChildResult(problem=f"the package onnx crashed ({_signal_name(-done.returncode)})")
    message = " ".join(done.stderr.decode("utf-8", "replace").split())
    return OnnxChildResult(problem=message[-_REASON_CHARS:] if done.returncode != 3 else message[:_REASON_CHARS])


def _signal_name(number: int) -> str:
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"

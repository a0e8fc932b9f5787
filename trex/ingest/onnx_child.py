"""Bytes of a model → what the package ``onnx`` makes of them, in a process of its own.

Its C++ code ends the process (an assertion, a signal) on some models that are damaged: nobody else shall end with it.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass

TIME_LIMIT_S = 600.0
_REASON_CHARS = 300

# -I keeps the current folder off the path; the package is to be found where this interpreter finds it.
_FRAME = """\
import json, sys
sys.path[:] = json.loads(sys.argv[1])
{statements}
try:
    made = make(sys.stdin.buffer.read())
except Exception as error:
    sys.stderr.write(" ".join(str(error).split()))
    sys.exit(3)
sys.stdout.buffer.write(made.SerializeToString())
"""
_INFER = """\
from onnx.shape_inference import infer_shapes
def make(data):
    return infer_shapes(data, check_type=False, strict_mode={is_strict}, data_prop=True)
"""
_INLINE = """\
import onnx
from onnx.inliner import inline_local_functions
def make(data):
    return inline_local_functions(onnx.load_model_from_string(data))
"""


@dataclass(frozen=True, slots=True)
class Made:
    """data: the model that was made, empty when it could not be; problem: why, in one line."""

    data: bytes = b""
    problem: str = ""


def inferred(data: bytes, *, is_strict: bool = False) -> Made:
    """The model with the shapes that ONNX's inference finds. is_strict: the first that it cannot find is a problem."""
    return _run(_INFER.format(is_strict=is_strict), data)


def inlined(data: bytes) -> Made:
    """The model with its own functions replaced by what they do."""
    return _run(_INLINE, data)


def _run(statements: str, data: bytes) -> Made:
    program = _FRAME.format(statements=statements)
    command = [sys.executable, "-I", "-c", program, json.dumps(sys.path)]
    try:
        done = subprocess.run(command, input=data, capture_output=True, timeout=TIME_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return Made(problem=f"it takes longer than {TIME_LIMIT_S:g} s")
    except OSError as error:
        return Made(problem=f"no process could be started: {error.strerror}")
    if done.returncode == 0:
        return Made(done.stdout)
    if done.returncode < 0:
        return Made(problem=f"the package onnx crashed ({_signal_name(-done.returncode)})")
    told = " ".join(done.stderr.decode("utf-8", "replace").split())
    return Made(problem=told[-_REASON_CHARS:] if done.returncode != 3 else told[:_REASON_CHARS])


def _signal_name(number: int) -> str:
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"

"""A question to a program or a library in a process of its own, so that a crash or a hang does not reach trex."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

TIME_LIMIT_S = 30.0
MAX_OUTPUT_BYTES = 1 << 20

_MARK = "trex-answer:"
# The child finds libraries where this interpreter does.
_FRAME = """\
import json, sys
sys.path[:] = json.loads(sys.argv[1])
{question}
print()
print({mark!r} + json.dumps(answer))
"""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """value: the answer, None without one. problem: one sentence why there is none."""

    value: Any = None
    problem: str = ""


def is_installed(module: str) -> bool:
    """Whether a module could be imported; this imports only the packages around it."""
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError, AttributeError):  # the package around it is missing, or is no package
        return False


def ask_python(question: str, time_limit_s: float = TIME_LIMIT_S) -> ProbeResult:
    """Runs Python statements that set ``answer`` to something JSON can hold."""
    program = _FRAME.format(question=question, mark=_MARK)
    text, problem = _run([sys.executable, "-c", program, json.dumps(sys.path)], time_limit_s)
    for line in reversed(text.splitlines()):
        if line.startswith(_MARK):
            with suppress(ValueError):
                return ProbeResult(json.loads(line[len(_MARK) :]))
    return ProbeResult(problem=problem or "it ended without an answer")


def ask_program(command: Sequence[str], time_limit_s: float = TIME_LIMIT_S) -> ProbeResult:
    """The output of a program, standard output and errors together, if it exits with 0."""
    text, problem = _run(command, time_limit_s)
    return ProbeResult(problem=problem) if problem else ProbeResult(text)


@dataclass(frozen=True, slots=True)
class ProgramOutput:
    """text: standard output and errors, up to 1 MiB. exit_code: None for a program that was stopped.

    is_late: it was stopped at the time limit, else for printing too much.
    """

    text: str
    exit_code: int | None
    is_late: bool


def run_program(command: Sequence[str], time_limit_s: float) -> ProgramOutput:
    """Stops the program with all that it started at the time limit. Raises OSError if it does not start."""
    child = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    late = threading.Event()

    def stop() -> None:
        late.set()
        _kill(child)

    timer = threading.Timer(time_limit_s, stop)
    timer.start()
    assert child.stdout is not None
    try:
        with child.stdout:
            data = child.stdout.read(MAX_OUTPUT_BYTES)
        is_endless = len(data) == MAX_OUTPUT_BYTES
        if is_endless:
            _kill(child)
        code = child.wait()
    finally:
        timer.cancel()
        if child.poll() is None:
            _kill(child)
            child.wait()
    return ProgramOutput(data.decode("utf-8", "replace"), None if is_endless or late.is_set() else code, late.is_set())


def _kill(child: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "nt":
            child.kill()
        else:
            os.killpg(child.pid, signal.SIGKILL)


def _run(command: Sequence[str], time_limit_s: float) -> tuple[str, str]:
    try:
        output = run_program(command, time_limit_s)
    except OSError as error:
        return "", f"it does not start: {error.strerror}"
    code = output.exit_code
    if code == 0:
        return output.text, ""
    if code is None:
        return output.text, f"no answer within {time_limit_s:g} s" if output.is_late else "it prints without end"
    if code < 0:
        return output.text, f"it died of {_signal_name(-code)}"
    last_line = next((line.strip() for line in reversed(output.text.splitlines()) if line.strip()), "")
    return output.text, last_line[:300] or f"it ended with {code}"


def _signal_name(number: int) -> str:
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"

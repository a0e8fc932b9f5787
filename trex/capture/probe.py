"""A question to a program or a library in a process of its own, so that a crash or a hang does not reach trex."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

TIME_LIMIT_S = 30.0

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


def _run(command: Sequence[str], time_limit_s: float) -> tuple[str, str]:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=time_limit_s,
            check=False,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        return "", f"no answer within {time_limit_s:g} s"
    except OSError as error:
        return "", f"it does not start: {error.strerror}"
    text = done.stdout.decode("utf-8", "replace")
    if done.returncode == 0:
        return text, ""
    if done.returncode < 0:
        return text, f"it died of {_signal_name(-done.returncode)}"
    last_line = next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")
    return text, last_line[:300] or f"it ended with {done.returncode}"


def _signal_name(number: int) -> str:
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"

"""A question asked in a process of its own, so that a library that crashes or hangs takes nobody with it."""

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
# The libraries are to be found where this interpreter finds them.
_FRAME = """\
import json, sys
sys.path[:] = json.loads(sys.argv[1])
{question}
print()
print({mark!r} + json.dumps(answer))
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """value: what was found out, None when it could not be. problem: one sentence why, then."""

    value: Any = None
    problem: str = ""


def is_installed(module: str) -> bool:
    """Whether a module could be imported; it is not, only packages around it are."""
    try:
        return find_spec(module) is not None
    except (ImportError, ValueError, AttributeError):  # the package around it is absent, or is no package
        return False


def ask_python(question: str, time_limit_s: float = TIME_LIMIT_S) -> Answer:
    """Runs Python statements that assign ``answer`` something JSON can hold."""
    program = _FRAME.format(question=question, mark=_MARK)
    text, problem = _run([sys.executable, "-c", program, json.dumps(sys.path)], time_limit_s)
    for line in reversed(text.splitlines()):
        if line.startswith(_MARK):
            with suppress(ValueError):
                return Answer(json.loads(line[len(_MARK) :]))
    return Answer(problem=problem or "it ended without an answer")


def ask_program(command: Sequence[str], time_limit_s: float = TIME_LIMIT_S) -> Answer:
    """What a program prints, standard output and errors together, when it ends with 0."""
    text, problem = _run(command, time_limit_s)
    return Answer(problem=problem) if problem else Answer(text)


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
    last = next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")
    return text, last[:300] or f"it ended with {done.returncode}"


def _signal_name(number: int) -> str:
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"

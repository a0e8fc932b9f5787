"""A question to a program or a library in a process of its own, so that a crash or a hang does not reach trex."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from trex.capture.child import TIME_LIMIT, ChildResult, run_child

TIME_LIMIT_S = 30.0
MAX_OUTPUT_CHARS = 1 << 20

_MARK = "trex-answer:"
# The child finds libraries where this interpreter does; -I keeps the current folder off the path until then.
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
    output = run_program([sys.executable, "-I", "-c", program, json.dumps(sys.path)], time_limit_s)
    for line in reversed(output.lines):
        if line.startswith(_MARK):
            with suppress(ValueError):
                return ProbeResult(json.loads(line[len(_MARK) :]))
    return ProbeResult(problem=output.problem or "it ended without an answer")


@dataclass(frozen=True, slots=True)
class ProgramOutput:
    """lines: standard output and errors together, the first MiB. problem: why it failed, "" if it exited with 0.

    exit_code: −N for signal N. is_late: it was stopped at the time limit.
    """

    lines: tuple[str, ...]
    exit_code: int
    problem: str
    is_late: bool


def run_program(
    command: Sequence[str],
    time_limit_s: float = TIME_LIMIT_S,
    grace_s: float = 0.0,
    environment: Mapping[str, str] | None = None,
) -> ProgramOutput:
    """Runs a program as ``run_child`` does, without a log. Raises TrexError if it does not start.

    A signal that stops it is for trex, which gets it when the program has ended.
    """
    lines: list[str] = []
    room = MAX_OUTPUT_CHARS

    def take(line: str) -> None:
        nonlocal room
        room -= len(line) + 1
        if room >= 0:
            lines.append(line)

    child = run_child(command, os.devnull, take, time_limit_s, grace_s, environment)
    child.pass_signal_on()
    is_late = child.stopped_by == TIME_LIMIT
    problem = f"no answer within {time_limit_s:g} s" if is_late else _problem(child)
    return ProgramOutput(tuple(lines), child.exit_code, problem, is_late)


def _problem(child: ChildResult) -> str:
    code = child.exit_code
    if code < 0:
        return f"it died of {signal_name(-code)}"
    last_line = next((line.strip() for line in reversed(child.last_lines) if line.strip()), "")
    return (last_line[:300] or f"it ended with {code}") if code else ""


def signal_name(number: int) -> str:
    """``SIGSEGV``."""
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"

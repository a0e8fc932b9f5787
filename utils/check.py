"""The one command that says yes: format, lint, types, floors, tests, docs.

    python utils/check.py           everything, as CI runs it
    python utils/check.py --fast    without the slow tests: under 45 s on two cores

Prints one row per step and, for each that failed, its output and the single command that fixes or repeats it.
Exit code 0 when every step says yes, 1 otherwise. Needs a development install: pip install -e '.[dev]'
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TAIL_LINES = 30
INSTALL = "pip install -e '.[dev]'"


@dataclass(frozen=True)
class Step:
    """One question. command and fix are arguments of the interpreter; needs names the modules they import."""

    name: str
    command: tuple[str, ...]
    fix: tuple[str, ...]
    needs: tuple[str, ...]


@dataclass(frozen=True)
class Answer:
    """What a step said, in how many seconds."""

    step: Step
    passed: bool
    seconds: float
    output: str
    fix: str


def steps(fast: bool) -> tuple[tuple[Step, ...], ...]:
    """The steps in two lanes that run side by side."""
    floors = ("-m", "pytest", "tests/test_floors.py")
    tests: tuple[str, ...] = ("-m", "pytest", "-n", str(cores()), "--dist", "worksteal", f"--ignore={floors[-1]}")
    if fast:
        tests = (*tests, "-m", "not slow")
    lane = (
        Step("format", ("-m", "ruff", "format", "--check", "-q"), ("-m", "ruff", "format"), ("ruff",)),
        Step("lint", ("-m", "ruff", "check", "-q"), ("-m", "ruff", "check", "--fix"), ("ruff",)),
        Step("floors", floors, floors, ("pytest",)),
        Step("docs", ("utils/write_docs.py", "--check"), ("utils/write_docs.py",), ("orjson", "pandas")),
        Step("types", ("-m", "mypy"), ("-m", "mypy"), ("mypy",)),
    )
    return lane, (Step("tests", tests, ("-m", "pytest", "--lf"), ("pytest", "xdist", "hypothesis", "pandas")),)


def cores() -> int:
    """Processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def ask(step: Step) -> Answer:
    """Runs one step with this interpreter and prints its row."""
    start = time.perf_counter()
    absent = [module for module in step.needs if find_spec(module) is None]
    if absent:
        answer = Answer(step, False, 0.0, f"not installed: {', '.join(absent)}", INSTALL)
    else:
        done = subprocess.run(
            (sys.executable, *step.command), cwd=ROOT, capture_output=True, text=True, errors="replace", check=False
        )
        output = (done.stdout + done.stderr).rstrip()
        answer = Answer(step, done.returncode == 0, time.perf_counter() - start, output, as_typed(step.fix))
    row = f"{step.name:<8}{'yes' if answer.passed else 'NO':<5}{answer.seconds:>6.1f} s"
    print(row if answer.passed else f"{row}   {answer.fix}", flush=True)
    return answer


def move_into_venv() -> None:
    """Starts over with the interpreter of the repository's own ``.venv``, when there is one."""
    venv = ROOT / ".venv"
    python = venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if python.exists() and Path(sys.prefix).resolve() != venv.resolve():
        sys.exit(subprocess.run((python, *sys.argv), check=False).returncode)


def as_typed(command: Sequence[str]) -> str:
    """The command as a person in the repository would type it."""
    python = Path(sys.executable)
    return " ".join((str(python.relative_to(ROOT)) if python.is_relative_to(ROOT) else "python", *command))


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="The one command that says yes.")
    parser.add_argument("--fast", action="store_true", help="leave the slow tests out: under 45 s on two cores")
    lanes = steps(parser.parse_args(argv).fast)
    if not all(find_spec(module) for lane in lanes for step in lane for module in step.needs):
        move_into_venv()
    with ThreadPoolExecutor(len(lanes)) as pool:
        answers = [answer for lane in pool.map(lambda lane: [ask(step) for step in lane], lanes) for answer in lane]
    failed = [answer for answer in answers if not answer.passed]
    for answer in failed:
        lines = answer.output.splitlines()
        left_out = f"… {len(lines) - TAIL_LINES} lines more\n" if len(lines) > TAIL_LINES else ""
        print(f"\n---- {answer.step.name}\n{left_out}" + "\n".join(lines[-TAIL_LINES:]) + f"\n     {answer.fix}")
    print("\n" + (f"no: {', '.join(answer.step.name for answer in failed)}" if failed else "yes"))
    print(next((line for line in reversed(answers[-1].output.splitlines()) if line.strip()), ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

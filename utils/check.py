"""Runs every check: format, lint, floors, workflows, docs, site, types, tests.

    python utils/check.py           as CI runs it: 15 minutes on two cores
    python utils/check.py --all     every test: 80 minutes of processor time
    python utils/check.py --fast    between two edits: 200 s of processor time
    python utils/check.py NAME …    only these checks

The fast run leaves slow tests out, and runs three cases of a test that has many. CI adds an eighth of the rest, chosen
by the commit, so that some twenty commits run all of it; the nightly workflow runs every test.

Prints one row per check, and for each that fails its output and the command that fixes or repeats it. Exit code 0 if
all pass, 1 otherwise. Needs a development install: pip install -e '.[dev]'
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
PARTS = 8  # as in tests/conftest.py
LEFT_OUT = "left out: "  # a line of a check that says what it could not check here
INSTALL = "pip install -e '.[dev]'"


@dataclass(frozen=True)
class Step:
    """One check. command and fix are arguments of the interpreter; needs are the modules that the command imports."""

    name: str
    command: tuple[str, ...]
    fix: tuple[str, ...]
    needs: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    step: Step
    passed: bool
    seconds: float
    output: str
    fix: str


def steps(extent: tuple[str, ...]) -> tuple[tuple[Step, ...], ...]:
    """Two lanes of steps; the lanes run at the same time. extent: options of pytest that choose the tests."""
    floors = ("-m", "pytest", "tests/test_floors.py")
    tests = ("-m", "pytest", f"--ignore={floors[-1]}", *extent)
    if cores() > 1:
        # A file's tests share what they load, so one worker runs them all, in the order of tests/conftest.py. One
        # worker more than cores: some tests wait. Each collects all tests, which takes 10 s, or 30 s in a clean clone.
        workers = cores() + 1
        tests = (*tests, "-n", str(workers), "--dist", "loadfile", "--no-loadscope-reorder")
    lane = (
        Step("format", ("-m", "ruff", "format", "--check", "-q"), ("-m", "ruff", "format"), ("ruff",)),
        Step("lint", ("-m", "ruff", "check", "-q"), ("-m", "ruff", "check", "--fix"), ("ruff",)),
        Step("floors", floors, floors, ("pytest",)),
        Step("workflows", ("utils/check_workflows.py",), ("utils/check_workflows.py",), ("check_jsonschema",)),
        Step("docs", ("utils/write_docs.py", "--check"), ("utils/write_docs.py",), ("orjson", "pandas")),
        Step(
            "site", ("utils/build_site.py", "--quick"), ("utils/build_site.py",), ("material", "mkdocstrings", "plotly")
        ),
        Step("types", ("-m", "mypy"), ("-m", "mypy"), ("mypy",)),
    )
    needs = ("pytest", "xdist", "pytest_timeout", "hypothesis", "pandas")
    return lane, (Step("tests", tests, ("-m", "pytest", "--lf"), needs),)


def part() -> str:
    """Of the rest of the tests, by the commit; 0 outside of git."""
    command = ("git", "rev-parse", "HEAD")
    try:
        commit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        commit = "0"
    return str(int(commit, 16) % PARTS)


def cores() -> int:
    """Processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_step(step: Step) -> Result:
    """Runs one step with this interpreter and prints its row."""
    start = time.perf_counter()
    missing = [module for module in step.needs if find_spec(module) is None]
    if missing:
        result = Result(step, False, 0.0, f"not installed: {', '.join(missing)}", INSTALL)
    else:
        ended = subprocess.run(
            (sys.executable, *step.command),
            cwd=ROOT,
            env=environment(),
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        output = (ended.stdout + ended.stderr).rstrip()
        result = Result(step, ended.returncode == 0, time.perf_counter() - start, output, as_typed(step.fix))
    row = f"{step.name:<11}{'yes' if result.passed else 'NO':<5}{result.seconds:>6.1f} s"
    print(row if result.passed else f"{row}   {result.fix}", flush=True)
    for line in result.output.splitlines():
        if line.startswith(LEFT_OUT):
            print(f"           {line}", flush=True)
    return result


def environment() -> dict[str, str]:
    """Ours, with bytecode kept: to compile every test again takes 10 s in each process."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


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


def processor_seconds() -> float:
    """Processor time of the steps that have ended; 0 on Windows, which doesn't report it."""
    times = os.times()
    return times.children_user + times.children_system


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    extents = parser.add_mutually_exclusive_group()
    extents.add_argument("--all", action="store_true", help="every test: 80 minutes of processor time")
    extents.add_argument(
        "--fast", action="store_true", help="three cases of each test, no slow ones: 200 s of processor time"
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these checks: format, lint, tests …")
    options = parser.parse_args(argv)
    lanes = steps(("--fast",) if options.fast else () if options.all else ("--part", part()))
    if unknown := set(options.names) - {step.name for lane in lanes for step in lane}:
        parser.error(f"no such check: {', '.join(sorted(unknown))}")
    if options.names:
        chosen = (tuple(step for step in lane if step.name in options.names) for lane in lanes)
        lanes = tuple(lane for lane in chosen if lane)
    if not all(find_spec(module) for lane in lanes for step in lane for module in step.needs):
        move_into_venv()
    with ThreadPoolExecutor(len(lanes)) as pool:
        results = [
            result for lane in pool.map(lambda lane: [run_step(step) for step in lane], lanes) for result in lane
        ]
    failed = [result for result in results if not result.passed]
    for result in failed:
        lines = result.output.splitlines()
        omitted = [f"… {len(lines) - TAIL_LINES} lines more"] if len(lines) > TAIL_LINES else []
        names = [line[:200] for line in lines[:-TAIL_LINES] if line.startswith(("FAILED ", "ERROR "))]  # as pytest does
        print("\n".join((f"\n---- {result.step.name}", *omitted, *names, *lines[-TAIL_LINES:], f"     {result.fix}")))
    verdict = f"no: {', '.join(result.step.name for result in failed)}" if failed else "yes"
    print(f"\n{verdict}, {processor_seconds():.0f} s of processor time")
    print(next((line for line in reversed(results[-1].output.splitlines()) if line.strip()), ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

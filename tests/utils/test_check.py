"""utils/check.py: rows, fixes and the exit code."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def script() -> dict:
    return runpy.run_path(str(ROOT / "utils" / "check.py"), run_name="utils_check")


@pytest.fixture
def check(script: dict, monkeypatch: pytest.MonkeyPatch):
    """``check(step, …)`` runs these steps in place of the real ones and returns the exit code."""

    def run(*steps) -> int:
        monkeypatch.setitem(script["main"].__globals__, "steps", lambda fast: (steps,))
        return script["main"]([])

    return run


def step(script: dict, name: str, code: str, needs: tuple[str, ...] = ()):
    return script["Step"](name, ("-c", code), ("-m", "mend", name), needs)


def test_all_yes(script: dict, check, capsys) -> None:
    assert check(step(script, "lint", ""), step(script, "tests", "print('3 passed in 0.01s')")) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:2] == ["lint", "yes"]
    assert lines[-2:] == ["yes", "3 passed in 0.01s"]


def test_a_failure_names_the_command_that_fixes_it(script: dict, check, capsys) -> None:
    assert check(step(script, "lint", "import sys; sys.exit('line 3: bad')"), step(script, "tests", "")) == 1
    out = capsys.readouterr().out
    row = next(line for line in out.splitlines() if line.startswith("lint"))
    assert " NO " in row
    assert row.endswith("-m mend lint")
    assert "line 3: bad" in out
    assert "\nno: lint\n" in out


def test_a_missing_tool_is_named_with_how_to_install_it(script: dict, check, capsys, monkeypatch) -> None:
    monkeypatch.setitem(script["main"].__globals__, "move_into_venv", lambda: None)
    assert check(step(script, "types", "", needs=("sys", "a_tool_that_is_absent"))) == 1
    out = capsys.readouterr().out
    assert "not installed: a_tool_that_is_absent" in out
    assert "pip install -e '.[dev]'" in out


def test_long_output_is_cut_to_its_end(script: dict, check, capsys) -> None:
    assert check(step(script, "tests", "print(*range(1000), sep='\\n'); raise SystemExit(1)")) == 1
    out = capsys.readouterr().out
    assert "lines more\n" in out
    assert "\n999\n" in out
    assert "\n500\n" not in out


def test_the_real_steps(script: dict) -> None:
    names = [step.name for lane in script["steps"](False) for step in lane]
    assert sorted(names) == ["docs", "floors", "format", "lint", "tests", "types"]
    (fast,) = script["steps"](True)[1]
    (slow,) = script["steps"](False)[1]
    assert fast.command[-2:] == ("-m", "not slow")
    assert "not slow" not in slow.command


def test_a_fix_reads_as_a_person_would_type_it(script: dict, monkeypatch) -> None:
    as_typed = script["as_typed"]
    monkeypatch.setattr(sys, "executable", str(ROOT / ".venv" / "bin" / "python"))
    assert as_typed(("-m", "ruff")) == ".venv/bin/python -m ruff"
    monkeypatch.setattr(sys, "executable", "/usr/bin/python3")
    assert as_typed(("-m", "ruff")) == "python -m ruff"

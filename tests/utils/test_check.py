"""utils/check.py: rows, fixes and the exit code."""

from __future__ import annotations

import re
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import PARTS

Check = Callable[..., int]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "utils" / "check.py"), run_name="utils_check")


@pytest.fixture
def check(script: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Check:
    """``check(step, …)`` runs these steps in place of the real ones and returns the exit code."""

    def run(*steps: Any) -> int:
        monkeypatch.setitem(script["main"].__globals__, "steps", lambda extent: (steps,))
        code: int = script["main"]([])
        return code

    return run


def step(script: dict[str, Any], name: str, code: str, needs: tuple[str, ...] = ()) -> Any:
    return script["Step"](name, ("-c", code), ("-m", "repair", name), needs)


def test_all_yes(script: dict[str, Any], check: Check, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(step(script, "lint", ""), step(script, "tests", "print('3 passed in 0.01s')")) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:2] == ["lint", "yes"]
    assert re.fullmatch(r"yes, \d+ s of processor time", lines[-2])
    assert lines[-1] == "3 passed in 0.01s"


def test_a_failure_names_the_command_that_fixes_it(
    script: dict[str, Any], check: Check, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(step(script, "lint", "import sys; sys.exit('line 3: bad')"), step(script, "tests", "")) == 1
    out = capsys.readouterr().out
    row = next(line for line in out.splitlines() if line.startswith("lint"))
    assert " NO " in row
    assert row.endswith("-m repair lint")
    assert "line 3: bad" in out
    assert "\nno: lint, " in out


def test_a_missing_tool_is_named_with_how_to_install_it(
    script: dict[str, Any], check: Check, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(script["main"].__globals__, "move_into_venv", lambda: None)
    assert check(step(script, "types", "", needs=("sys", "a_tool_that_is_absent"))) == 1
    out = capsys.readouterr().out
    assert "not installed: a_tool_that_is_absent" in out
    assert "pip install -e '.[dev]'" in out


def test_long_output_is_cut_to_its_end_and_names_all_that_failed(
    script: dict[str, Any], check: Check, capsys: pytest.CaptureFixture[str]
) -> None:
    code = "print('FAILED tests/test_a.py::test_b - ' + 'x' * 999, *range(1000), sep='\\n'); raise SystemExit(1)"
    assert check(step(script, "tests", code)) == 1
    out = capsys.readouterr().out
    assert "lines more\nFAILED tests/test_a.py::test_b - xxx" in out and max(map(len, out.splitlines())) == 200
    assert "\n999\n" in out
    assert "\n500\n" not in out


def test_the_real_steps(script: dict[str, Any]) -> None:
    names = [step.name for lane in script["steps"](()) for step in lane]
    assert sorted(names) == ["docs", "floors", "format", "lint", "site", "tests", "types", "workflows"]
    (fast,) = script["steps"](("--fast",))[1]
    (whole,) = script["steps"](())[1]
    assert "--fast" in fast.command
    assert "--fast" not in whole.command


@pytest.mark.parametrize(
    ("arguments", "options"), [([], {"--part"}), (["--all"], set()), (["--fast"], {"--fast"}), (["tests"], {"--part"})]
)
def test_ci_runs_one_part(
    script: dict[str, Any], monkeypatch: pytest.MonkeyPatch, arguments: list[str], options: set[str]
) -> None:
    commands = []

    def run_step(step: Any) -> Any:
        commands.append(step.command)
        return script["Result"](step, True, 0.0, "", "")

    monkeypatch.setitem(script["main"].__globals__, "run_step", run_step)
    assert script["main"](arguments) == 0
    (tests,) = (command for command in commands if "--ignore=tests/test_floors.py" in command)
    assert {"--part", "--fast"} & set(tests) == options
    assert script["part"]() in map(str, range(PARTS)) and script["PARTS"] == PARTS


def test_a_named_check_runs_alone(script: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    result = script["Result"](step(script, "lint", ""), True, 0.0, "", "")

    def run_step(step: Any) -> Any:
        ran.append(step.name)
        return result

    monkeypatch.setitem(script["main"].__globals__, "run_step", run_step)
    assert script["main"](["types", "lint"]) == 0
    assert ran == ["lint", "types"]
    with pytest.raises(SystemExit):
        script["main"](["no-such-check"])


def test_one_core_has_one_process(script: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for count, is_distributed in ((1, False), (2, True)):
        monkeypatch.setitem(script["steps"].__globals__, "cores", lambda count=count: count)
        (tests,) = script["steps"](("--fast",))[1]
        assert ("-n" in tests.command) is is_distributed


def test_steps_keep_their_bytecode(script: dict[str, Any], check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert check(step(script, "tests", "import sys; sys.exit(sys.dont_write_bytecode)")) == 0


def test_a_fix_reads_as_a_person_would_type_it(script: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    as_typed = script["as_typed"]
    monkeypatch.setattr(sys, "executable", str(ROOT / ".venv" / "bin" / "python"))
    assert as_typed(("-m", "ruff")) == ".venv/bin/python -m ruff"
    monkeypatch.setattr(sys, "executable", "/usr/bin/python3")
    assert as_typed(("-m", "ruff")) == "python -m ruff"

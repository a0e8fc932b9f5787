"""utils/check_workflows.py: each of its tools finds what it is there for."""

from __future__ import annotations

import re
import runpy
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
Check = Callable[[Path], int]

# Tool → file, what is in it, and what stands there instead.
FAULTS = {
    "schema": ("CITATION.cff", r"title:.*", "heading: trex"),
    "actionlint": (".github/workflows/release.yml", r"needs: publish", "needs: publishing"),
    "zizmor": (".github/workflows/tests.yml", r"checkout@\w+.*", "checkout@v6"),
    "shellcheck": (".ci/build", r'"\$folder"/\*\n', "$folder/*\n"),
}


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch) -> Check:
    script = runpy.run_path(str(ROOT / "utils" / "check_workflows.py"), run_name="check_workflows")

    def run(root: Path) -> int:
        monkeypatch.setitem(script["main"].__globals__, "ROOT", root)
        code: int = script["main"]()
        return code

    return run


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for folder in (".ci", ".github"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    shutil.copy(ROOT / "CITATION.cff", tmp_path)
    (tmp_path / ".git").mkdir()  # by which actionlint knows a project
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("tool", FAULTS)
def test_a_fault_is_found(check: Check, copy: Path, tool: str) -> None:
    if tool == "shellcheck" and shutil.which(tool) is None:
        pytest.skip("shellcheck, a package of the system, is not installed")
    name, pattern, fault = FAULTS[tool]
    text, count = re.subn(pattern, lambda _: fault, (copy / name).read_text("utf-8"), count=1)
    (copy / name).write_text(text, "utf-8")
    assert count == 1
    assert check(copy) == 1


def test_without_shellcheck_the_scripts_are_left_out_aloud(
    check: Check, copy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    which = shutil.which
    monkeypatch.setattr(
        shutil, "which", lambda name, path=None: None if name == "shellcheck" else which(name, path=path)
    )
    assert check(copy) == 0
    assert "\nleft out: " in capsys.readouterr().out

"""Several `trex baseline` calls at once: every file is one run's, whole, and nothing else is left."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from trex.cli.main import main
from trex.engine_plan import load

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parents[3]
EXAMPLE = "example:resnet18-int8"


def baseline(action: str, folder: Path, *words: str) -> list[str]:
    named = ("--model", "m", "--device", "GPU", "--version", "10.0")
    return [sys.executable, "-m", "trex", "baseline", action, EXAMPLE, "--folder", str(folder), *named, *words]


@pytest.mark.parametrize("action", ["add", "update"])
def test_of_several_at_once_none_spoils_another(action: str, tmp_path: Path) -> None:
    if action == "update":
        assert main(baseline("add", tmp_path)[3:]) == 0
    calls = [
        subprocess.Popen(baseline(action, tmp_path), cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True)
        for _ in range(4)
    ]  # fmt: skip
    answers = [(*call.communicate(timeout=120), call.returncode) for call in calls]
    codes = [code for _, _, code in answers]
    assert 0 in codes and set(codes) <= {0, 2} and not any("Traceback" in errors for _, errors, _ in answers)
    assert action == "add" or set(codes) == {0}
    (file,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert load(file).layers

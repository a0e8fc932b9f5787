"""trex collector: what it prints is a program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from trex.cli.main import main


def test_what_is_printed_runs_without_trex(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["collector"]) == 0
    script = tmp_path / "collect.py"
    assert main(["collector", "-o", str(script)]) == 0
    *printed, written = capsys.readouterr().out.splitlines(keepends=True)
    assert written == f"{script}\n" and script.read_text(encoding="ascii") == "".join(printed)
    shown = subprocess.run([sys.executable, "-I", "-S", script, "-h"], capture_output=True, text=True, timeout=60)
    assert shown.returncode == 0
    assert "--shapes" in shown.stdout and "--fp16" in shown.stdout

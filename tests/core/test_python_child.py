"""Files of the current folder are no code, whatever they are called."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from trex.capture.collector_job import MODULE
from trex.core.python_child import module_words

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPT = """
import subprocess, sys
from trex.capture.probe import ask_python
from trex.core.python_child import module_words
from trex.core.worker_processes import in_processes

if __name__ == "__main__":
    assert ask_python("answer = 5").value == 5
    assert list(in_processes(abs, [(-5,)], 1)) == [5]
    print(subprocess.run([sys.executable, *module_words("trex"), "--version"], capture_output=True, text=True).stdout)
"""


def test_what_lies_in_the_current_folder_is_not_imported(tmp_path: Path) -> None:
    hostile, script = tmp_path / "hostile", tmp_path / "bin" / "script.py"
    for folder in (hostile, script.parent):
        folder.mkdir()
    script.write_text(SCRIPT)
    for name in ("trex", "json", "multiprocessing", "runpy", "signal", "pickle"):
        (hostile / f"{name}.py").write_text("open('executed', 'w').close()")
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY)}
    done = subprocess.run(
        [sys.executable, script], cwd=hostile, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0 and done.stdout.startswith("trex "), done.stderr
    assert not (hostile / "executed").exists()


def test_who_runs_trex_from_the_current_folder_goes_on_so(monkeypatch) -> None:
    monkeypatch.syspath_prepend(str(Path.cwd()))
    assert module_words(MODULE) == ("-m", MODULE)

"""One folder of the trial: its commands run, and what they do wrong is found."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.checkout import ROOT
from tests.fuzz.commands import complaints, contents
from tests.fuzz.doors import GOOD_GRAPH


def test_a_trial_of_one_folder(tmp_path: Path) -> None:
    engine = tmp_path / "engines" / "one"
    engine.mkdir(parents=True)
    (engine / "m.graph.json").write_bytes(GOOD_GRAPH)
    options = ("--seconds", "0", "--seed", "1", "--engines", str(engine.parent), "--found", str(tmp_path / "found"))
    run = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.commands", *options], cwd=ROOT, capture_output=True, text=True, timeout=300
    )
    assert (run.returncode, run.stderr) == (0, ""), run.stdout
    assert "{'commands': 6, 'folders': 1} 0 kinds" in run.stdout


def test_a_sample_of_odd_files() -> None:
    """A failure of another sample is as good as one of this: the seed only makes the test steady."""
    words = ("-m", "tests.fuzz.commands", "--odd-files", "--most", "8", "--seed", "1")
    run = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "'commands': 8" in run.stdout


def test_a_command_that_changes_its_inputs_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "m.graph.json").write_bytes(GOOD_GRAPH)
    before = contents(folder)
    line = ["draw", str(folder), "-o", str(folder / "m.graph.json"), "-f", "svg"]
    assert list(complaints(line, folder, before, {})) == ["the inputs changed"]

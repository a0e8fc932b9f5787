"""One folder of the trial, and a few odd files: commands run, and what they do wrong is found."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.fuzz.commands import complaints, contents, run, try_damaged_folders, try_odd_files
from tests.fuzz.doors import GOOD_GRAPH


def test_a_trial_of_one_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    engine = tmp_path / "engines" / "one"
    engine.mkdir(parents=True)
    (engine / "m.graph.json").write_bytes(GOOD_GRAPH)
    assert try_damaged_folders(engine.parent, tmp_path / "found", 0, Random(1)) == 0, capsys.readouterr().out
    assert "{'commands': 6, 'folders': 1} 0 kinds" in capsys.readouterr().out


def test_a_sample_of_odd_files(capsys: pytest.CaptureFixture[str]) -> None:
    """A failure of another sample is as good as one of this: the seed only makes the test steady."""
    assert try_odd_files(300, 1, 8) == 0, capsys.readouterr().out
    assert "'commands': 8" in capsys.readouterr().out


def test_a_command_that_changes_its_inputs_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "m.graph.json").write_bytes(GOOD_GRAPH)
    before = contents(folder)
    line = ["draw", str(folder), "-o", str(folder / "new.svg")]
    assert list(complaints(line, folder, before, {})) == ["the inputs changed"]


def test_what_a_command_prints_is_read(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    code, _, _, out, err = run(["summary", "none"], tmp_path / "in")
    assert (code, out) == (2, "") and "none" in err

"""EngineFiles: what is known of its files on the disk."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from trex.core.note import Note
from trex.engine_plan import load
from trex.ingest.finding.engine_files import EngineFiles


def test_stats_are_of_archives_rather_than_members_and_of_what_is_there(tmp_path: Path) -> None:
    archive, odd = tmp_path / "x.tea", tmp_path / "odd!name.json"
    archive.write_bytes(b"12345")
    odd.write_bytes(b"123")
    files = EngineFiles("x", f"{archive}!a.json", f"{archive}!b.json", str(odd), others=(str(tmp_path / "gone.log"),))
    assert {Path(path).name: stat.st_size for path, stat in files.stats.items()} == {"x.tea": 5, "odd!name.json": 3}


def test_the_state_is_also_of_other_logs_and_of_what_the_folder_says(tmp_path: Path) -> None:
    graph, log = tmp_path / "x.json", tmp_path / "run.log"
    graph.write_bytes(b"123")
    log.write_bytes(b"1")
    files = EngineFiles("x", str(graph), more_logs=(str(log),))
    before = files.state
    log.write_bytes(b"12")
    assert files.state != before and set(files.stats) == {str(graph)}
    assert replace(files, notes=(Note("run-failed", "by its manifest"),)).state != files.state


@pytest.mark.parametrize("kinds", [{"profile"}, {"samples"}, {"profile", "samples"}])
def test_two_files_of_layer_times_are_noted(kinds: set[str], tmp_path: Path) -> None:
    """One of them may be of another run, or in another unit."""
    (tmp_path / "m.graph.json").write_text(json.dumps({"Layers": [{"Name": name} for name in "abc"]}))
    if "profile" in kinds:
        rows = [{"count": 1}, *({"name": name, "averageMs": 1000.0} for name in "abc")]
        (tmp_path / "m.profile.json").write_text(json.dumps(rows))
    if "samples" in kinds:
        (tmp_path / "m.layer_latency.json").write_text(json.dumps({name: [1.0, 1.1] for name in "abc"}))
    notes = [note for note in load(str(tmp_path)).notes if note.code == "several-candidates"]
    assert len(notes) == len(kinds) - 1 and all("m.layer_latency.json" in note.message for note in notes)

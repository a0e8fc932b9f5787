"""EngineFiles: what is known of its files on the disk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from trex.core.note import Note
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

"""Files that are no longer those that ``trex process`` wrote, by its manifest."""

from __future__ import annotations

import json
import os
import shutil
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.store.small_engines import write_engine
from trex.core.note import Note
from trex.engine_plan import EnginePlan, load
from trex.ingest.files import find_engines
from trex.ingest.finding import recorded_files
from trex.ingest.finding.recorded_files import REPLACED

PARTS = ("graph", "profile", "timing")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """With a manifest whose paths are relative to another folder; the build's graph was written anew by the profile."""
    folder = write_engine(tmp_path / "run")
    outputs = {part: recorded(folder / f"net.engine.{part}.json") for part in PARTS}
    build = {"graph": {**outputs["graph"], "size_bytes": 1, "sha256": "0" * 64}}
    stages = [{"name": name, "exit_code": 0, "stopped_by": "", "outputs": of_stage}
              for name, of_stage in (("build", build), ("profile", outputs))]  # fmt: skip
    document = {"schema": "trex.manifest/1", "engines": [{"name": "net.engine", "stages": stages}]}
    (folder / "manifest.json").write_text(json.dumps(document))
    return folder


def recorded(path: Path) -> dict[str, object]:
    stat = path.stat()
    digest = sha256(path.read_bytes()).hexdigest()
    return {
        "path": f"out\\{path.name}" if path.name.endswith("timing.json") else f"out/{path.name}",
        "size_bytes": stat.st_size,
        "modified_ns": stat.st_mtime_ns,
        "sha256": digest,
    }


def notes_of(path: Path) -> list[Note]:
    (engine,) = find_engines(path)
    return [note for note in engine.notes if note.code == REPLACED]


def test_files_as_written_and_their_copies_are_fine(folder: Path, tmp_path: Path) -> None:
    assert not notes_of(folder)
    copied = tmp_path / "copied"
    shutil.copytree(folder, copied, copy_function=shutil.copy)
    assert (copied / "net.engine.graph.json").stat().st_mtime_ns != (
        folder / "net.engine.graph.json"
    ).stat().st_mtime_ns
    assert not notes_of(copied) and not notes_of(copied / "net.engine.profile.json")


def test_unchanged_files_are_not_hashed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_files, "read_regular", None)
    assert not notes_of(folder)
    monkeypatch.setattr(recorded_files, "_LARGEST_HASHED", 10)
    for part in PARTS:
        os.utime(folder / f"net.engine.{part}.json", ns=(1, 1))
    assert not notes_of(folder)


def test_a_copy_is_hashed_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.utime(folder / "net.engine.graph.json", ns=(1, 1))
    assert not notes_of(folder)
    monkeypatch.setattr(recorded_files, "read_regular", None)
    assert not notes_of(folder)


@pytest.mark.parametrize("part", PARTS)
def test_a_file_of_another_size(folder: Path, part: str) -> None:
    path = folder / f"net.engine.{part}.json"
    size = path.stat().st_size
    path.write_text(path.read_text() + "\n")
    (note,) = notes_of(folder)
    assert note.severity == "warning" and note.where == str(folder / "manifest.json")
    words = f"net.engine.{part}.json is not the one that trex process wrote: {size + 1:,} bytes, not {size:,}"
    assert note.message == words
    assert "--force" in note.hint


def test_another_content_of_the_same_size(folder: Path) -> None:
    path = folder / "net.engine.profile.json"
    path.write_text(path.read_text().replace("0.5", "0.7"))
    os.utime(path, ns=(1, 1))
    (note,) = notes_of(folder)
    assert "other content of the same size" in note.message


def test_several_files_are_one_note_of_every_way_to_load_them(folder: Path) -> None:
    for part in PARTS:
        (folder / f"net.engine.{part}.json").write_text((folder / f"net.engine.{part}.json").read_text() + " ")
    (note,) = notes_of(folder)
    assert note.message.startswith("3 files are not those that trex process wrote: net.engine.graph.json (")
    graph, profile = (str(folder / f"net.engine.{part}.json") for part in ("graph", "profile"))
    for plan in (load(folder), EnginePlan(graph, profile)):
        assert [note.code for note in plan.notes].count(REPLACED) == 1


def test_another_engine_under_the_same_name(folder: Path) -> None:
    engine = folder / "net.engine"
    engine.write_bytes(b"ftrt" + bytes(100))
    manifest = folder / "manifest.json"
    document = json.loads(manifest.read_bytes())
    document["engines"][0]["stages"][0]["outputs"]["engine"] = recorded(engine)
    manifest.write_text(json.dumps(document))
    engine.write_bytes(b"ftrt" + b"x" * 100)
    assert not notes_of(folder), "only its size is compared"
    engine.write_bytes(b"ftrt")
    assert "net.engine is not the one" in notes_of(folder)[0].message


def test_files_of_another_engine_in_the_folder(folder: Path) -> None:
    write_engine(folder, "other")
    assert [[note.code for note in engine.notes] for engine in find_engines(folder)] == [[], []]


@pytest.mark.parametrize("parts", ["", "run/"])
def test_members_of_an_archive_have_their_sizes(folder: Path, tmp_path: Path, parts: str) -> None:
    packed = tmp_path / "packed.zip"
    for is_changed in (False, True):
        with ZipFile(packed, "w") as archive:
            for file in folder.iterdir():
                text = file.read_text() + " " * (is_changed and "timing" in file.name)
                archive.writestr(f"{parts}{file.name}", text)
        assert ["net.engine.timing.json is not" in note.message for note in notes_of(packed)] == [True] * is_changed


@pytest.mark.parametrize("record", [{}, {"path": "net.engine.graph.json"}, 1, {"path": 1, "size_bytes": "x"}])
def test_a_record_of_another_form_says_nothing(folder: Path, record: object) -> None:
    manifest = folder / "manifest.json"
    document = json.loads(manifest.read_bytes())
    document["engines"][0]["stages"][1]["outputs"]["graph"] = record
    manifest.write_text(json.dumps(document))
    assert not notes_of(folder)


def test_no_other_file_of_real_engines_is_recorded(shared_engines: Path) -> None:
    for folder in sorted(path for path in shared_engines.iterdir() if path.is_dir()):
        assert not [note for engine in find_engines(folder) for note in engine.notes if note.code == REPLACED]

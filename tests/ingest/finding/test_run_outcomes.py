"""What ``manifest.json`` says of a run that its log does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from tests.store.small_engines import write_engine
from trex.core.whole_set import UNFINISHED_RUN
from trex.ingest import files
from trex.ingest.files import find_engines
from trex.ingest.finding import run_outcomes
from trex.ingest.finding.run_outcomes import RUN_FAILED, UNREAD_MANIFEST, of_engine

STAGE = {"name": "profile", "exit_code": 0, "stopped_by": ""}


def codes(folder: Path, stage: dict[str, Any], name: str = "net.engine", severity: str = "problem") -> list[str]:
    write_engine(folder)
    record = {"name": name, "stages": [{**STAGE, "name": "build"}, {**STAGE, **stage}]}
    (folder / "manifest.json").write_text(json.dumps({"schema": "trex.manifest/1", "engines": [record]}))
    packed = folder.with_suffix(".zip")
    with ZipFile(packed, "w") as archive:
        for file in folder.iterdir():
            archive.write(file, f"run/{file.name}")
    (engine,), (of_archive,) = find_engines(folder), find_engines(packed)
    of_folder, also = ([note.code for note in one.notes if note.severity == severity] for one in (engine, of_archive))
    assert of_folder == also
    return of_folder


@pytest.mark.parametrize("stage", [{"exit_code": -9}, {"exit_code": 1}, {"stopped_by": "SIGTERM"}])
def test_a_run_that_failed_or_was_stopped_is_a_problem(tmp_path: Path, stage: dict[str, Any]) -> None:
    assert codes(tmp_path, stage) == [RUN_FAILED]


@pytest.mark.parametrize(
    ("stage", "name"), [({}, "net.engine"), ({"exit_code": 1}, "other.engine"), ({"exit_code": 1}, "ne")]
)
def test_others_are_none(tmp_path: Path, stage: dict[str, Any], name: str) -> None:
    assert codes(tmp_path, stage, name) == []


@pytest.mark.parametrize(
    "content", ["", "[]", '{"schema": "trex.manifest/1"}', '{"schema":"trex.manifest/1","engines":[1]}']
)
def test_what_is_no_manifest_says_nothing(tmp_path: Path, content: str) -> None:
    write_engine(tmp_path)
    (tmp_path / "manifest.json").write_text(content)
    (engine,) = find_engines(tmp_path)
    assert not [note for note in engine.notes if note.severity == "problem"]


def test_the_run_of_a_shorter_name_is_another_engines(tmp_path: Path) -> None:
    engines = []
    for name, code in (("net", 1), ("net.int8", 0)):
        write_engine(tmp_path, name)
        engines.append({"name": name, "stages": [{**STAGE, "exit_code": code}]})
    (tmp_path / "manifest.json").write_text(json.dumps({"schema": "trex.manifest/1", "engines": engines}))
    failed = {one.name: [note.code for note in one.notes] for one in find_engines(tmp_path)}
    assert failed == {"net.engine": [RUN_FAILED], "net.int8.engine": []}


def test_a_large_manifest_is_read_and_one_too_large_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    padding = {"": " " * 300_000}
    assert codes(tmp_path / "large", {**padding, "exit_code": 1}) == [RUN_FAILED]
    for module in (run_outcomes, files):
        monkeypatch.setattr(module, "MANIFEST_BYTES", 100)
    assert codes(tmp_path / "larger", {"exit_code": 1}, severity="warning") == [UNREAD_MANIFEST]


@pytest.mark.parametrize("names", [("net",), ("net", "other")])
def test_a_folder_says_it_of_an_archive(tmp_path: Path, names: tuple[str, ...]) -> None:
    """The archive alone is left, or is named."""
    with ZipFile(tmp_path / "net.engine.tea", "w") as archive:
        for name in names:
            write_engine(tmp_path / "parts", name)
        for file in (tmp_path / "parts").iterdir():
            archive.write(file, file.name)
            file.unlink()
    (tmp_path / "parts").rmdir()
    engine = {"name": "net.engine", "stages": [{**STAGE, "exit_code": 1}]}
    (tmp_path / "manifest.json").write_text(json.dumps({"schema": "trex.manifest/1", "engines": [engine]}))
    (tmp_path / ".trex.run").mkdir()
    (tmp_path / ".trex.run" / "swap.json").write_text('{"source": "x.new", "installed": [], "removed": [], "inode": 1}')
    for path in (tmp_path, tmp_path / "net.engine.tea"):
        problems = [[note.code for note in files.notes if note.severity == "problem"] for files in find_engines(path)]
        assert problems == [[UNFINISHED_RUN, RUN_FAILED]] * len(names)


def test_a_name_of_many_dots_takes_no_time() -> None:
    tried = []

    class Outcomes(dict[str, str]):
        def __contains__(self, name: object) -> bool:
            tried.append(name)
            return super().__contains__(name)

    assert of_engine([f"f/net{'.a' * 30_000}.graph.json"], Outcomes(net="failed")) == "failed"
    assert len(tried) < 200

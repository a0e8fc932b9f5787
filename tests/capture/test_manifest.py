"""manifest.json: what is written comes back, and what is none counts as nothing."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path

import pytest

from trex.capture.fingerprints import FileRecord
from trex.capture.manifest import (
    SCHEMA,
    EngineRecord,
    Manifest,
    StageRecord,
    read_manifest,
    utc_text,
    write_manifest,
)
from trex.core.note import Note

STAGE = StageRecord(
    "build", ("trtexec", "--onnx=a b"), 0, "", "s", "e", 1.5, "f" * 64, True, "x.log", "",
    {"engine": FileRecord("e", 1, 2, "a")},
)  # fmt: skip
ENGINE = EngineRecord(
    "m.onnx.engine", "0.1.0", "10.4.0", "trtexec", "/x/trtexec", "Linux", FileRecord("m", 1, 2, "b"), None,
    {"SMs": "30"},
    "550.1", {"compute_clock_mhz": 1200.0}, "s", "e", {"build": STAGE}, (Note("a-b", "message", "hint", "where"),),
)  # fmt: skip


def test_there_and_back(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    manifest = Manifest().with_engine(ENGINE).with_engine(EngineRecord("other"))
    write_manifest(manifest, path)
    assert read_manifest(path) == manifest
    document = json.loads(path.read_text())
    assert document["schema"] == SCHEMA
    assert document["engines"][0]["stages"][0]["command"] == ["trtexec", "--onnx=a b"]
    assert [value.name for value in tmp_path.iterdir()] == ["manifest.json"]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"schema": "trex.manifest/9", "engines": []}', f'{{"schema": "{SCHEMA}"}}',
     f'{{"schema": "{SCHEMA}", "engines": 3}}', f'{{"schema": "{SCHEMA}", "engines": [{{"name": 3}}]}}',
     f'{{"schema": "{SCHEMA}", "engines": [null]}}', "[" * 100_000],
)  # fmt: skip
def test_what_is_no_manifest(text: str, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(text)
    assert read_manifest(tmp_path / "manifest.json") == Manifest()
    assert read_manifest(tmp_path / "none.json") == Manifest()


def test_times_are_utc() -> None:
    assert utc_text(datetime(2026, 11, 21, 5, 6, 7, 89_999, timezone.utc)) == "2026-11-21T05:06:07.089Z"

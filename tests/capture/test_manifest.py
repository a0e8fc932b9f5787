"""manifest.json: what is written comes back, and what is none counts as nothing."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path

import pytest

from trex.capture import manifest
from trex.capture.manifest import (
    SCHEMA,
    EngineRecord,
    FileRecord,
    Manifest,
    StageRecord,
    check_manifest,
    files_in_arguments,
    files_of_model,
    fingerprint,
    is_unchanged,
    read_manifest,
    record_from,
    record_of,
    utc_text,
    write_manifest,
)
from trex.core.errors import TrexError
from trex.core.note import Note

STAGE = StageRecord(
    "build", ("trtexec", "--onnx=a b"), 0, "", "s", "e", 1.5, "f" * 64, True, "x.log", "",
    {"engine": FileRecord("e", 1, 2, "a")},
)  # fmt: skip
ENGINE = EngineRecord(
    "m.onnx.engine", "0.1.0", "10.4.0", "trtexec", "/x/trtexec", FileRecord("m", 1, 2, "b"), None,
    {"compute_clock_mhz": 1200.0}, {"build": STAGE}, (Note("a-b", "message", "hint", "where"),),
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


def test_a_record(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"abc" * 1_000_000)
    record = record_of(path)
    assert record.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert record_from(record.as_dict()) == record
    assert is_unchanged(record, path)
    os.utime(path, ns=(0, 0))
    assert is_unchanged(record, path)  # touched, the same bytes
    path.write_bytes(b"abd" + b"abc" * 999_999)
    assert not is_unchanged(record, path)
    assert not is_unchanged(record, tmp_path / "other") and not is_unchanged(None, path)
    with pytest.raises(TrexError, match="cannot be read"):
        record_of(tmp_path / "other")


def test_size_and_time_spare_the_reading(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"abc")
    believed = replace(record_of(path), sha256="as it was")
    assert record_of(path, believed).sha256 == "as it was"
    assert record_of(path, replace(believed, size_bytes=4)).sha256 != "as it was"


@pytest.mark.parametrize("value", [None, [], {}, {"path": "x"}, {"path": "x", "sha256": 1, "size_bytes": 1}])
def test_what_is_no_record(value: object) -> None:
    assert record_from(value) is None


def test_the_weights_next_to_a_model_count(tmp_path: Path) -> None:
    for name in ("m.onnx", "m.onnx.data", "m.weights", "other.data", "m.log"):
        (tmp_path / name).write_text("1")
    assert [name for name, _, _ in files_of_model(tmp_path / "m.onnx")] == ["m.onnx.data", "m.weights"]
    assert files_of_model(tmp_path / "nowhere" / "m.onnx") == []


def test_weights_that_a_model_names_count_whatever_their_name(tmp_path: Path) -> None:
    def entry(name: str) -> bytes:
        size = len(name.encode())
        return b"\n\x08location\x12" + bytes([size] if size < 128 else [size & 0x7F | 0x80, size >> 7]) + name.encode()

    long = "w" * 200
    (tmp_path / "inner").mkdir()
    for name in ("w.bin", "inner/gewichte ä", long, "not.bin"):
        (tmp_path / name).write_text("1")
    (tmp_path.parent / "outside").write_text("1")
    names = ["w.bin", "w.bin", "inner/gewichte ä", long, "../outside", "/etc/hostname", "missing", "a\0b"]
    for far in (0, manifest._BLOCK - 60, manifest._BLOCK):  # entries across two blocks
        (tmp_path / "m.onnx").write_bytes(b"x" * far + b"".join(map(entry, names)))
        assert [name for name, _, _ in files_of_model(tmp_path / "m.onnx")] == ["inner/gewichte ä", "w.bin", long]


def test_files_that_options_name_count(tmp_path: Path) -> None:
    (tmp_path / "calib.bin").write_text("1")
    words = [f"--calib={tmp_path}/calib.bin", "--fp16", f"--loadInputs=x:{tmp_path}/calib.bin", "--shapes=x:1x3"]
    assert [name for name, _, _ in files_in_arguments(words)] == [f"{tmp_path}/calib.bin"]


def test_a_fingerprint_depends_on_all_of_it() -> None:
    one = fingerprint("build", ("--fp16",), [("x", 1, 2)])
    assert one == fingerprint("build", ("--fp16",), [("x", 1, 2)])
    assert len({one, fingerprint("build", ("--fp16",), []), fingerprint("build", ("--int8",), [("x", 1, 2)])}) == 3


@pytest.mark.parametrize(
    ("text", "words"), [("", "is empty"), ("{", "is no valid JSON"), ("[" * 9999, "no valid JSON")]
)
def test_a_damaged_manifest_is_not_called_one_of_others(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(text)
    with pytest.raises(TrexError, match=words) as caught:
        check_manifest(path)
    assert "--force" in caught.value.hint and path.read_text() == text


@pytest.mark.parametrize("text", ['{"name": "my web app"}', "[]", '{"schema": "trex.manifest/9"}'])
def test_a_manifest_of_others_is_not_replaced(tmp_path: Path, text: str) -> None:
    path = tmp_path / "manifest.json"
    check_manifest(path)
    path.write_text(text)
    with pytest.raises(TrexError, match="would be replaced"):
        check_manifest(path)
    write_manifest(Manifest(), path)
    check_manifest(path)

"""Manifest ↔ manifest.json: how the files of a folder were made, with what, when, and how each stage ended.

One entry per engine, so that several models may share a folder. Files are identified by their SHA-256, which shows
whether one has changed since it was used.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path, PurePath
from typing import Any

from trex.core.errors import TrexError
from trex.core.note import Note, stored_note
from trex.core.regular_file import open_regular, read_record
from trex.core.whole_file import write_whole

SCHEMA = "trex.manifest/1"


@dataclass(frozen=True, slots=True)
class StageRecord:
    """A build or a profile. command: the exact arguments. exit_code: −N for signal N.

    stopped_by: "" if it ended by itself. fingerprint: of everything it depends on. outputs: {kind: file}.
    start, end: ISO 8601 in UTC. is_well: it succeeded and its files are complete; only then is it up to date.
    peak_memory_bytes: of the child, None if unknown.
    """

    name: str
    command: tuple[str, ...]
    exit_code: int
    stopped_by: str
    start: str
    end: str
    duration_s: float
    fingerprint: str = ""
    is_well: bool = False
    log: str = ""
    message: str = ""
    outputs: Mapping[str, FileRecord] = field(default_factory=dict)
    peak_memory_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class EngineRecord:
    """One engine: its model, program and stages. clocks: locked, in MHz and watts."""

    name: str
    trex_version: str = ""
    tensorrt_version: str = ""
    backend: str = ""
    program: str = ""
    model: FileRecord | None = None
    engine: FileRecord | None = None
    clocks: Mapping[str, float] = field(default_factory=dict)
    stages: Mapping[str, StageRecord] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()

    def with_stage(self, stage: StageRecord) -> EngineRecord:
        return replace(self, stages={**self.stages, stage.name: stage})


@dataclass(frozen=True, slots=True)
class Manifest:
    """engines: by the beginning of their file names."""

    engines: Mapping[str, EngineRecord] = field(default_factory=dict)

    def with_engine(self, engine: EngineRecord) -> Manifest:
        return Manifest({**self.engines, engine.name: engine})


def utc_text(time: datetime) -> str:
    """``2026-11-21T21:30:41.123Z``."""
    return time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03}Z"


def write_manifest(manifest: Manifest, path: Path) -> Path:
    """Writes the whole file or nothing. Raises TrexError if it cannot be written."""
    document = {"schema": SCHEMA, "engines": [_engine_dict(engine) for engine in manifest.engines.values()]}
    return write_whole(path, (json.dumps(document, indent=1, allow_nan=False) + "\n").encode())


def check_manifest(path: Path) -> None:
    """Raises TrexError for a file that cannot be read, or is none of ours: other programs have a manifest.json, too."""
    if path.is_symlink() or not path.exists():  # a link has an error of its own
        return
    schema = None
    try:
        document = read_record(path)
        schema = document.get("schema") if isinstance(document, dict) else None
    except OSError as error:
        raise TrexError(
            f"the manifest.json here cannot be read: {error.strerror}", "check its permissions", str(path)
        ) from None
    except ValueError:
        damage = "no valid JSON" if path.stat().st_size else "empty"
        hint = "a full disk or a power failure leaves such files: move it away, then --force builds the engine again"
        raise TrexError(f"the manifest.json here is {damage}", hint, str(path)) from None
    if schema != SCHEMA:
        newer = isinstance(schema, str) and schema.startswith(SCHEMA.partition("/")[0])
        message = "the manifest.json here is of a newer trex" if newer else "the manifest.json here is none of trex's"
        raise TrexError(f"{message}, and would be replaced", "choose another folder, or rename it", str(path))


def read_manifest(path: Path) -> Manifest:
    """Empty if there is none or it cannot be read; then nothing is up to date."""
    try:
        document = read_record(path)
        if not isinstance(document, dict) or document.get("schema") != SCHEMA:
            return Manifest()
        engines = [_engine_from(value) for value in document["engines"]]
        return Manifest({engine.name: engine for engine in engines})
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Manifest()


def _engine_dict(engine: EngineRecord) -> dict[str, Any]:
    return {**asdict(engine), "stages": [asdict(stage) for stage in engine.stages.values()]}


def _engine_from(value: dict[str, Any]) -> EngineRecord:
    stages = map(_stage_from, value["stages"])
    return EngineRecord(
        **{
            **value,
            "model": record_from(value["model"]),
            "engine": record_from(value["engine"]),
            "stages": {stage.name: stage for stage in stages},
            "notes": tuple(replace(stored_note(note), hint=str(note["hint"])) for note in value["notes"]),
        }
    )


def _stage_from(value: dict[str, Any]) -> StageRecord:
    records = {kind: record_from(record) for kind, record in value["outputs"].items()}
    outputs = {kind: record for kind, record in records.items() if record is not None}
    return StageRecord(**{**value, "command": tuple(value["command"]), "outputs": outputs})


_CHUNK_BYTES = 1 << 20
# Endings of weights that exporters write next to a model: resnet.onnx.data, resnet.onnx_data, resnet.weights …
_WEIGHTS = ("data", "weights", "bin", "pb")
_LOCATION = re.compile(rb"\n\x08location\x12([\x01-\x7f]|[\x80-\xff][\x01-\x1f])", re.DOTALL)
_LONGEST_ENTRY = 1 << 13
_BLOCK = 1 << 22

FileFacts = tuple[str, int, int]
"""(name or path, size in bytes, modification time in ns)"""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file at one time. path: as given. modified_ns: nanoseconds since 1970."""

    path: str
    size_bytes: int
    modified_ns: int
    sha256: str

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def record_of(path: str | Path, known: FileRecord | None = None) -> FileRecord:
    """known: an earlier record of the file. With the same size and time its hash is reused, so that engines of many GiB
    are read once. Raises TrexError for a file that cannot be read.
    """
    path = Path(path)
    try:
        stat = path.stat()
        if known is not None and (known.size_bytes, known.modified_ns) == (stat.st_size, stat.st_mtime_ns):
            return FileRecord(str(path), stat.st_size, stat.st_mtime_ns, known.sha256)
        digest = hashlib.sha256()
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                digest.update(chunk)
    except OSError as error:
        raise TrexError(f"the file cannot be read: {error.strerror}", "check its permissions", str(path)) from None
    return FileRecord(str(path), stat.st_size, stat.st_mtime_ns, digest.hexdigest())


def is_unchanged(record: FileRecord | None, path: str | Path) -> bool:
    """Whether the file still is as recorded."""
    if record is None or not Path(path).is_file():
        return False
    try:
        return record_of(path, record).sha256 == record.sha256
    except TrexError:
        return False


def record_from(value: object) -> FileRecord | None:
    """A record from a manifest; None for anything else."""
    if not isinstance(value, Mapping):
        return None
    path, sha256 = value.get("path"), value.get("sha256")
    size, modified = value.get("size_bytes"), value.get("modified_ns")
    if isinstance(path, str) and isinstance(sha256, str) and isinstance(size, int) and isinstance(modified, int):
        return FileRecord(path, size, modified, sha256)
    return None


def fingerprint(*facts: object) -> str:
    """One hash of everything that a stage depends on."""
    return hashlib.sha256(json.dumps(facts, ensure_ascii=True, default=str).encode()).hexdigest()


def files_of_model(model: Path) -> list[FileFacts]:
    """Files with the model's weights: those that it names, and those next to it that are named like it."""
    named = {path.name for path in _neighbors(model) if _is_named_like(path.name, model)}
    facts = []
    for name in {*named, *_data_locations(model)}:
        path = model.parent / name
        with suppress(OSError, ValueError):
            if path.is_file() and path != model:
                stat = path.stat()
                facts.append((name, stat.st_size, stat.st_mtime_ns))
    return sorted(facts)


def _is_named_like(name: str, model: Path) -> bool:
    starts = (model.name, f"{model.stem}.", f"{model.stem}_", f"{model.stem}-")
    return name.startswith(starts) and name.lower().endswith(_WEIGHTS)


def _data_locations(model: Path) -> Iterator[str]:
    """Files below the model's folder that its tensors name, found by their bytes: an entry of ``external_data``
    (StringStringEntryProto of onnx.proto) has the key ``location``, then the value behind its length.
    """
    names = set()
    with suppress(OSError), open_regular(model) as file:
        end = b""
        while block := file.read(_BLOCK):
            data = end + block
            for match in _LOCATION.finditer(data):
                first, *more = match[1]
                length = (first & 0x7F) | more[0] << 7 if more else first
                names.add(data[match.end() : match.end() + length])
            end = data[-_LONGEST_ENTRY:]
    for name in names:
        path = PurePath(name.decode("utf-8", "replace"))
        if not path.is_absolute() and ".." not in path.parts:
            yield str(path)


def files_in_arguments(arguments: Iterable[str]) -> list[FileFacts]:
    """Files that options name: calibration caches, plugin libraries, inputs."""
    facts = []
    for argument in arguments:
        value = argument.partition("=")[2]
        for part in value.split(","):
            for text in (part, part.partition(":")[2]):
                if text and len(text) < 4096 and "\0" not in text and Path(text).is_file():
                    stat = Path(text).stat()
                    facts.append((text, stat.st_size, stat.st_mtime_ns))
    return sorted(set(facts))


def _neighbors(model: Path) -> list[Path]:
    try:
        return [path for path in model.parent.iterdir() if path.is_file()]
    except OSError:
        return []

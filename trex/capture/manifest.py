"""Manifest ↔ manifest.json: how the files of a folder were made, with what, when, and how each stage ended.

One entry per engine, so that several models may share a folder. Files are identified by their SHA-256.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from trex.capture.fingerprints import FileRecord, record_from
from trex.core.note import Note
from trex.core.whole_file import write_whole

SCHEMA = "trex.manifest/1"


@dataclass(frozen=True, slots=True)
class StageRecord:
    """A build or a profile. command: the exact arguments. exit_code: −N for signal N.

    stopped_by: "" if it ended by itself. fingerprint: of everything it depends on. outputs: {kind: file}.
    start, end: ISO 8601 in UTC. is_well: it succeeded and its files are complete; only then is it up to date.
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


@dataclass(frozen=True, slots=True)
class EngineRecord:
    """One engine: its model, program, device and stages.

    gpu: device information of trtexec's log. driver: version, None if unknown. clocks: locked, in MHz and watts.
    """

    name: str
    trex_version: str = ""
    tensorrt_version: str = ""
    backend: str = ""
    program: str = ""
    platform: str = ""
    model: FileRecord | None = None
    engine: FileRecord | None = None
    gpu: Mapping[str, Any] = field(default_factory=dict)
    driver: str | None = None
    clocks: Mapping[str, float] = field(default_factory=dict)
    start: str = ""
    end: str = ""
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


def read_manifest(path: Path) -> Manifest:
    """Empty if there is none or it cannot be read; then nothing is up to date."""
    try:
        document = json.loads(path.read_bytes())
        if not isinstance(document, dict) or document.get("schema") != SCHEMA:
            return Manifest()
        engines = [_engine_from(value) for value in document["engines"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Manifest()
    return Manifest({engine.name: engine for engine in engines})


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
            "notes": tuple(Note(**note) for note in value["notes"]),
        }
    )


def _stage_from(value: dict[str, Any]) -> StageRecord:
    records = {kind: record_from(record) for kind, record in value["outputs"].items()}
    outputs = {kind: record for kind, record in records.items() if record is not None}
    return StageRecord(**{**value, "command": tuple(value["command"]), "outputs": outputs})

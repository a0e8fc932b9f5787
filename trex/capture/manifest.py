"""Manifest ↔ manifest.json: what was done to make the files of a folder, with what, when, and how it ended.

One entry per engine, so that several models may share a folder. Files beside it are told by their SHA-256.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from trex.capture.fingerprints import FileRecord, record_from
from trex.core.note import Note
from trex.core.whole_file import write_whole

SCHEMA = "trex.manifest/1"


@dataclass(frozen=True, slots=True)
class StageRecord:
    """A build or a profile. command: the exact arguments. exit_code: the child's; −N for signal N.

    stopped_by: "" when it ended by itself. fingerprint: of all that it depends on. outputs: {kind: file}.
    start, end: ISO 8601 in UTC. Only one that went well counts as up to date.
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
    """One engine: what it came from, what made it, on what device, stage by stage.

    gpu: facts of the device as trtexec's log tells them. driver: of the GPU, None when not known. clocks: what was
    locked, in MHz and watts.
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
    """engines: by the name that their files begin with."""

    engines: Mapping[str, EngineRecord] = field(default_factory=dict)

    def with_engine(self, engine: EngineRecord) -> Manifest:
        return Manifest({**self.engines, engine.name: engine})


def utc_text(time: datetime) -> str:
    """``2026-11-21T21:30:41.123Z``."""
    return time.strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03}Z"


def write_manifest(manifest: Manifest, path: Path) -> Path:
    """Whole or not at all. Raises TrexError when it cannot be written."""
    document = {"schema": SCHEMA, "engines": [_engine_dict(engine) for engine in manifest.engines.values()]}
    return write_whole(path, (json.dumps(document, indent=1, allow_nan=False) + "\n").encode())


def read_manifest(path: Path) -> Manifest:
    """Empty when there is none, or none that can be read: then nothing counts as up to date."""
    try:
        document = json.loads(path.read_bytes())
        if not isinstance(document, dict) or document.get("schema") != SCHEMA:
            return Manifest()
        engines = [_engine(value) for value in document["engines"]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Manifest()
    return Manifest({engine.name: engine for engine in engines})


def _engine_dict(engine: EngineRecord) -> dict[str, Any]:
    return {
        "name": engine.name,
        "trex_version": engine.trex_version,
        "tensorrt_version": engine.tensorrt_version,
        "backend": engine.backend,
        "program": engine.program,
        "platform": engine.platform,
        "model": engine.model.as_dict() if engine.model else None,
        "engine": engine.engine.as_dict() if engine.engine else None,
        "gpu": dict(engine.gpu),
        "driver": engine.driver,
        "clocks": dict(engine.clocks),
        "start": engine.start,
        "end": engine.end,
        "stages": [_stage_dict(stage) for stage in engine.stages.values()],
        "notes": [
            {name: getattr(note, name) for name in ("code", "severity", "message", "hint", "where")}
            for note in engine.notes
        ],
    }


def _stage_dict(stage: StageRecord) -> dict[str, Any]:
    names = (
        "name",
        "exit_code",
        "stopped_by",
        "start",
        "end",
        "duration_s",
        "is_well",
        "fingerprint",
        "log",
        "message",
    )
    told = {name: getattr(stage, name) for name in names}
    return {
        **told,
        "command": list(stage.command),
        "outputs": {kind: record.as_dict() for kind, record in stage.outputs.items()},
    }


def _engine(value: Any) -> EngineRecord:
    texts = {
        name: str(value[name] or "")
        for name in ("name", "trex_version", "tensorrt_version", "backend", "program", "platform", "start", "end")
    }
    driver = value.get("driver")
    return EngineRecord(
        **texts,
        model=record_from(value.get("model")),
        engine=record_from(value.get("engine")),
        gpu=dict(value.get("gpu") or {}),
        driver=None if driver is None else str(driver),
        clocks=dict(value.get("clocks") or {}),
        stages={stage.name: stage for stage in map(_stage, value.get("stages") or ())},
        notes=tuple(Note(**note) for note in value.get("notes") or ()),
    )


def _stage(value: Any) -> StageRecord:
    records = {kind: record_from(record) for kind, record in (value.get("outputs") or {}).items()}
    return StageRecord(
        name=str(value["name"]),
        command=tuple(map(str, value["command"])),
        exit_code=int(value["exit_code"]),
        stopped_by=str(value["stopped_by"]),
        start=str(value["start"]),
        end=str(value["end"]),
        duration_s=float(value["duration_s"]),
        fingerprint=str(value["fingerprint"]),
        is_well=value["is_well"] is True,
        log=str(value["log"]),
        message=str(value["message"]),
        outputs={kind: record for kind, record in records.items() if record is not None},
    )

"""Files of an engine → Diagnosis: what was recognised, what is missing, and the command that would produce it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from typing import Any

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.ingest.artifacts import read_artifacts
from trex.ingest.files import EngineFiles
from trex.plan.engine_plan import EnginePlan
from trex.views.table import Table, TableColumn

SCHEMA = "trex.doctor/1"

_PARTS = (
    ("graph", "layer information"),
    ("profile", "layer times"),
    ("timing", "query times"),
    ("profile_metadata", "metadata of the run"),
    ("build_metadata", "metadata of the build"),
    ("device", "device properties"),
    ("build_log", "build log"),
    ("profile_log", "log of the run"),
)


@dataclass(frozen=True, slots=True)
class Missing:
    """A part no file holds: what one cannot see without it, and a command that produces it."""

    part: str
    without_it: str
    command: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """files: one row per recognised part. error: why the engine cannot be loaded, or empty. layers: None then."""

    name: str
    files: Table
    layers: int | None
    missing: tuple[Missing, ...]
    notes: tuple[Note, ...]
    error: str = ""

    @property
    def is_healthy(self) -> bool:
        """True when the engine loads, nothing was lost, and times are there."""
        serious = any(note.severity == "problem" for note in self.notes)
        return not self.error and not serious and not self.missing

    def as_dict(self) -> dict[str, Any]:
        return {
            "schema": SCHEMA,
            "engine": self.name,
            "healthy": self.is_healthy,
            "error": self.error,
            "layers": self.layers,
            "files": self.files.records(),
            "missing": [
                {"part": item.part, "without_it": item.without_it, "command": item.command} for item in self.missing
            ],
            "notes": [
                {"code": n.code, "severity": n.severity, "message": n.message, "hint": n.hint, "where": n.where}
                for n in self.notes
            ],
        }


def diagnose(files: EngineFiles) -> Diagnosis:
    """Reads the engine's files and says what is there and what is not; raises nothing for files it cannot read."""
    rows = tuple((part, path) for field, part in _PARTS if (path := getattr(files, field)))
    table = Table("", (TableColumn("what"), TableColumn("file")), rows)
    try:
        plan, reading_error = _plan(files)
    except TrexError as error:
        return Diagnosis(files.name, table, None, _missing(files, None), tuple(files.notes), str(error))
    notes = tuple(dict.fromkeys(plan.notes))
    return Diagnosis(files.name, table, len(plan.all_layers), _missing(files, plan), notes, reading_error)


def _plan(files: EngineFiles) -> tuple[EnginePlan, str]:
    """The plan, if need be without its profile: a graph is worth seeing even when the profile is of another engine."""
    artifacts = read_artifacts(files)
    try:
        return _plan_of(artifacts), ""
    except TrexError as error:
        return _plan_of(replace(artifacts, layer_times=None)), str(error)


def _plan_of(artifacts: Any) -> EnginePlan:
    return EnginePlan(
        artifacts.engine,
        artifacts.layer_times,
        artifacts.query_times,
        artifacts.metadata,
        artifacts.build_metadata,
        notes=artifacts.notes,
    )


def _missing(files: EngineFiles, plan: EnginePlan | None) -> tuple[Missing, ...]:
    stem = shlex.quote(files.name)
    engine = stem if files.name.endswith((".engine", ".plan", ".trt")) else f"{stem}.engine"
    version = plan.engine.tensorrt_version if plan else ""
    separate = "" if version.startswith("11") else " --separateProfileRun"
    inspect = f"trtexec --loadEngine={engine} --profilingVerbosity=detailed"
    found = []
    if plan is None or plan.engine.verbosity == "log" or not files.graph:
        found.append(
            Missing(
                "layer information",
                "layers, tensors, precisions, tactics",
                f"{inspect} --exportLayerInfo={stem}.graph.json",
            )
        )
    elif plan.engine.verbosity == "names":
        found.append(
            Missing(
                "detailed layer information",
                "tensors, precisions, tactics: this engine was built without them",
                f"trtexec --onnx=MODEL.onnx --saveEngine={engine} --profilingVerbosity=detailed "
                f"--exportLayerInfo={stem}.graph.json",
            )
        )
    if plan is None or plan.layer_times is None:
        found.append(
            Missing("layer times", "which layers are slow", f"{inspect} --exportProfile={stem}.profile.json{separate}")
        )
    if plan is None or plan.query_times is None:
        found.append(
            Missing(
                "query times",
                "how steady the latency was",
                f"trtexec --loadEngine={engine} --exportTimes={stem}.timing.json",
            )
        )
    if plan is None or (plan.metadata.is_empty and plan.build_metadata.is_empty):
        found.append(
            Missing(
                "metadata",
                "device, clocks, TensorRT version, build options",
                f"trtexec --loadEngine={engine} 2>&1 | tee {stem}.profile.log",
            )
        )
    return tuple(found)

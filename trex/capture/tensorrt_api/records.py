"""The manifest, and the run's options for metadata files."""

from __future__ import annotations

import json
import os
import platform
import time
from typing import Any, Sequence

from trex.capture.tensorrt_api.files import sha256_of, write_json

MANIFEST_SCHEMA = "trex.manifest/1"


class CollectedStage:
    """A build or a profile, for the manifest."""

    def __init__(self, name: str, command: Sequence[str], log: str) -> None:
        self.name = name
        self.command = list(command)
        self.log = log
        self.start = time.time()
        self.end = self.start
        self.exit_code = 0
        self.message = ""
        self.outputs: dict[str, str] = {}

    def as_dict(self) -> dict[str, Any]:
        outputs = {kind: file_record(path) for kind, path in self.outputs.items() if os.path.isfile(path)}
        return {
            "name": self.name,
            "exit_code": self.exit_code,
            "stopped_by": "",
            "start": utc(self.start),
            "end": utc(self.end),
            "duration_s": round(self.end - self.start, 3),
            "is_well": self.exit_code == 0 and not self.message,
            "fingerprint": "",
            "log": self.log,
            "message": self.message,
            "command": self.command,
            "outputs": outputs,
        }


def file_record(path: str | None) -> dict[str, Any] | None:
    if not path or not os.path.isfile(path):
        return None
    facts = os.stat(path)
    return {
        "path": path,
        "size_bytes": facts.st_size,
        "modified_ns": facts.st_mtime_ns,
        "sha256": sha256_of(path),
    }


def utc(seconds: float) -> str:
    """``2026-11-21T21:30:41.123Z``."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + ".%03dZ" % (seconds % 1 * 1000)


def write_collection_manifest(
    path: str,
    name: str,
    version: str,
    model: str | None,
    engine: str | None,
    gpu: dict[str, str],
    stages: list[CollectedStage],
    warnings: Sequence[str],
) -> None:
    """Keeps the entries of other engines in the same folder."""
    entry = {
        "name": name,
        "trex_version": "",
        "tensorrt_version": version,
        "backend": "tensorrt",
        "program": "collector",
        "platform": platform.platform(),
        "model": file_record(model),
        "engine": file_record(engine),
        "gpu": gpu,
        "driver": None,
        "clocks": {},
        "start": utc(stages[0].start) if stages else "",
        "end": utc(stages[-1].end) if stages else "",
        "stages": [stage.as_dict() for stage in stages],
        "notes": [
            {"code": "collector-warning", "severity": "warning", "message": text, "hint": "", "where": ""}
            for text in dict.fromkeys(warnings)
        ],
    }
    others = [engine for engine in _known_engines(path) if engine.get("name") != name]
    write_json(path, {"schema": MANIFEST_SCHEMA, "engines": [*others, entry]})


def _known_engines(path: str) -> list[dict[str, Any]]:
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        if document["schema"] == MANIFEST_SCHEMA:
            return [engine for engine in document["engines"] if isinstance(engine, dict)]
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return []


def inference_section(values: dict[str, str], shapes: str, has_graph: bool) -> dict[str, str]:
    """The run's options as in trtexec's log."""

    def state(is_on: bool) -> str:
        return "Enabled" if is_on else "Disabled"

    section = {
        "Iterations": values.get("iterations", "10"),
        "Duration": "{}s (+ {}ms warm up)".format(values.get("duration", "3"), values.get("warmUp", "200")),
        "Inference Streams": "1",
        "Data transfers": state("includeDataTransfers" in values),
        "Spin-wait": state("noSpinWait" not in values),
        "CUDA Graph": state(has_graph),
        "Separate profiling": "Enabled",
        "Optimization Profile Index": values.get("useProfile", "0"),
    }
    if shapes:
        section["Input inference shape "] = shapes
    return section

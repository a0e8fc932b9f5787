"""StoredRun ↔ run.json; what ``manifest.json`` of ``trex process`` says of an engine."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, fields
from datetime import datetime, timezone
from functools import lru_cache
from pathlib import Path
from typing import Any

from trex.core.errors import TrexError
from trex.core.note import stored_note
from trex.core.printable import encodable
from trex.core.regular_file import parse_record, read_record
from trex.ingest.finding.engine_files import SLOTS, EngineFiles
from trex.ingest.finding.run_outcomes import MANIFEST_BYTES, MANIFEST_SCHEMA, of_engine
from trex.store.columns import INTEGER, PAIRS, REAL, RUNS, TEXT, TIME, TRUTH, StoreColumn
from trex.store.layout import SHA256
from trex.store.run import FACT_FIELDS, Artifact, StoredRun

SCHEMA = "trex.run/1"
_NAME = re.compile(r"[^/\\\0]+")
_RESULTS = ("graph", "profile", "times")
"""Kinds of a stage's outputs that only a run writes."""


def run_id(
    hashes: Iterable[str], job_key: str | None, repetition: int, commit: str | None, labels: Mapping[str, str]
) -> str:
    """hashes: of the files that the plan is read from."""
    identity = (sorted(hashes), job_key or "", repetition, commit or "", sorted(labels.items()))
    return hashlib.sha256(json.dumps(identity, ensure_ascii=True).encode()).hexdigest()[:16]


def run_text(run: StoredRun, files: EngineFiles) -> str:
    """files: with addresses relative to a folder with all artifacts."""
    facts = {entry.name: _plain(getattr(run, entry.name)) for entry in FACT_FIELDS}
    slots = {slot: value for slot in (*SLOTS, "others", "more_logs") if (value := getattr(files, slot))}
    document = {
        "schema": SCHEMA,
        "facts": facts,
        "artifacts": [asdict(artifact) for artifact in run.artifacts],
        "files": {"name": files.name, **slots, **({"notes": notes} if (notes := [*map(asdict, files.notes)]) else {})},
    }
    return _text({**document, _DIGEST: _digest(document)})


_DIGEST = "sha256"
"""Of the manifest without it: a flipped bit in a number leaves a manifest that looks sound."""


def _text(document: Mapping[str, Any]) -> str:
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def _digest(document: Mapping[str, Any]) -> str:
    return hashlib.sha256(_text(document).encode()).hexdigest()


def read_run(content: bytes, where: str) -> tuple[StoredRun, EngineFiles]:
    """Raises TrexError for anything that is no manifest of a run."""
    try:
        document = parse_record(content)
        if document["schema"] != SCHEMA:
            raise TrexError(f"the run has the schema {str(document['schema'])[:40]!r}", "update trex", where)
        if document.pop(_DIGEST, None) != _digest(document):
            raise ValueError("it was changed after it was written")
        facts = document["facts"]
        if not facts.keys() >= _NEVER_NULL:
            raise ValueError("facts are missing")
        known = {column.name: _typed(column, facts[column.name]) for column in RUNS.columns if column.name in facts}
        names = [entry.name for entry in fields(Artifact)]
        artifacts = tuple(Artifact(**{name: item[name] for name in names}) for item in document["artifacts"])
        if not all(map(_is_plain, artifacts)):
            raise ValueError("a file without a plain name, a size or a hash")
        files: dict[str, Any] = {slot: value for slot, value in document["files"].items() if slot in (*SLOTS, "name")}
        lists: dict[str, Any] = {slot: tuple(document["files"].get(slot, ())) for slot in ("others", "more_logs")}
        if not all(isinstance(text, str) for text in (*files.values(), *itertools.chain(*lists.values()))):
            raise ValueError("a file is no text")
        notes = tuple(map(stored_note, document["files"].get("notes", ())))
        return StoredRun(**known, artifacts=artifacts), EngineFiles(**files, **lists, notes=notes)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise TrexError(f"this is not the manifest of a run: {error}", "trex store fsck", where) from error


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat(timespec="milliseconds") + "Z"
    return dict(value) if isinstance(value, Mapping) else value


def _is_plain(artifact: Artifact) -> bool:
    is_name = _NAME.fullmatch(artifact.name) and artifact.name not in (".", "..") and _is_writable(artifact.name)
    kinds = (type(artifact.size_bytes), type(artifact.is_kept))
    return bool(is_name and SHA256.fullmatch(artifact.sha256)) and kinds == (int, bool)


def _is_writable(text: str) -> bool:
    """Whether a file or its content can have it: no half of a surrogate pair."""
    return encodable(text) == text


_KINDS: Mapping[str, type | tuple[type, ...]] = {TEXT: str, INTEGER: int, REAL: (int, float), TRUTH: bool, TIME: str}
_NEVER_NULL = frozenset(("id", "name", "model", "repetition"))


def _typed(column: StoreColumn, value: Any) -> Any:
    """The value as the column has it. Raises TypeError or ValueError for another type."""
    if column.type == PAIRS:
        return {str(name): str(text) for name, text in dict(value).items()}
    if value is None and column.name not in _NEVER_NULL:
        return None
    if isinstance(value, str) and not _is_writable(value):
        raise ValueError(f"{column.name} is no text that can be written")
    if not isinstance(value, _KINDS[column.type]) or (column.type != TRUTH and isinstance(value, bool)):
        raise TypeError(f"{column.name} is no {column.type}")
    if column.type == REAL and not math.isfinite(number := float(str(value))):
        raise ValueError(f"{column.name} is not finite")
    return number if column.type == REAL else _utc(str(value)) if column.type == TIME else value


def _utc(text: str) -> datetime:
    """``2026-11-25T23:53:40.123Z`` without its time zone."""
    time = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return time if time.tzinfo is None else time.astimezone(timezone.utc).replace(tzinfo=None)


def manifest_facts(path: Path, files: EngineFiles, hashes: Mapping[str, str]) -> dict[str, Any]:
    """Fields of ``StoredRun`` in the ``manifest.json`` next to the engine's files; {} if there is none, or if it is of
    other files. hashes: {name of a file: its SHA-256}.
    """
    try:
        state = path.stat()
        records = _records(path, state.st_mtime_ns, state.st_size, state.st_ino)
        engine = records.get(files.name) or of_engine(files.paths, records)
        return {} if engine is None or _is_of_others(engine, hashes) else dict(_manifest_facts(engine))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return {}


@lru_cache(maxsize=2)
def _records(path: Path, *state: int) -> dict[str, Mapping[str, Any]]:
    """{name: record} of the engines in a manifest, read once for all of them. state: of the file."""
    document = read_record(path, MANIFEST_BYTES)
    engines = document["engines"] if document["schema"] == MANIFEST_SCHEMA else ()
    return {str(engine["name"]): engine for engine in engines}


def _is_of_others(engine: Mapping[str, Any], hashes: Mapping[str, str]) -> bool:
    """Whether the results of its stages were written again since, by something else."""
    for stage in engine.get("stages", ()):
        for kind, record in stage.get("outputs", {}).items():
            name = re.split(r"[/\\]", str(record["path"]))[-1]
            if kind in _RESULTS and hashes.get(name, record["sha256"]) != record["sha256"]:
                return True
    return False


def _manifest_facts(engine: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    for fact, key in (("trex", "trex_version"), ("backend", "backend"), ("tensorrt", "tensorrt_version")):
        if isinstance(engine.get(key), str) and engine[key]:
            yield fact, engine[key]
    model, plan = engine.get("model"), engine.get("engine")
    if isinstance(model, Mapping) and isinstance(model.get("sha256"), str):
        yield "model_hash", model["sha256"]
    size = plan.get("size_bytes") if isinstance(plan, Mapping) else None
    if type(size) is int and 0 <= size < 1 << 63:
        yield "engine_bytes", size
    stages = {str(stage.get("name")): stage for stage in engine.get("stages", ()) if isinstance(stage, Mapping)}
    for name in ("profile", "build"):
        with suppress(KeyError, TypeError, ValueError, AttributeError, OverflowError):
            yield "made_at", _utc(stages[name]["end"])
            return

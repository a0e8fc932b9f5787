"""Engine whose file lacks layers' types → the engine with those that a log has of the same layers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trex.core.counted import counted
from trex.core.engine import Engine
from trex.core.note import Note
from trex.ingest.graph_json import engine_from_documents
from trex.ingest.logs.inspector_text import inspector_document
from trex.ingest.logs.log_run import LogRun
from trex.ingest.spelling.tensor_formats import parse_format

_NO_TYPES, _NO_DETAILS = "unknown-data-type", "names-only-engine"
_DETAILS_HINT = "for all facts, build with --profilingVerbosity=detailed"
_TYPE = "Format/Datatype"


def with_rows(engine: Engine, run: LogRun | None) -> Engine:
    """The engine with what a log has of its layers, by name; unchanged without, and where the file has everything.

    A file of names alone gets the log's records, if it has most of them. Tensors whose types are unknown (``N/A due to
    dynamic shapes``) get the types of the log's tensors of the same layer and name.
    """
    if run is None or not (run.raw_layers or run.layer_rows):
        return engine
    if engine.verbosity == "names":
        return _with_records(engine, run)
    return _with_types(engine, run) if any(note.code == _NO_TYPES for note in engine.notes) else engine


def _with_records(engine: Engine, run: LogRun) -> Engine:
    records = [row or name for name, row in _rows(engine, run)]
    known = sum(isinstance(record, dict) for record in records)
    if not known or 2 * known < len(records):
        return engine
    note = _note(
        "layers-from-log",
        run,
        f"types, tensors and tactics of {known} of {counted(len(records), 'layer')} are from {{}}; the graph file "
        "contains only names",
    )
    bindings = run.bindings or [binding.name for binding in engine.bindings]
    verbosity = "detailed" if run.raw_layers else "log"
    kept = [earlier for earlier in engine.notes if earlier.code != _NO_DETAILS]
    document = inspector_document(records, bindings)
    return engine_from_documents([document], engine.source, (*kept, note), verbosity=verbosity)


def _with_types(engine: Engine, run: LogRun) -> Engine:
    records, known = [], 0
    for layer, (_, row) in zip(engine.layers, _rows(engine, run), strict=True):
        types = {} if row is None else dict(_types(row))
        record = dict(layer.raw)
        for side in ("Inputs", "Outputs"):
            tensors = [_typed(tensor, types) for tensor in record.get(side) or ()]
            known += sum(new is not old for new, old in zip(tensors, record.get(side) or ()))
            record[side] = tensors
        records.append(record)
    if not known:
        return engine
    note = _note("types-from-log", run, f"types of {counted(known, 'tensor')} are from {{}}; the graph file lacks them")
    kept = [earlier for earlier in engine.notes if earlier.code != _NO_TYPES]
    document = {"Layers": records, "Bindings": [binding.name for binding in engine.bindings], **engine.extra}
    return engine_from_documents([document], engine.source, (*kept, note), verbosity=engine.verbosity)


def _rows(engine: Engine, run: LogRun) -> Iterator[tuple[str, dict[str, Any] | None]]:
    """(written name, the log's record) of every layer, by name and occurrence."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for record in run.raw_layers or run.layer_rows or ():
        if isinstance(record, dict) and isinstance(record.get("Name"), str):
            rows.setdefault(record["Name"], []).append(record)
    for records in rows.values():
        records.reverse()
    for layer in engine.layers:
        name = str(layer.raw.get("Name") or layer.name)
        yield name, rows[name].pop() if rows.get(name) else None


def _types(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for tensor in (*row.get("Inputs", ()), *row.get("Outputs", ())):
        if isinstance(tensor, dict) and parse_format(tensor.get(_TYPE))[0].is_known:
            yield str(tensor.get("Name")), tensor[_TYPE]


def _typed(tensor: Any, types: dict[str, str]) -> Any:
    """The tensor's record with the log's type if its own is unknown."""
    if not isinstance(tensor, dict) or _TYPE not in tensor or parse_format(tensor[_TYPE])[0].is_known:
        return tensor
    known = types.get(str(tensor.get("Name")))
    return tensor if known is None else {**tensor, _TYPE: known}


def _note(code: str, run: LogRun, message: str) -> Note:
    log = next(iter(run.metadata.sources), "")
    return Note(code, message.format(Path(log).name), _DETAILS_HINT, log, "info")

"""A record of tactics ↔ TimingCache: JSON with one operation per line, made for git.

``trex cache show --save`` and ``trex process --record-tactics`` write this file, schema ``trex.tactics/1``::

    schema                                "trex.tactics/1"
    device_hash, build_hash               of the timing cache, absent if unknown; stream_version, layout likewise
    device, release                       names of the GPU and of TensorRT's version, absent if unknown
    fingerprint                           SHA-256 of {key: tactic}; of an edited record what it states
    tactics                               {key: {tactic, time_ms, kind, runner}}, ids in hexadecimal; kind and runner
                                          absent if unknown, time_ms null

The document of ``trex cache show --json`` is read as well: its table has the same columns.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import orjson

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.timing_cache import EDITED, MYELIN, NATIVE, TimingCache, TimingCacheEntry, TimingCacheHeader, hex_of
from trex.ingest.spelling.printable import printable_name

SCHEMA = "trex.tactics/1"
DOCUMENT_SCHEMA = "trex.cache/1"
_BEGINNING = 200
_HINT = "write it again: trex cache show CACHE --save FILE"
_NAMED = re.compile(rb'"0x[0-9a-f]{32}"\s*:')
_KEY = re.compile(r"0x[0-9a-f]{32}")
_ID = re.compile(r"0x[0-9a-f]{1,16}")
_KINDS = (NATIVE, MYELIN)
_TEXTS = ("layout", "device_hash", "build_hash", "device", "release")
_LONGEST_TEXT = 200


_LARGEST_MS = 3.4028235e38
"""A cache has 32-bit numbers; more, NaN and infinity are no times."""


def is_record(head: bytes) -> bool:
    """Whether a file with this beginning is a record of tactics, or a document of ``trex cache show``."""
    start = head[:_BEGINNING]
    return b'"schema"' in start and (SCHEMA.encode() in start or DOCUMENT_SCHEMA.encode() in start)


def read_record(data: bytes, where: str = "") -> TimingCache:
    """Raises TrexError with the address for another file, a damaged record or one of a newer release."""
    document = _document(data, where)
    facts: Mapping[str, Any] = document
    rows: Iterator[tuple[str, Mapping[str, Any]]]
    if document["schema"] == SCHEMA:
        rows = _keyed(document.get("tactics"), where)
    else:
        sections = _mapping(document.get("sections"), where)
        facts = _mapping(_mapping(sections.get("cache"), where).get("facts"), where)
        tables = _mapping(_mapping(sections.get("entries"), where).get("tables"), where)
        rows = _listed(_mapping(tables.get("entries"), where).get("rows"), where)
        if document.get("left_out"):
            raise TrexError("this document has only some of the tactics", _HINT, where)
    entries = tuple(_entry(key, row, where) for key, row in rows)
    named = len(_NAMED.findall(data)) if document["schema"] == SCHEMA else len(entries)
    if named > len({entry.key for entry in entries}):
        hint = "keep one of them; trex cache merge A B merges two records"
        raise TrexError("the record has an operation twice", hint, where)
    version = facts.get("stream_version")
    header = TimingCacheHeader(
        stream_version=version if type(version) is int else None,
        **{name: printable_name(str(facts.get(name) or ""))[:_LONGEST_TEXT] for name in _TEXTS},
    )
    size = facts.get("compilation_bytes")
    cache = TimingCache(header, entries, "", size if type(size) is int and size >= 0 else None, where)
    stated = facts.get("fingerprint")
    if stated == cache.fingerprint():
        return cache
    missing = "the record has no fingerprint: it was edited, or another program wrote it"
    message = "the fingerprint is not that of the tactics: the record was edited" if stated else missing
    note = Note(EDITED, message, "write it again from its cache: trex cache show CACHE --save FILE", where)
    stated = printable_name(str(stated or ""))[:_LONGEST_TEXT]
    return replace(cache, notes=(note,), stated=stated)


def record_text(cache: TimingCache) -> str:
    """The record, sorted by key; the same tactics give the same text."""
    header = cache.header
    facts: dict[str, Any] = {
        "schema": SCHEMA,
        "stream_version": header.stream_version,
        **{name: getattr(header, name) for name in _TEXTS},
        "compilation_bytes": cache.compilation_bytes,
        "fingerprint": cache.written_fingerprint,
    }
    lines = [f" {json.dumps(name)}: {json.dumps(value)}," for name, value in facts.items() if value not in (None, "")]
    entries = [f"  {json.dumps(key)}: {json.dumps(_row(cache.by_key[key]))}" for key in sorted(cache.by_key)]
    body = ",\n".join(entries)
    return "\n".join(["{", *lines, ' "tactics": {', *([body] if body else []), " }", "}", ""])


def _row(entry: TimingCacheEntry) -> dict[str, Any]:
    row: dict[str, Any] = {"tactic": hex_of(entry.tactic), "time_ms": _seven_digits(entry.time_ms)}
    if entry.kind:
        row["kind"] = entry.kind
    if entry.runner is not None:
        row["runner"] = f"0x{entry.runner:08x}"
    return row


def _seven_digits(value: float | None) -> float | None:
    """A time is a 32-bit number in caches."""
    return None if value is None else float(f"{value:.7g}")


def _document(data: bytes, where: str) -> dict[str, Any]:
    try:
        document = orjson.loads(data)
    except orjson.JSONDecodeError as error:
        unmerged = b"<<<<<<< " in data
        message = "the record contains conflict markers of a merge" if unmerged else f"not JSON: {error}"
        hint = "take one side, or merge the two: trex cache merge A B" if unmerged else _HINT
        raise TrexError(message, hint, f"{where}:{error.lineno}:{error.colno}") from error
    if not isinstance(document, dict) or document.get("schema") not in (SCHEMA, DOCUMENT_SCHEMA):
        schema = str(document.get("schema"))[:_LONGEST_TEXT] if isinstance(document, dict) else "none"
        raise TrexError(f"the record's schema is {schema!r}, not {SCHEMA!r}", _HINT, where)
    return document


def _keyed(tactics: Any, where: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for key, row in _mapping(tactics, where).items():
        yield key, _mapping(row, where)


def _listed(rows: Any, where: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if not isinstance(rows, list):
        raise TrexError("the record has no tactics", _HINT, where)
    items: Iterable[Any] = rows
    for row in items:
        yield str(_mapping(row, where).get("key")), row


def _mapping(value: Any, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TrexError("the record has no tactics", _HINT, where)
    return value


def _entry(key: str, row: Mapping[str, Any], where: str) -> TimingCacheEntry:
    tactic, time_ms, kind, runner = (row.get(name) for name in ("tactic", "time_ms", "kind", "runner"))
    if not _KEY.fullmatch(key):
        raise TrexError("a key is not 0x and 32 hexadecimal digits", _HINT, where, key)
    if not isinstance(tactic, str) or not _ID.fullmatch(tactic):
        raise TrexError("a tactic is not 0x and up to 16 hexadecimal digits", _HINT, where, f"{key}: {tactic}")
    last = runner.rpartition(" ")[2] if isinstance(runner, str) else ""  # of a document: name and id
    number = int(last, 16) if _ID.fullmatch(last) else None
    return TimingCacheEntry(key, int(tactic, 16), _milliseconds(time_ms), kind if kind in _KINDS else "", number)


def _milliseconds(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= _LARGEST_MS else None

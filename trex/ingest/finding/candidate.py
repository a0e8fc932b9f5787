"""Candidate: a file of a folder or archive, what it is, and the evidence that it belongs to an engine."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from trex.core.errors import EXCERPT_CHARS
from trex.core.note import Note
from trex.ingest.finding.file_kind import HEAD_BYTES, Kind, recognize
from trex.ingest.finding.file_names import Words, engine_words, stripped, suggested_slots
from trex.ingest.signature import is_wide_text
from trex.ingest.source import read_head
from trex.ingest.text import decode

# A name that promises layer information so plainly that a file without any is an error worth showing.
_GRAPH_NAME = re.compile(r"(?:\.graph|layer_?info)\.json(?:\.gz|\.zstd?)?\Z", re.IGNORECASE)
# Names under which nothing but an engine's facts, samples or logs are kept.
_OWN_NAME = re.compile(
    r"(?:(?<![a-z])(?:metadata|monitor)\.json|(?<![a-z])(?:build|profile|trtexec)\.log)(?:\.gz|\.zstd?)?\Z",
    re.IGNORECASE,
)
_JSON_NAME = re.compile(r"\.jsonl?(?:\.gz|\.zstd?)?\Z", re.IGNORECASE)
_RUN_FACTS = re.compile(rb'"(?:performance_summary|inference_options)"')
_BUILD_FACTS = re.compile(rb'"(?:build_options|model_options)"')
_LOADED = re.compile(rb"--loadEngine|\bFormat: \*|\] Engine loaded in|\] Loaded engine with size")
_BUILT = re.compile(
    rb"--(?:onnx|saveEngine|buildOnly|deploy|uff)\b|\bFormat: (?:ONNX|Caffe|UFF)\b|dead-layer|Init builder"
)

# Graph and profile are in execution order: the first names of one are among the first of the other.
_GRAPH_BYTES = 64 * HEAD_BYTES
_TIMED_NAMES = 200
_TEXT = rb'"([^"\\]{1,500}(?:\\.[^"\\]{0,500}){0,50}|(?:\\.[^"\\]{0,500}){1,50})"'
# A layer's name in a profile: in records, in iterations, before bare numbers. The first that occurs counts.
_TIMED = tuple(
    re.compile(pattern)
    for pattern in (
        rb'"name"\s{0,8}:\s{0,8}' + _TEXT,
        _TEXT + rb"\s{0,8}:\s{0,8}\[",
        _TEXT + rb"\s{0,8}:\s{0,8}\d",
    )
)
# Names of layers and tensors in a graph: in records, in the inspector's text, in a list of bare names.
_NAMED = (
    re.compile(rb'"Name"\s{0,8}:\s{0,8}' + _TEXT),
    re.compile(rb"^Name: (.{1,500}?), LayerType:", re.MULTILINE),
    re.compile(rb"^[ \t]*Layer \d{1,9} +\| (.{1,500}) \[Op: ", re.MULTILINE),
    re.compile(_TEXT),
)
_BETWEEN_WORDS = re.compile(r"[\s\"'=:,\\/<>|\[\](){}]+")
_FILE = re.compile(r"[^\x00-\x1f]{1,200}\.(?:json|engine|plan|trt|onnx|tea)(?:\.gz|\.zstd?)?", re.IGNORECASE)


@dataclass(frozen=True, eq=False)
class Candidate:
    """One recognized file.

    slot: its place in EngineFiles, "" for none. is_sure: by its content, not its name. opening: its first 200
    characters, if they say nothing. is_named: the user gave this very path. What the file contains beyond its head is
    read on first use, and only its start.
    """

    path: str
    name: str
    slot: str
    kind: Kind
    is_sure: bool = True
    is_empty: bool = False
    opening: str = ""
    is_named: bool = False

    @cached_property
    def words(self) -> Words:
        """The words of its name that distinguish engines."""
        return engine_words(self.name)

    @cached_property
    def stem(self) -> str:
        return stripped(self.name)

    @cached_property
    def layer_names(self) -> frozenset[bytes]:
        """Of a graph: names of its layers, and of its tensors."""
        head = _head(self.path, _GRAPH_BYTES)
        names: list[bytes] = next(filter(None, (pattern.findall(head) for pattern in _NAMED)), [])
        return frozenset(map(_unescaped, names))

    @cached_property
    def timed_names(self) -> frozenset[bytes]:
        """Of a profile: names of its first layers."""
        head = _head(self.path, HEAD_BYTES)
        pattern = next((pattern for pattern in _TIMED if pattern.search(head)), _TIMED[0])
        return frozenset(islice(map(_unescaped, (match[1] for match in pattern.finditer(head))), _TIMED_NAMES))

    @cached_property
    def mentions(self) -> dict[str, Words]:
        """Of a log or metadata: names, without folders, of engines, models and exports in its text, and their words."""
        words = _BETWEEN_WORDS.split(_head(self.path, HEAD_BYTES).decode("utf-8", "replace"))
        return {word: engine_words(word) for word in sorted(set(words)) if _FILE.fullmatch(word)}

    def timed_share(self, graph: Candidate) -> float | None:
        """The share of a profile's first layers that are in the graph, 0 to 1; None if the profile names none."""
        names = self.timed_names
        return sum(name in graph.layer_names for name in names) / len(names) if names else None


def candidate(path: str, name: str, head: bytes) -> Candidate:
    """The candidate whose first bytes are ``head``; if they say nothing, its name may suggest a slot."""
    kind = recognize(head, name)
    if kind is Kind.METADATA:
        slot = _metadata_slot(head, name)
    elif kind is Kind.LOG:
        slot = _log_slot(head, name)
    else:
        slot = kind.slot
    if kind is Kind.UNKNOWN and _GRAPH_NAME.search(name):
        return Candidate(path, name, "graph", kind, is_sure=False, is_empty=not head)
    opening = head[: 4 * EXCERPT_CHARS].decode("utf-8", "replace")[:EXCERPT_CHARS] if kind is Kind.UNKNOWN else ""
    return Candidate(path, name, slot, kind, is_empty=not head, opening=opening)


def unread_notes(files: Iterable[Candidate]) -> Iterator[Note]:
    """Notes on files that do not contain what their names promise."""
    for file in files:
        if file.is_empty:
            hint, severity = "a failed run leaves empty files: check its log", "problem" if file.slot else "warning"
            yield Note("empty-file", f"{file.name} is empty or unreadable", hint, file.path, severity)
        elif file.kind is Kind.UNKNOWN and _promises(file.name):
            message = f"{file.name} does not contain what its name says (it starts with {file.opening!r})"
            yield Note("unrecognized-file", message, "check it, or export it again", f"{file.path}:1:1")


def _promises(name: str) -> bool:
    """Whether a file of this name should be one of an engine's."""
    is_json = _JSON_NAME.search(name) is not None
    return (is_json and bool(suggested_slots(name) - {"build_log"})) or _OWN_NAME.search(name) is not None


def _metadata_slot(head: bytes, name: str) -> str:
    of_run, of_build = _RUN_FACTS.search(head) is not None, _BUILD_FACTS.search(head) is not None
    if of_run is of_build:
        of_build = "build_log" in suggested_slots(name)
    return "build_metadata" if of_build else "profile_metadata"


def _log_slot(head: bytes, name: str) -> str:
    loaded, built = _LOADED.search(head), _BUILT.search(head)
    if loaded and built:
        is_run = loaded.start() < built.start()
    elif loaded or built:
        is_run = loaded is not None
    else:
        is_run = "profile" in suggested_slots(name)
    return "profile_log" if is_run else "build_log"


def _head(path: str, size: int) -> bytes:
    head = read_head(path, size)
    return decode(head)[0].encode("utf-8", "replace") if is_wide_text(head) else head


def _unescaped(name: bytes) -> bytes:
    """The name without JSON's escapes, as trtexec writes it into a profile."""
    if b"\\" not in name:
        return name
    try:
        return str(json.loads(b'"%b"' % name, strict=False)).encode("utf-8", "replace")
    except ValueError:
        return name

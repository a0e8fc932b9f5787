"""Evidence: what the files of one folder say about one another — layers they share, files they name.

Each file is read once, only when it is asked about, and no further than its beginning.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice

from trex.ingest.finding.file_kind import HEAD_BYTES
from trex.ingest.finding.signature import is_wide_text
from trex.ingest.source import read_head
from trex.ingest.text import decode

# Graph and profile are in execution order: the names at the beginning of one are at the beginning of the other.
_GRAPH_BYTES = 64 * HEAD_BYTES
_NAMES = 200
FITTING = 0.5
"""Share of a profile's first layers from which on it is a graph's."""

_TEXT = rb'"([^"\\]{1,500}(?:\\.[^"\\]{0,500}){0,50}|(?:\\.[^"\\]{0,500}){1,50})"'
# What precedes or follows a layer's name: in records, in iterations, in pairs, in bare numbers. The first found counts.
_TIMED = tuple(
    re.compile(pattern)
    for pattern in (
        rb'"name"\s{0,8}:\s{0,8}' + _TEXT,
        _TEXT + rb"\s{0,8}:\s{0,8}\[",
        rb"\[\s{0,8}" + _TEXT + rb"\s{0,8},\s{0,8}\d",
        _TEXT + rb"\s{0,8}:\s{0,8}\d",
    )
)
_NAMED = re.compile(rb'"Name"\s{0,8}:\s{0,8}' + _TEXT)
_PRINTED = re.compile(rb"^Name: (.{1,500}?), LayerType:", re.MULTILINE)
_ANY_TEXT = re.compile(_TEXT)
_BETWEEN_WORDS = re.compile(r"[\s\"'=:,\\/<>|\[\](){}]+")
_FILE = re.compile(r"[^\x00-\x1f]{1,200}\.(?:json|engine|plan|trt|onnx|tea)(?:\.gz|\.zstd?)?", re.IGNORECASE)


class Evidence:
    """What was read so far."""

    def __init__(self) -> None:
        self._layers: dict[str, frozenset[bytes]] = {}
        self._timed: dict[str, tuple[bytes, ...]] = {}
        self._files: dict[str, frozenset[str]] = {}

    def shared(self, graph: str, profile: str) -> float | None:
        """The share of a profile's first layers that are the graph's, 0 to 1; None when the profile names none."""
        names = self._timed.get(profile)
        if names is None:
            names = self._timed[profile] = tuple(dict.fromkeys(islice(_timed(_head(profile, HEAD_BYTES)), _NAMES)))
        if not names:
            return None
        layers = self._layers.get(graph)
        if layers is None:
            layers = self._layers[graph] = _layers(_head(graph, _GRAPH_BYTES))
        return sum(name in layers for name in names) / len(names)

    def fits(self, graph: str, profile: str) -> bool:
        """True when at least half of the profile's first layers are the graph's."""
        return (self.shared(graph, profile) or 0.0) >= FITTING

    def files_named_in(self, path: str) -> frozenset[str]:
        """Names of the engines, models and exports, without their folders, of which a log or metadata speaks."""
        found = self._files.get(path)
        if found is None:
            words = _BETWEEN_WORDS.split(_head(path, HEAD_BYTES).decode("utf-8", "replace"))
            found = self._files[path] = frozenset(word for word in words if _FILE.fullmatch(word))
        return found


def _head(path: str, size: int) -> bytes:
    head = read_head(path, size)
    return decode(head)[0].encode("utf-8", "replace") if is_wide_text(head) else head


def _timed(head: bytes) -> Iterator[bytes]:
    pattern = next((pattern for pattern in _TIMED if pattern.search(head)), _TIMED[0])
    return (_plain(match[1]) for match in pattern.finditer(head))


def _layers(head: bytes) -> frozenset[bytes]:
    """Names of layers and of tensors, which cannot be told apart this cheaply; all texts of a file of bare names."""
    names = _NAMED.findall(head) or _PRINTED.findall(head) or _ANY_TEXT.findall(head)
    return frozenset(map(_plain, names))


def _plain(name: bytes) -> bytes:
    """The name without JSON's escapes, as trtexec writes it into a profile."""
    if b"\\" not in name:
        return name
    try:
        return str(json.loads(b'"%b"' % name, strict=False)).encode("utf-8", "replace")
    except ValueError:
        return name

"""Families of monsters, and the doors that each is to go through."""

from __future__ import annotations

from tests.fuzz import doors
from tests.fuzz import monsters as make

FAMILIES: tuple[tuple[str, dict[str, make.Maker], tuple[doors.Door, ...]], ...] = (
    ("json", make.JSON_TEXTS, (doors.graph, doors.profile, doors.timing, doors.metadata, doors.texts)),
    ("graph", make.GRAPHS, (doors.graph,)),
    ("profile", make.PROFILES, (doors.profile,)),
    ("timing", make.TIMINGS, (doors.timing,)),
    ("metadata", make.METADATAS, (doors.metadata,)),
    ("log", make.LOGS, (doors.log, doors.graph_or_text)),
    ("archive", make.ARCHIVES, (doors.archive,)),
    ("compressed", make.COMPRESSED, (doors.compressed,)),
    ("words", {text: make.repeated(text) for text in (*make.NAMES, *make.METADATA, *make.TACTICS)}, (doors.words,)),
)

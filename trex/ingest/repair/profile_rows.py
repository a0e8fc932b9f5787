"""Text of a profile that is not valid JSON → raw records, row by row.

trtexec prints layer names without escaping them, and ``nan`` where there was nothing to divide; both break parsers.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

import orjson

from trex.core.counted import counted
from trex.core.note import Note
from trex.ingest.text import address_in

ROW = re.compile(r'\{\s*"name"\s*:\s*"')

_COUNT = re.compile(r'\{\s*"count"\s*:\s*"?([^\s,"}]+)')
_FIELD = re.compile(r'"([A-Za-z_][A-Za-z0-9_ ]{0,63})"\s*:\s*(?:"([^"]*)"|([^\s,"}\]]+))')
_TIME = '"timeMs"'


@dataclass(frozen=True, slots=True)
class ProfileRows:
    """records: as a JSON parser would give them, except that numbers it does not know (``nan``) stay text."""

    records: list[dict[str, Any]]
    notes: tuple[Note, ...]


def has_rows(text: str) -> bool:
    """True when the text holds something that begins like a profile record."""
    return ROW.search(text) is not None


def read_rows(text: str, where: str) -> ProfileRows:
    """The whole rows of a profile's text; rows that cannot be read are counted in Notes.

    A row's name is everything up to the last ``"timeMs"`` of the row. When one name in the file cannot have been
    escaped (it holds a bare quote, say), no name in it was, and backslashes are taken as they stand.
    """
    notes: list[Note] = []
    records: list[dict[str, Any]] = []
    counts = list(_COUNT.finditer(text))
    end_of_text = len(text)
    if counts:
        records.append({"count": counts[0][1]})
        if len(counts) > 1:
            end_of_text = counts[1].start()
            notes.append(
                Note(
                    "profile-second-run",
                    f"the file holds {len(counts)} profiles one after the other; the first was read",
                    where=address_in(text, end_of_text, where),
                )
            )
    openings = [match.span() for match in ROW.finditer(text, 0, end_of_text)]
    ends = [*(start for start, _ in openings[1:]), end_of_text]
    rows = [_Row(text, name_start, start, end) for (start, name_start), end in zip(openings, ends)]
    unescaped = any(row.is_unescaped for row in rows)
    bad = 0
    first_bad = -1
    for row in rows:
        record = row.record(unescaped)
        if record is not None:
            records.append(record)
        elif row is not rows[-1]:
            bad += 1
            first_bad = row.start if first_bad < 0 else first_bad
    if unescaped:
        notes.append(
            Note(
                "profile-names-unescaped",
                "layer names are not escaped in this profile, as trtexec writes them; they were read row by row",
                where=where,
                severity="info",
            )
        )
    if bad:
        notes.append(
            Note(
                "profile-rows-unreadable",
                f"{bad} of {counted(len(rows), 'profile row')} could not be read",
                where=address_in(text, first_bad, where),
                severity="problem",
            )
        )
    notes.extend(_truncation(text, rows, len(counts) > 1, where))
    return ProfileRows(records, tuple(notes))


def _truncation(text: str, rows: list[_Row], has_second: bool, where: str) -> list[Note]:
    if not rows or has_second:
        return []
    whole = len(rows) - (not rows[-1].is_whole)
    if whole < len(rows):
        message = f"the file ends in the middle of a row; kept before it: {counted(whole, 'whole row')}"
    elif not text.rstrip().endswith("]"):
        message = f"the file ends without its closing bracket; kept: {counted(whole, 'row')}"
    else:
        return []
    address = address_in(text, rows[-1].start, where)
    return [Note("profile-truncated", message, "export the profile again to get all rows", address, "problem")]


class _Row:
    """One row's text, taken apart without trusting its name.

    name: what stands between the quotes around it, None when there is no such place. parsed: the row as JSON, where
    the name leaves doubt about its end and the row is JSON all the same.
    """

    __slots__ = ("fields", "name", "parsed", "start")

    def __init__(self, text: str, name_start: int, start: int, end: int) -> None:
        self.start = start
        self.name: str | None = None
        self.fields = ""
        self.parsed: dict[str, Any] | None = None
        close = text.rfind("}", start, end) + 1
        time = text.rfind(_TIME, name_start, close)
        if time >= 0:
            head = text[name_start:time].rstrip()
            if head.endswith(","):
                head = head[:-1].rstrip()
                if head.endswith('"'):
                    self.name = head[:-1]
                    self.fields = text[time:close]
        if self.name is None or '"' in self.name or "\\" in self.name:
            self.parsed = _object(text[start:close])

    @property
    def is_whole(self) -> bool:
        return self.parsed is not None or self.name is not None

    @property
    def is_unescaped(self) -> bool:
        """True when the name cannot be the inside of a JSON string."""
        return self.parsed is None and self.name is not None and _unescape(self.name) is None

    def record(self, unescaped: bool) -> dict[str, Any] | None:
        """The row as a record, None when it cannot be read. unescaped: names of this file stand as they are."""
        if self.parsed is not None and not (unescaped and self.name is not None and "\\" in self.name):
            return self.parsed
        if self.name is None:
            return None
        fields = _object("{" + self.fields)
        if fields is None:
            fields = {key: quoted or bare for key, quoted, bare in _FIELD.findall(self.fields)}
        return {"name": self.name if unescaped else _unescape(self.name), **fields}


def _object(text: str) -> dict[str, Any] | None:
    try:
        parsed = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return parsed if isinstance(parsed, dict) else None


def _unescape(name: str) -> str | None:
    """The text that a JSON string's inside stands for, None when it is no such thing; control characters may be raw."""
    if "\\" not in name and '"' not in name:
        return name
    try:
        value = json.loads(f'"{name}"', strict=False)
    except ValueError:
        return None
    return value if isinstance(value, str) else None

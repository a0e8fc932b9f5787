"""Files that ``manifest.json`` of ``trex process`` records → a Note on those that something else wrote since."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from trex.core.note import Note
from trex.core.printable import printable
from trex.core.regular_file import read_regular

REPLACED = "not-as-recorded"
_LARGEST_HASHED = 64 << 20
_LISTED = 4
_HINT = "keep the files of one run together, or run it again: trex process MODEL --force"


@dataclass(frozen=True, slots=True)
class RecordedFile:
    """An output of a stage as it was written. modified_ns: nanoseconds since 1970."""

    size_bytes: int
    modified_ns: int
    sha256: str


Recorded = Mapping[str, tuple[RecordedFile, ...]]
"""{file name: what the stages wrote under it}: a profile may write the build's graph anew."""


def recorded_files(engines: Iterable[Mapping[str, Any]]) -> Recorded:
    """engines: of a manifest. Their paths are relative to where ``trex process`` ran: the names alone count."""
    recorded: dict[str, tuple[RecordedFile, ...]] = {}
    for engine in engines:
        for stage in engine["stages"]:
            for record in stage.get("outputs", {}).values():
                name = re.split(r"[/\\]", str(record["path"]))[-1]
                file = RecordedFile(int(record["size_bytes"]), int(record["modified_ns"]), str(record["sha256"]))
                recorded[name] = (*recorded.get(name, ()), file)
    return recorded


def replaced(names: Mapping[str, str], recorded: Recorded, sizes: Mapping[str, int], where: str) -> Note | None:
    """names: {path or address: name of the file}. sizes: of files that are compared by size alone. where: the manifest.

    A copy has another time: then the content is compared, but not of files beyond 64 MiB, which are believed.
    """
    differences = {
        printable(name): difference
        for path, name in names.items()
        if name in recorded and (difference := _difference(path, recorded[name], sizes.get(path)))
    }
    if not differences:
        return None
    if len(differences) == 1:
        ((name, difference),) = differences.items()
        what, words = f"{name} is not the one", difference
    else:
        words = ", ".join(f"{name} ({difference})" for name, difference in [*differences.items()][:_LISTED])
        what = f"{len(differences)} files are not those"
    return Note(REPLACED, ": ".join((f"{what} that trex process wrote", words)), _HINT, where)


def _difference(path: str, records: tuple[RecordedFile, ...], size: int | None) -> str:
    """In words; "" for none, or if the file can't be read: whoever reads it says so."""
    with suppress(OSError):
        stat = os.stat(path) if size is None else None  # noqa: PTH116
        actual = size if stat is None else stat.st_size
        fitting = [record for record in records if record.size_bytes == actual]
        if not fitting:
            return f"{actual:,} bytes, not {records[-1].size_bytes:,}"
        if stat is None or stat.st_size > _LARGEST_HASHED:
            return ""
        if stat.st_mtime_ns in {record.modified_ns for record in fitting}:
            return ""
        digest = _sha256(path, stat.st_mtime_ns, stat.st_size, stat.st_ino)
        return "" if digest in {record.sha256 for record in fitting} else "other content of the same size"
    return ""


@lru_cache(maxsize=4096)
def _sha256(path: str, *state: int) -> str:
    """state: of the file."""
    return hashlib.sha256(read_regular(path, _LARGEST_HASHED)).hexdigest()

"""Metadata files that old notebooks name: as in TREx, one that does not exist is read as empty, with a Note."""

from __future__ import annotations

import os

from trex.core.note import Note
from trex.ingest.opening import missing_file, split_address


def if_present(path: str | None, notes: list[Note]) -> str | None:
    """The path; None, and a Note, if it names neither a file nor a member of an archive."""
    if path is None or os.path.lexists(path) or split_address(path):
        return path
    error = missing_file(path)
    notes.append(Note("no-metadata-file", "there is no such metadata file; its facts are missing", error.hint, path))
    return None

"""Address → an open regular file, or an error that says what is there instead."""

from __future__ import annotations

import os
import stat
from io import BufferedReader
from itertools import islice
from pathlib import Path

from trex.core.errors import TrexError
from trex.core.near_names import near_names
from trex.core.read_files import remember_read
from trex.ingest.confinement import may_read, refuse_outside

MEMBER_MARK = "!"

_LISTED_NAMES = 2000


def open_file(address: str, is_input: bool = True) -> BufferedReader:
    """A regular file, opened for reading; TrexError for anything else, and for one outside of ``confined`` folders.

    is_input: no output may replace it.
    """
    refuse_outside(address)
    try:
        status = os.stat(address)  # noqa: PTH116 (Path() would rewrite the address the user gave)
        if stat.S_ISDIR(status.st_mode):
            raise TrexError("this is a folder, not a file", "give the path of a file in it", address)
        if not stat.S_ISREG(status.st_mode):
            raise TrexError("this is a device or a pipe, not a regular file", "save its content to a file", address)
        if is_input:
            remember_read(status)
        # Without blocking: the file may have become a pipe in the meantime, which would wait for a writer.
        return open(address, "rb", opener=lambda path, flags: os.open(path, flags | getattr(os, "O_NONBLOCK", 0)))
    except FileNotFoundError:
        raise missing_file(address) from None
    except (OSError, ValueError) as error:
        raise unreadable(address, error) from error


def unreadable(address: str, error: Exception) -> TrexError:
    reason = getattr(error, "strerror", None) or str(error)
    return TrexError(f"the file cannot be read: {reason}", "check its name and its permissions", address)


def split_address(address: str) -> tuple[str, str] | None:
    """(archive, member) of ``archive.tea!member`` if that archive is a file; None for any other path."""
    if MEMBER_MARK not in address or os.path.lexists(address):
        return None
    parts = address.split(MEMBER_MARK, 64)
    # The archive's own path may contain the mark: the first split that names a file counts.
    for count in range(1, len(parts)):
        archive, member = MEMBER_MARK.join(parts[:count]), MEMBER_MARK.join(parts[count:])
        if member and archive and Path(archive).is_file():
            return archive, member
    return None


def joined_address(archive: str, member: str) -> str:
    """``archive.tea!member``."""
    return f"{archive}{MEMBER_MARK}{member}"


def missing_file(address: str) -> TrexError:
    """The error for a path that does not exist; suggests names that do, nearest first."""
    path = Path(address)
    wanted, folder = path.name, path.parent
    while not os.path.isdir(folder) and folder != folder.parent:  # noqa: PTH112 (Path.is_dir() raises for long names)
        wanted, folder = folder.name, folder.parent
    hint = f"the folder {path.parent} does not exist" if folder != path.parent else f"list the files in {folder}"
    if may_read(str(folder)) and (names := near_names(wanted, _names_in(folder), 3)):
        hint = f"did you mean {' or '.join(str(folder / name) for name in names)}?"
    return TrexError("no such file or folder", hint, address)


def empty_file(address: str) -> TrexError:
    return TrexError("the file is empty", "a failed run leaves empty files: check its log and export again", address)


def _names_in(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in islice(entries, _LISTED_NAMES)]
    except (OSError, ValueError):
        return []

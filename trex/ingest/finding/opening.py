"""Address → an open file: regular files only, and errors that say what is there instead."""

from __future__ import annotations

import difflib
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from trex.core.errors import TrexError
from trex.core.note import Note

MEMBER_MARK = "!"

_LISTED_NAMES = 2000


@dataclass(frozen=True, slots=True)
class Source:
    """The content of one file. path: as the user wrote it, ``archive.tea!member`` inside an archive.

    data: uncompressed bytes. notes: what happened on the way.
    """

    path: str
    data: bytes
    notes: tuple[Note, ...] = ()


def open_file(address: str) -> BinaryIO:
    """A regular file, opened for reading; TrexError for anything else."""
    try:
        mode = os.stat(address).st_mode  # noqa: PTH116 (Path() would rewrite the address the user gave)
    except FileNotFoundError:
        raise missing_file(address) from None
    except (OSError, ValueError) as error:
        raise unreadable(address, error) from error
    if stat.S_ISDIR(mode):
        raise TrexError("this is a folder, not a file", "give the path of a file in it", address)
    if not stat.S_ISREG(mode):
        # A pipe without a writer would wait for ever.
        raise TrexError("this is a device or a pipe, not a regular file", "save its content to a file first", address)
    try:
        return open(address, "rb", opener=_opened_at_once)
    except OSError as error:
        raise unreadable(address, error) from error


def _opened_at_once(address: str, flags: int) -> int:
    # A pipe put in the file's place since, or a file of the kernel's that speaks only when something happens.
    return os.open(address, flags | getattr(os, "O_NONBLOCK", 0))


def unreadable(address: str, error: Exception) -> TrexError:
    reason = getattr(error, "strerror", None) or str(error)
    return TrexError(f"the file cannot be read: {reason}", "check its name and its permissions", address)


def split_address(address: str) -> tuple[str, str] | None:
    """(archive, member) of ``archive.tea!member`` when that archive is a file; None for any other path."""
    if MEMBER_MARK not in address or os.path.lexists(address):
        return None
    # The archive's own path may hold the mark too: the first split that names a file counts.
    for position in islice(_positions(address, MEMBER_MARK), 64):
        archive, member = address[:position], address[position + 1 :]
        if member and archive and Path(archive).is_file():
            return archive, member
    return None


def joined_address(archive: str, member: str) -> str:
    """``archive.tea!member``."""
    return f"{archive}{MEMBER_MARK}{member}"


def missing_file(address: str) -> TrexError:
    """The error for a path that does not exist: suggests names that do, nearest first."""
    path = Path(address)
    folder = path.parent
    wanted = path.name
    while not _is_folder(folder) and folder != folder.parent:
        wanted, folder = folder.name, folder.parent
    names = difflib.get_close_matches(wanted, _names_in(folder), n=3, cutoff=0.6)
    if names:
        hint = "did you mean " + " or ".join(str(folder / name) for name in names) + "?"
    elif folder != path.parent:
        hint = f"the folder {path.parent} does not exist"
    else:
        hint = f"look at what is in {folder}"
    return TrexError("there is no such file or folder", hint, address)


def empty_file(address: str) -> TrexError:
    return TrexError(
        "the file is empty", "a run that failed leaves empty files: look at its log and export again", address
    )


def nearest(name: str, names: Iterable[str]) -> str:
    """`` did you mean …?`` for a name among names, "" when none is near."""
    found = difflib.get_close_matches(name, list(islice(names, _LISTED_NAMES)), n=3, cutoff=0.6)
    return f"did you mean {' or '.join(found)}?" if found else ""


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def _names_in(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in islice(entries, _LISTED_NAMES)]
    except (OSError, ValueError):
        return []


def _positions(text: str, mark: str) -> Iterator[int]:
    position = text.find(mark)
    while position >= 0:
        yield position
        position = text.find(mark, position + 1)

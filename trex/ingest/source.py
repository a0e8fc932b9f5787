"""Path → Source: the bytes of one file, uncompressed within bounds; and bytes → text, whatever their encoding."""

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
from trex.ingest.finding.decompression import MAX_BYTES, is_compressed, uncompressed
from trex.ingest.finding.signature import is_wide_text

MEMBER_MARK = "!"

_UTF8_MARK = b"\xef\xbb\xbf"
_LISTED_NAMES = 2000


@dataclass(frozen=True, slots=True)
class Source:
    """The content of one file. path: as the user wrote it, ``archive.tea!member`` inside an archive.

    data: uncompressed bytes. notes: what happened on the way.
    """

    path: str
    data: bytes
    notes: tuple[Note, ...] = ()


def read_source(path: str | os.PathLike[str]) -> Source:
    """Reads a file, or a member of an archive addressed as ``archive.tea!member``; gzip and zstd are uncompressed.

    Writes nothing. Raises TrexError for what is missing, unreadable, empty, no regular file, or expands beyond
    4 GiB or a thousand times its size.
    """
    address = os.fspath(path)
    member = split_address(address)
    if member is not None:
        from trex.ingest.finding.archive import read_member

        return read_member(*member)
    try:
        with open_file(address) as file:
            size = os.fstat(file.fileno()).st_size
            if size > MAX_BYTES:
                raise TrexError(f"the file holds {size} bytes, more than the {MAX_BYTES} read at most", where=address)
            data = file.read()
    except OSError as error:
        raise _unreadable(address, error) from error
    if not data:
        raise empty_file(address)
    if not is_compressed(data):
        return Source(address, data)
    plain, notes = uncompressed(data, address)
    if not plain:
        raise empty_file(address)
    return Source(address, plain, notes)


def read_head(path: str | os.PathLike[str], size: int) -> bytes:
    """The first ``size`` bytes of a file, uncompressed; empty when it cannot be read or uncompressed."""
    address = os.fspath(path)
    try:
        with open_file(address) as file:
            data = file.read(size)
    except (OSError, TrexError):
        return b""
    if not is_compressed(data):
        return data
    try:
        return uncompressed(data, address, limit=size)[0][:size]
    except TrexError:
        return b""


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


def decode(data: bytes, where: str = "") -> tuple[str, tuple[Note, ...]]:
    """The text in bytes of UTF-8, UTF-16 or UTF-32 (with or without a mark), and Notes about what was not valid.

    Invalid bytes become U+FFFD; a Note counts them and says where the first one is.
    """
    encoding, skipped = _encoding_of(data)
    body = data[skipped:] if skipped else data
    try:
        return body.decode(encoding), ()
    except UnicodeDecodeError as error:
        first = error
    text = body.decode(encoding, "replace")
    # Up to the first invalid byte both decodings agree, so its place in the text is the length of what was valid.
    place = len(body[: first.start].decode(encoding, "replace"))
    valid = body.count("\ufffd".encode(encoding))
    count = max(1, text.count("\ufffd") - valid)
    note = Note(
        "invalid-text",
        f"{count} {'place' if count == 1 else 'places'} held bytes that are not valid {encoding.upper()}; "
        f"each was replaced by U+FFFD",
        "the file may have been cut, or its layer names written in another encoding",
        address_in(text, place, where),
    )
    return text, (note,)


def address_in(text: str, position: int, where: str) -> str:
    """``file:line:column`` (both from 1) of a position in a text."""
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return f"{where}:{line}:{column}" if where else f"{line}:{column}"


def _encoding_of(data: bytes) -> tuple[str, int]:
    """(codec, length of the byte order mark)."""
    if data.startswith(_UTF8_MARK):
        return "utf-8", 3
    if data.startswith((b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")):
        return ("utf-32-le" if data[0] == 0xFF else "utf-32-be"), 4
    if data.startswith(b"\xff\xfe"):
        return "utf-16-le", 2
    if data.startswith(b"\xfe\xff"):
        return "utf-16-be", 2
    if b"\x00" in data[:64] and is_wide_text(data[:64]):
        return ("utf-16-be" if data[0] == 0 else "utf-16-le"), 0
    return "utf-8", 0


def open_file(address: str) -> BinaryIO:
    """A regular file, opened for reading; TrexError for anything else."""
    try:
        mode = os.stat(address).st_mode  # noqa: PTH116 (Path() would rewrite the address the user gave)
    except FileNotFoundError:
        raise missing_file(address) from None
    except (OSError, ValueError) as error:
        raise _unreadable(address, error) from error
    if stat.S_ISDIR(mode):
        raise TrexError("this is a folder, not a file", "give the path of a file in it", address)
    if not stat.S_ISREG(mode):
        # A pipe without a writer would wait for ever.
        raise TrexError("this is a device or a pipe, not a regular file", "save its content to a file first", address)
    try:
        return open(address, "rb")  # noqa: PTH123
    except OSError as error:
        raise _unreadable(address, error) from error


def _unreadable(address: str, error: Exception) -> TrexError:
    reason = getattr(error, "strerror", None) or str(error)
    return TrexError(f"the file cannot be read: {reason}", "check its name and its permissions", address)


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


def joined_address(archive: str, member: str) -> str:
    """``archive.tea!member``."""
    return f"{archive}{MEMBER_MARK}{member}"


def nearest(name: str, names: Iterable[str]) -> str:
    """`` did you mean …?`` for a name among names, "" when none is near."""
    found = difflib.get_close_matches(name, list(islice(names, _LISTED_NAMES)), n=3, cutoff=0.6)
    return f"did you mean {' or '.join(found)}?" if found else ""

"""Engine archive (``.tea``, a zip) → its members, read in memory and within bounds."""

from __future__ import annotations

import os
import re
import struct
import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import IO, cast

from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.core.note import Note
from trex.ingest.opening import joined_address, open_file
from trex.ingest.plain_blocks import check_ratio, plain_blocks
from trex.ingest.signature import COMPRESSED_MAGICS

MAX_MEMBERS = 1000
_LISTED_BYTES = 4096
"""Of a member in the archive's list: 46 and its name, most paths of Linux."""
_END_BYTES = (1 << 16) + 22 + 20 + 56
"""The end of the list with the longest comment, and the locator and record of a zip64's."""
_IN_ZIP64 = 0xFFFFFFFF
UNREAD_MEMBER = "member-not-read"

_PIECE = 1 << 20
_ENCRYPTED = 0x1
# A few bytes of any other method may expand without bound before they can be counted.
_BOUNDED_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DRIVE = re.compile(r"[A-Za-z]:")
# What zipfile and zlib raise for a damaged file.
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError, IndexError, KeyError,
    OverflowError, OSError,
)  # fmt: skip


class MemberFile:
    """An open member, to be read once, front to back and within bounds."""

    def __init__(self, file: zipfile.ZipExtFile, archive_size: int, address: str) -> None:
        self._file = file
        self._archive_size = archive_size
        self._address = address
        self._size = 0

    def read(self, size: int = -1, /) -> bytes:
        """Raises TrexError for a damaged member, and for one that expands beyond a hundred times the archive."""
        try:
            block = self._file.read(size)
        except _DAMAGE as error:
            raise _damaged(self._address, error) from error
        self._size += len(block)
        check_ratio(self._size, self._archive_size, self._address)
        return block

    def peek(self, size: int = 0, /) -> bytes:
        try:
            return self._file.peek(size)
        except _DAMAGE as error:
            raise _damaged(self._address, error) from error


@dataclass(frozen=True)
class OpenArchive:
    """infos: its members, binaries included, without the unread ones, which ``notes`` report. size: in bytes."""

    path: str
    size: int
    infos: tuple[zipfile.ZipInfo, ...]
    notes: tuple[Note, ...]
    file: zipfile.ZipFile

    def find(self, member: str) -> zipfile.ZipInfo:
        """Raises TrexError for an unknown name, with similar ones."""
        infos = {info.filename: info for info in self.infos}
        if member not in infos:
            hint = did_you_mean(member, infos, f"it contains {', '.join(list(infos)[:8]) or 'nothing'}")
            raise TrexError("the archive has no such member", hint, joined_address(self.path, member))
        return infos[member]

    def open(self, info: zipfile.ZipInfo) -> MemberFile:
        address = joined_address(self.path, info.filename)
        if info.flag_bits & _ENCRYPTED:
            raise TrexError("the member is encrypted", "unpack the archive with its password first", address)
        if info.compress_type not in _BOUNDED_METHODS:
            message = "the member is compressed with an unsupported method"
            raise TrexError(message, "pack it again with deflate", address)
        try:
            return MemberFile(cast(zipfile.ZipExtFile, self.file.open(info)), self.size, address)
        except _DAMAGE as error:
            raise _damaged(address, error) from error

    def head(self, info: zipfile.ZipInfo, size: int) -> bytes:
        """The first bytes of a member, uncompressed as far as they can be."""
        blocks = plain_blocks(self.open(info), self.size, joined_address(self.path, info.filename), [])
        head = bytearray()
        while len(head) < size and (block := next(blocks, b"")):
            head += block
        return bytes(head[:size])


@dataclass
class Expansion:
    """Bytes that an archive's members expand to, together."""

    archive: OpenArchive
    size: int = 0

    def add(self, size: int) -> None:
        """Raises TrexError beyond a hundred times the archive."""
        self.size += size
        check_ratio(self.size, self.archive.size, self.archive.path)

    def add_member(self, info: zipfile.ZipInfo) -> None:
        """Adds all of a member, and what that expands to if it is compressed itself."""
        self.add(info.file_size)  # zipfile reads no more
        for size in self._packed_sizes(info):
            self.add(size)

    def _packed_sizes(self, info: zipfile.ZipInfo) -> Iterator[int]:
        """Of each block, up to a damage, which whoever reads the member reports."""
        with suppress(TrexError):
            file = self.archive.open(info)
            if file.peek(64).startswith(COMPRESSED_MAGICS):
                yield from map(len, plain_blocks(file, sys.maxsize, self.archive.path, []))


@contextmanager
def open_archive(path: str) -> Iterator[OpenArchive]:
    """Raises TrexError for a file that is not a zip, is damaged, or has more members than an engine."""
    with open_file(path) as raw:
        try:
            _require_short_directory(raw, path)
            file = zipfile.ZipFile(raw)
        except _DAMAGE as error:
            raise _damaged(path, error) from error
        with file:
            infos, notes = _safe_members(file.infolist(), path)
            yield OpenArchive(path, os.fstat(raw.fileno()).st_size, infos, notes, file)


def _require_short_directory(file: IO[bytes], path: str) -> None:
    """Before zipfile reads the list of members into memory, which takes ten times its bytes. Source: PKWARE APPNOTE,
    4.3.14 to 4.3.16.
    """
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _END_BYTES))
    tail = file.read(_END_BYTES)
    at = tail.rfind(b"PK\5\6")
    listed = struct.unpack_from("<I", tail, at + 12)[0] if at >= 0 and at + 22 <= len(tail) else 0
    if listed == _IN_ZIP64:
        listed = 0
    if at >= 76 and tail[at - 20 : at - 16] == b"PK\6\7" and tail[at - 76 : at - 72] == b"PK\6\6":
        listed = struct.unpack_from("<Q", tail, at - 36)[0]
    file.seek(0)
    if listed > MAX_MEMBERS * _LISTED_BYTES:
        message = f"the archive's list of members takes {listed / (1 << 20):,.0f} MiB: more than {MAX_MEMBERS} members"
        raise TrexError(message, "unpack it, and give the folder", path)


def archive_infos(path: str) -> tuple[tuple[zipfile.ZipInfo, ...], tuple[Note, ...]]:
    """Every member, binaries included, and Notes about those left out."""
    with open_archive(path) as archive:
        return archive.infos, archive.notes


def members_in_pieces(path: str, infos: Iterable[zipfile.ZipInfo]) -> Iterator[tuple[zipfile.ZipInfo, Iterator[bytes]]]:
    """(member, its stored bytes, a piece at a time), to be read in that order."""
    with open_archive(path) as archive:
        for info in infos:
            file = archive.open(info)
            yield info, iter(partial(file.read, _PIECE), b"")


def unread_member(error: TrexError) -> Note:
    """For a member that an engine can be read without."""
    member = error.where.partition("!")[2] or error.where
    return Note(UNREAD_MEMBER, f"{member} was left out: {error.message}", error.hint, error.where, "problem")


def leads_outside(name: str) -> bool:
    """True for a member's name that would be unpacked outside the destination folder."""
    parts = re.split(r"[/\\]", name)
    return ".." in parts or not parts[0] or bool(_DRIVE.match(name)) or "\x00" in name


def _safe_members(infos: list[zipfile.ZipInfo], path: str) -> tuple[tuple[zipfile.ZipInfo, ...], tuple[Note, ...]]:
    if len(infos) > MAX_MEMBERS:
        message = f"the archive has {len(infos)} members, more than the {MAX_MEMBERS} read at most"
        raise TrexError(message, "check that this is an engine archive", path)
    files = [info for info in infos if not info.filename.endswith("/")]  # is_dir() of Python 3.10 fails for no name
    unsafe = [info.filename for info in files if leads_outside(info.filename)]
    refused = frozenset(unsafe)
    members = {info.filename: info for info in files if info.filename not in refused}
    notes = []
    if unsafe:
        what = counted(len(unsafe), "member")
        message = f"{what} left out: names that lead out of the archive ({unsafe[0][:100]!r})"
        notes.append(Note("unsafe-member", message, "be careful with the source of this archive", path))
    if (repeats := len(files) - len(unsafe) - len(members)) > 0:
        names = Counter(info.filename for info in files)
        first = next(name for name, count in names.items() if count > 1)
        what = counted(repeats, "member is", "members are")
        notes.append(Note("repeated-member", f"{what} stored twice ({first[:100]!r}); the last is read", "", path))
    return tuple(members.values()), tuple(notes)


def _damaged(where: str, error: Exception) -> TrexError:
    reason = str(error) or type(error).__name__
    return TrexError(f"the archive cannot be read: {reason}"[:300], "copy or create the archive again", where)

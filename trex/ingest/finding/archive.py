"""Engine archive (``.tea``, a zip) → Sources: its members, read in memory and within bounds."""

from __future__ import annotations

import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import IO

from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.ingest.finding.decompression import check_bounds, check_ratio, collected, is_compressed, uncompressed
from trex.ingest.finding.opening import Source, empty_file, joined_address, nearest, open_file
from trex.ingest.finding.signature import signature_of

MAX_MEMBERS = 1000
UNREAD_MEMBER = "member-not-read"

_PIECE = 1 << 20
_SNIFFED_BYTES = 4096
_ENCRYPTED = 0x1
# Of the other methods a few bytes may expand without any bound before they can be counted.
_BOUNDED_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DRIVE = re.compile(r"[A-Za-z]:")
# What zipfile and the decompressors raise for a damaged file, beside their own errors.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    IndexError,
    KeyError,
    OverflowError,
    OSError,
)


def archive_members(path: str | os.PathLike[str]) -> tuple[Source, ...]:
    """The text members of an archive (JSON, logs), in its order; serialized engines and other binaries are left out.

    Members whose names lead out of the archive are left out with a Note on the first Source. Raises TrexError for what
    is no zip, damaged or encrypted, and for one that expands beyond 4 GiB or a thousand times its size.
    """
    archive = os.fspath(path)
    sources: list[Source] = []
    with _opened(archive) as opened:
        members, notes = _members(opened, archive)
        size = _size_of(archive)
        total = 0
        for info in members:
            address = joined_address(archive, info.filename)
            if not _is_text(_head(opened, info, address, _SNIFFED_BYTES)):
                continue
            source = _read(opened, info, address, size)
            total += len(source.data)
            check_bounds(total, size, archive)
            sources.append(source)
    if notes and sources:
        sources[0] = Source(sources[0].path, sources[0].data, (*notes, *sources[0].notes))
    return tuple(sources)


def archive_heads(path: str | os.PathLike[str], size: int) -> tuple[list[tuple[str, bytes]], tuple[Note, ...]]:
    """(member's name, its first ``size`` bytes, uncompressed) of every member, and Notes about those left out:
    names that lead out of the archive, and members that cannot be read."""
    archive = os.fspath(path)
    with _opened(archive) as opened:
        members, notes = _members(opened, archive)
        heads = []
        for info in members:
            address = joined_address(archive, info.filename)
            try:
                head = _head(opened, info, address, size)
            except TrexError as error:
                notes = (*notes, unread_member(error))
                continue
            if is_compressed(head):
                try:
                    head = uncompressed(head, address, limit=size)[0][:size]
                except TrexError:
                    head = b""
            heads.append((info.filename, head))
        return heads, notes


def unread_member(error: TrexError) -> Note:
    """What is told of a member without which an engine can be read."""
    member = error.where.partition("!")[2] or error.where
    return Note(UNREAD_MEMBER, f"{member} was left out: {error.message}", error.hint, error.where, "problem")


def read_member(archive: str, member: str) -> Source:
    """One member of an archive; its path is ``archive.tea!member``. Raises TrexError as ``archive_members`` does."""
    address = joined_address(archive, member)
    with _opened(archive) as opened:
        return _read(opened, _found(opened, archive, member), address, _size_of(archive))


class MemberFile:
    """A member of an archive as a file to be read once, front to back, within bounds. size: its bytes, as it claims."""

    def __init__(self, pieces: Callable[[int], bytes], size: int, archive_size: int, address: str) -> None:
        self._pieces = pieces
        self.size = size
        self._archive_size = archive_size
        self._address = address
        self._told = 0

    def read(self, size: int = -1) -> bytes:
        """Raises TrexError for a damaged member, and for one that expands beyond measure."""
        try:
            piece = self._pieces(size)
        except _DAMAGE as error:
            raise _damaged(self._address, error) from error
        self._told += len(piece)
        check_bounds(self._told, self._archive_size, self._address)
        return piece


@contextmanager
def opened_member(archive: str, member: str) -> Iterator[MemberFile]:
    """One member of an archive, as ``read_member`` finds it, a piece at a time."""
    address = joined_address(archive, member)
    with _opened(archive) as opened:
        info = _found(opened, archive, member)
        with _opened_info(opened, info, address) as file:
            yield MemberFile(file.read, info.file_size, _size_of(archive), address)


def archive_infos(path: str | os.PathLike[str]) -> tuple[tuple[zipfile.ZipInfo, ...], tuple[Note, ...]]:
    """Every member, binaries included, and Notes about those left out. Raises TrexError for what is no zip."""
    archive = os.fspath(path)
    with _opened(archive) as opened:
        members, notes = _members(opened, archive)
    return tuple(members), notes


def members_in_pieces(
    path: str | os.PathLike[str], infos: Iterable[zipfile.ZipInfo]
) -> Iterator[tuple[zipfile.ZipInfo, Iterator[bytes]]]:
    """(member, its bytes as they are, a piece at a time); to be read in that order.

    Raises TrexError for a damaged or encrypted member, and for one that expands beyond a thousand times the archive.
    """
    archive = os.fspath(path)
    with _opened(archive) as opened:
        size = _size_of(archive)
        for info in infos:
            yield info, _bounded(opened, info, joined_address(archive, info.filename), size)


def leads_outside(name: str) -> bool:
    """True for a member's name that would be unpacked elsewhere than below the folder that was meant."""
    parts = re.split(r"[/\\]", name)
    return ".." in parts or not parts[0] or bool(_DRIVE.match(name)) or "\x00" in name


def _bounded(opened: zipfile.ZipFile, info: zipfile.ZipInfo, address: str, archive_size: int) -> Iterator[bytes]:
    total = 0
    for piece in _pieces(opened, info, address):
        total += len(piece)
        check_ratio(total, archive_size, address)
        yield piece


@contextmanager
def _opened(archive: str) -> Iterator[zipfile.ZipFile]:
    with open_file(archive) as file:
        try:
            opened = zipfile.ZipFile(file)
        except _DAMAGE as error:
            raise _damaged(archive, error) from error
        with opened:
            yield opened


def _members(opened: zipfile.ZipFile, archive: str) -> tuple[list[zipfile.ZipInfo], tuple[Note, ...]]:
    infos = opened.infolist()
    if len(infos) > MAX_MEMBERS:
        raise TrexError(
            f"the archive has {len(infos)} members, more than the {MAX_MEMBERS} read at most",
            "make sure this is an engine archive",
            archive,
        )
    members: dict[str, zipfile.ZipInfo] = {}
    unsafe = []
    repeated = set()
    for info in infos:
        if info.filename.endswith("/"):  # is_dir() of Python 3.10 and 3.11 fails for an empty name
            continue
        if leads_outside(info.filename):
            unsafe.append(info.filename)
        elif info.filename in members:
            repeated.add(info.filename)
        members[info.filename] = info
    for name in unsafe:
        members.pop(name, None)
    notes = []
    if unsafe:
        notes.append(
            Note(
                "unsafe-member",
                f"{counted(len(unsafe), 'member')} left out: names that lead out of the archive ({unsafe[0][:100]!r})",
                "be careful with where this archive comes from",
                archive,
            )
        )
    if repeated:
        twice = counted(len(repeated), "member is", "members are")
        message = f"{twice} there twice ({min(repeated)[:100]!r}); the later is read"
        notes.append(Note("repeated-member", message, "", archive))
    return list(members.values()), tuple(notes)


def _found(opened: zipfile.ZipFile, archive: str, member: str) -> zipfile.ZipInfo:
    members, _ = _members(opened, archive)
    for info in members:
        if info.filename == member:
            return info
    names = [info.filename for info in members]
    hint = nearest(member, names) or f"it holds {', '.join(names[:8]) or 'nothing'}"
    raise TrexError("the archive has no such member", hint, joined_address(archive, member))


def _read(opened: zipfile.ZipFile, info: zipfile.ZipInfo, address: str, archive_size: int) -> Source:
    data = collected(_pieces(opened, info, address), archive_size, address)
    if not data:
        raise empty_file(address)
    if not is_compressed(data):
        return Source(address, data)
    plain, notes = uncompressed(data, address)
    if not plain:
        raise empty_file(address)
    return Source(address, plain, notes)


def _head(opened: zipfile.ZipFile, info: zipfile.ZipInfo, address: str, size: int) -> bytes:
    return b"".join(_pieces(opened, info, address, size))


def _pieces(opened: zipfile.ZipFile, info: zipfile.ZipInfo, address: str, most: int | None = None) -> Iterator[bytes]:
    with _opened_info(opened, info, address) as member:
        try:
            if most is not None:
                yield member.read(most)
                return
            while piece := member.read(_PIECE):
                yield piece
        except _DAMAGE as error:
            raise _damaged(address, error) from error


@contextmanager
def _opened_info(opened: zipfile.ZipFile, info: zipfile.ZipInfo, address: str) -> Iterator[IO[bytes]]:
    if info.flag_bits & _ENCRYPTED:
        raise TrexError("the member is encrypted", "unpack the archive with its password first", address)
    if info.compress_type not in _BOUNDED_METHODS:
        raise TrexError("the member is compressed in a way that is not read", "pack it again with deflate", address)
    try:
        member = opened.open(info)
    except _DAMAGE as error:
        raise _damaged(address, error) from error
    with member:
        yield member


def _is_text(head: bytes) -> bool:
    found = signature_of(head)
    return bool(head) and (found is None or found.name in ("gzip", "zstd"))


def _size_of(archive: str) -> int:
    return os.stat(archive).st_size  # noqa: PTH116


def _damaged(where: str, error: Exception) -> TrexError:
    reason = str(error) or type(error).__name__
    return TrexError(f"the archive cannot be read: {reason}"[:300], "copy or make the archive again", where)

"""Address → Source: the bytes of a file or of an archive's member, uncompressed within bounds."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BufferedReader

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.ingest.archive import open_archive
from trex.ingest.opening import empty_file, open_file, split_address, unreadable
from trex.ingest.plain_blocks import BLOCK, Readable, plain_blocks
from trex.ingest.signature import COMPRESSED_MAGICS, refuse_binary
from trex.ingest.text import without_blank_end

LIMIT_VARIABLE = "TREX_MAX_MB"
LIMIT_MB = 512
"""Megabytes of one file of text that are kept in memory, unless the environment variable says otherwise."""

TooLarge = Callable[[int, str], TrexError]

_MB = 1_000_000
# Of a file with a blank end: reading it all to find the end takes seconds.
_LONGEST_BLANK_END = 4 << 30
_END_BYTES = 4096
_BLANKS = b"\x00 \t\r\n"


@dataclass(frozen=True, slots=True)
class Source:
    """The content of one file. path: as the user wrote it, ``archive.tea!member`` inside an archive.

    data: uncompressed bytes. notes: what happened on the way.
    """

    path: str
    data: bytes
    notes: tuple[Note, ...] = ()


def read_source(path: str | os.PathLike[str]) -> Source:
    """The text of a file or of an archive's member, uncompressed if its first bytes say gzip or zstd.

    NUL bytes at its end are left out. Writes nothing. Raises TrexError for what is missing, unreadable, empty, no
    regular file, binary by its first bytes, more than ``LIMIT_MB`` (TREX_MAX_MB raises it), or expands beyond a
    hundred times its size.
    """
    address, limit = os.fspath(path), _text_limit()
    notes: list[Note] = []
    with _opened(address) as (file, size):
        head = _peeked(file, address)
        is_packed = head.startswith(COMPRESSED_MAGICS)
        is_blank_at_end = False
        if not is_packed:
            refuse_binary(head, address)
            is_blank_at_end = isinstance(file, BufferedReader) and _is_blank_at_end(file, size)
            if size > (max(limit, _LONGEST_BLANK_END) if is_blank_at_end else limit):
                raise _too_large(size, address)
        blocks = plain_blocks(file, size, address, notes, BLOCK if is_blank_at_end else max(BLOCK, size + 1))
        if is_packed:
            blocks = _sniffed(blocks, address)
        data = _joined(without_blank_end(blocks, notes, address), limit, address, _too_large)
    if not data:
        raise empty_file(address)
    return Source(address, data, tuple(notes))


def read_binary(path: str | os.PathLike[str], limit: int, too_large: TooLarge) -> Source:
    """As ``read_source``, of any kind and as it is. too_large: (bytes, address) → the error beyond ``limit`` bytes."""
    address = os.fspath(path)
    notes: list[Note] = []
    with _opened(address) as (file, size):
        if size > limit:
            raise too_large(size, address)
        data = _joined(plain_blocks(file, size, address, notes, max(BLOCK, size + 1)), limit, address, too_large)
    if not data:
        raise empty_file(address)
    return Source(address, data, tuple(notes))


def read_blocks(path: str | os.PathLike[str], notes: list[Note]) -> Iterator[bytes]:
    """The bytes of a text of any length, a block at a time; Notes are appended to ``notes``.

    Raises TrexError as ``read_source`` does, but for length and kind, while the blocks are taken.
    """
    address = os.fspath(path)
    with _opened(address) as (file, size):
        blocks = without_blank_end(plain_blocks(file, size, address, notes), notes, address)
        first = next(blocks, b"")
        if not first:
            raise empty_file(address)
        yield first
        yield from blocks


def read_head(path: str | os.PathLike[str], size: int) -> bytes:
    """The first ``size`` bytes of a file, uncompressed; empty if it cannot be read or uncompressed."""
    address = os.fspath(path)
    head = bytearray()
    with suppress(TrexError), _opened(address, is_input=False) as (file, stored_size):
        for block in plain_blocks(file, stored_size, address, [], size):
            head += block
            if len(head) >= size:
                break
    return bytes(head[:size])


@contextmanager
def _opened(address: str, is_input: bool = True) -> Iterator[tuple[Readable, int]]:
    """(the file or the archive's member, bytes of the file or the archive)."""
    member = split_address(address)
    if member is None:
        with open_file(address, is_input) as file:
            yield file, os.fstat(file.fileno()).st_size
    else:
        archive, name = member
        with open_archive(archive) as opened:
            yield opened.open(opened.find(name)), opened.size


def _text_limit() -> int:
    """In bytes."""
    written = os.environ.get(LIMIT_VARIABLE, "")
    if not written:
        return LIMIT_MB * _MB
    if not re.fullmatch("(?!0+$)[0-9]{1,9}", written):
        raise TrexError(
            f"{LIMIT_VARIABLE} is no number of megabytes: {written!r}", f"for example {LIMIT_VARIABLE}=2048"
        )
    return int(written) * _MB


def _too_large(size: int, where: str) -> TrexError:
    limit = _text_limit() // _MB
    return TrexError(
        f"more than {limit} MB of text, the most that is read",
        f"check that this is the right file; {LIMIT_VARIABLE}={max(size // _MB + 1, 2 * limit)} in the environment "
        "raises the limit, and reading takes up to eight times that memory",
        where,
    )


def _joined(blocks: Iterator[bytes], limit: int, where: str, too_large: TooLarge) -> bytes:
    """All blocks; a single one is not copied."""
    parts = []
    size = 0
    for block in blocks:
        size += len(block)
        if size > limit:
            raise too_large(size, where)
        parts.append(block)
    return b"".join(parts)


def _sniffed(blocks: Iterator[bytes], where: str) -> Iterator[bytes]:
    for number, block in enumerate(blocks):
        if not number:
            refuse_binary(block, where)
        yield block


def _peeked(file: Readable, where: str) -> bytes:
    try:
        return file.peek(_END_BYTES)
    except OSError as error:
        raise unreadable(where, error) from error


def _is_blank_at_end(file: BufferedReader, size: int) -> bool:
    if size <= BLOCK:
        return False
    file.seek(size - _END_BYTES)
    end = file.read(_END_BYTES)
    file.seek(0)
    return not end.strip(_BLANKS)

"""Address → Source: the bytes of a file or of an archive's member, uncompressed within bounds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.ingest.archive import open_archive
from trex.ingest.opening import empty_file, open_file, split_address
from trex.ingest.plain_blocks import BLOCK, MAX_BYTES, Readable, plain_blocks


@dataclass(frozen=True, slots=True)
class Source:
    """The content of one file. path: as the user wrote it, ``archive.tea!member`` inside an archive.

    data: uncompressed bytes. notes: what happened on the way.
    """

    path: str
    data: bytes
    notes: tuple[Note, ...] = ()


def read_source(path: str | os.PathLike[str]) -> Source:
    """The content of a file or of an archive's member, uncompressed if its first bytes say gzip or zstd.

    Writes nothing. Raises TrexError for what is missing, unreadable, empty, no regular file, or expands beyond
    4 GiB or a thousand times its size.
    """
    notes: list[Note] = []
    data = b"".join(read_blocks(path, notes, in_one=True))
    return Source(os.fspath(path), data, tuple(notes))


def read_blocks(path: str | os.PathLike[str], notes: list[Note], in_one: bool = False) -> Iterator[bytes]:
    """The bytes of ``read_source``, a block at a time; Notes are appended to ``notes``.

    in_one: a file that is not compressed is one block, which saves copying it.
    Raises TrexError as ``read_source`` does, while the blocks are taken.
    """
    address = os.fspath(path)
    with _opened(address) as (file, size):
        blocks = plain_blocks(file, size, address, notes, max(BLOCK, size + 1) if in_one else BLOCK)
        first = next(blocks, b"")
        if not first:
            raise empty_file(address)
        yield first
        yield from blocks


def read_head(path: str | os.PathLike[str], size: int) -> bytes:
    """The first ``size`` bytes of a file, uncompressed; empty if it cannot be read or uncompressed."""
    address = os.fspath(path)
    head = bytearray()
    with suppress(TrexError), _opened(address) as (file, stored_size):
        for block in plain_blocks(file, stored_size, address, [], size):
            head += block
            if len(head) >= size:
                break
    return bytes(head[:size])


@contextmanager
def _opened(address: str) -> Iterator[tuple[Readable, int]]:
    """(the file or the archive's member, bytes of the file or the archive)."""
    member = split_address(address)
    if member is None:
        with open_file(address) as file:
            size = os.fstat(file.fileno()).st_size
            if size > MAX_BYTES:
                message = f"the file has {size:,} bytes, more than the {MAX_BYTES >> 30} GiB read at most"
                raise TrexError(message, where=address)
            yield file, size
    else:
        archive, name = member
        with open_archive(archive) as opened:
            yield opened.open(opened.find(name)), opened.size

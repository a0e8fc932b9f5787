"""Address → Source: the bytes of one file or of a member of an archive, uncompressed within bounds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import BinaryIO, cast

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.ingest.finding.archive import opened_member, read_member
from trex.ingest.finding.decompression import MAX_BYTES, check_bounds, is_compressed, plain_pieces, uncompressed
from trex.ingest.finding.opening import Source, empty_file, open_file, split_address, unreadable

__all__ = ["Source", "read_blocks", "read_head", "read_source"]

_GROWTH = 1 << 20
_BLOCK = 1 << 18


def read_source(path: str | os.PathLike[str]) -> Source:
    """Reads a file, or a member of an archive addressed as ``archive.tea!member``; gzip and zstd are uncompressed.

    Writes nothing. Raises TrexError for what is missing, unreadable, empty, no regular file, or expands beyond
    4 GiB or a thousand times its size.
    """
    address = os.fspath(path)
    member = split_address(address)
    if member is not None:
        return read_member(*member)
    try:
        with open_file(address) as file:
            size = os.fstat(file.fileno()).st_size
            if size > MAX_BYTES:
                raise TrexError(f"the file holds {size} bytes, more than the {MAX_BYTES} read at most", where=address)
            # Files of the kernel's tell no size, and some have no end; None is one that has nothing to say now.
            data = file.read(size + _GROWTH) or b""
    except OSError as error:
        raise unreadable(address, error) from error
    if not data:
        raise empty_file(address)
    if not is_compressed(data):
        return Source(address, data)
    plain, notes = uncompressed(data, address)
    if not plain:
        raise empty_file(address)
    return Source(address, plain, notes)


def read_blocks(path: str | os.PathLike[str], notes: list[Note]) -> Iterator[bytes]:
    """The bytes that ``read_source`` would give, a block at a time; notes: what happens on the way joins them.

    Raises TrexError as ``read_source`` does, while the blocks are taken.
    """
    address = os.fspath(path)
    with _opened(address) as (file, compressed_size):
        head = _read(file, address)
        if not head:
            raise empty_file(address)
        size = 0
        for block in _plain(head, file, compressed_size, address, notes):
            size += len(block)
            yield block
        if not size:
            raise empty_file(address)


@contextmanager
def _opened(address: str) -> Iterator[tuple[BinaryIO, int]]:
    """(the file, or the archive's member, its size)."""
    member = split_address(address)
    if member is None:
        with open_file(address) as file:
            yield file, os.fstat(file.fileno()).st_size
    else:
        with opened_member(*member) as found:
            yield cast(BinaryIO, found), found.size


def _plain(head: bytes, file: BinaryIO, compressed_size: int, address: str, notes: list[Note]) -> Iterator[bytes]:
    if not is_compressed(head):
        yield head
        size = len(head)
        for block in iter(partial(_read, file, address), b""):
            size += len(block)
            if size > MAX_BYTES:
                raise TrexError(f"the file holds more than the {MAX_BYTES} bytes read at most", where=address)
            yield block
        return
    size = 0
    for block in plain_pieces(head, file, address, notes):
        size += len(block)
        check_bounds(size, compressed_size, address)
        yield block


def _read(file: BinaryIO, address: str) -> bytes:
    try:
        return file.read(_BLOCK) or b""
    except OSError as error:
        raise unreadable(address, error) from error


def read_head(path: str | os.PathLike[str], size: int) -> bytes:
    """The first ``size`` bytes of a file, uncompressed; empty when it cannot be read or uncompressed."""
    address = os.fspath(path)
    try:
        with open_file(address) as file:
            data = file.read(size) or b""
    except (OSError, TrexError):
        return b""
    if not is_compressed(data):
        return data
    try:
        return uncompressed(data, address, limit=size)[0][:size]
    except TrexError:
        return b""

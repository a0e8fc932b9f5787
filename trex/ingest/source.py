"""Address → Source: the bytes of one file or of a member of an archive, uncompressed within bounds."""

from __future__ import annotations

import os

from trex.core.errors import TrexError
from trex.ingest.finding.archive import read_member
from trex.ingest.finding.decompression import MAX_BYTES, is_compressed, uncompressed
from trex.ingest.finding.opening import Source, empty_file, open_file, split_address, unreadable

__all__ = ["Source", "read_head", "read_source"]

_GROWTH = 1 << 20


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

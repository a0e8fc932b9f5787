"""File of plain, gzip or zstd data → its plain bytes, a block at a time and within bounds."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from functools import partial
from typing import Any, Protocol, cast

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.ingest.signature import COMPRESSED_MAGICS, GZIP_MAGIC

MAX_RATIO = 100
"""Logs and graphs of real engines compress by up to 25 (gzip -9)."""
# Below this the ratio says nothing: a short file of one repeated byte is no bomb.
RATIO_COUNTS_FROM = 16 << 20
BLOCK = 1 << 18
_GZIP_BITS = 16 + zlib.MAX_WBITS

_BOUND_HINT = "uncompress it yourself if this is expected"


class Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes | None: ...
    def peek(self, size: int = 0, /) -> bytes: ...


def plain_blocks(
    file: Readable, stored_size: int, where: str, notes: list[Note], block: int = BLOCK
) -> Iterator[bytes]:
    """The uncompressed bytes of an open file; compression is known by the first bytes.

    A damaged end becomes a Note, and what precedes it is kept. stored_size: bytes of the compressed file. Raises
    TrexError for data that expands beyond ``MAX_RATIO`` times ``stored_size``, or that is damaged from the start.
    """
    size = 0
    for piece in _uncompressed(file, where, notes, block):
        size += len(piece)
        check_ratio(size, stored_size, where)
        yield piece


def check_ratio(size: int, stored_size: int, where: str) -> None:
    """Raises TrexError if ``size`` plain bytes are too many for what they came from."""
    if size > RATIO_COUNTS_FROM and size > MAX_RATIO * stored_size:
        message = f"the data expands to more than {MAX_RATIO} times its {stored_size} bytes, the most that is allowed"
        raise TrexError(message, _BOUND_HINT, where)


def _uncompressed(file: Readable, where: str, notes: list[Note], block: int) -> Iterator[bytes]:
    try:
        head = file.peek(64)
        if not head.startswith(COMPRESSED_MAGICS):
            while piece := file.read(block):  # None: a non-blocking file without data
                yield piece
            return
    except OSError as error:
        raise TrexError(f"the file cannot be read: {error.strerror}", "check the disk", where) from error
    damage: tuple[type[Exception], ...] = (EOFError, OSError, zlib.error)
    size = whole_size = 0
    try:
        if head.startswith(GZIP_MAGIC):
            pieces = _gunzipped(file, min(block, BLOCK))
        else:
            reader, whole_size, error_type = _zstd_reader(file, head)
            damage = (*damage, error_type)
            pieces = iter(partial(reader.read1, min(block, BLOCK)), b"")
        for piece in filter(None, pieces):
            size += len(piece)
            yield piece
        if size < whole_size:
            raise EOFError("it ends early")
    except ImportError:
        message = "the file is compressed with zstd, and the package 'zstandard' is not installed"
        raise TrexError(message, "pip install zstandard, or uncompress the file first", where) from None
    except damage as error:
        message, hint = f"the compressed data is damaged ({error})", "copy or download the file again"
        if not size:
            raise TrexError(message, hint, where) from error
        notes.append(Note("damaged-compression", f"{message}; the part before it was read", hint, where, "problem"))


def _gunzipped(file: Readable, most: int) -> Iterator[bytes]:
    """Of all members, at most so many bytes at a time. NULs between and after them are padding: Python's own reader
    takes a second for a megabyte of it.
    """
    stored = file.read(BLOCK)
    while stored:
        member = zlib.decompressobj(wbits=_GZIP_BITS)
        while not member.eof:
            before = member.copy()
            try:
                piece = member.decompress(stored, most)
            except zlib.error:
                for index in range(len(stored)):  # what precedes the damage
                    yield before.decompress(stored[index : index + 1])
                raise
            yield piece
            stored = member.unconsumed_tail
            if not stored and len(piece) < most and not member.eof:
                stored = file.read(BLOCK) or b""
                if not stored:
                    raise EOFError("it ends early")
        stored = member.unused_data.lstrip(b"\0")
        while not stored and (padding := file.read(BLOCK)):
            stored = padding.lstrip(b"\0")


def _zstd_reader(file: Readable, head: bytes) -> tuple[Any, int, type[Exception]]:
    """A reader, the size that the first frame declares (0 if none), and the package's type of errors."""
    import zstandard

    try:
        declared = zstandard.get_frame_parameters(head).content_size
    except zstandard.ZstdError:
        declared = 0
    reader = zstandard.ZstdDecompressor().stream_reader(cast(Any, file), read_across_frames=True)
    is_unknown = declared in (zstandard.CONTENTSIZE_UNKNOWN, zstandard.CONTENTSIZE_ERROR)
    return reader, 0 if is_unknown else declared, zstandard.ZstdError

"""Compressed bytes → plain bytes, gzip or zstd by their first bytes, never more than a bound allows."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.ingest.finding.signature import GZIP_MAGIC, ZSTD_MAGIC

MAX_BYTES = 4 << 30
MAX_RATIO = 1000
# Below this the ratio says nothing: a short file of one repeated byte is no bomb.
RATIO_COUNTS_FROM = 16 << 20

_PIECE = 1 << 20
_HEAD = 64
# Feeding a gzip stream in small bites keeps a file of many tiny members linear: what is left of a bite is copied
# for each member in it.
_BITE = 1 << 14


def is_compressed(data: bytes) -> bool:
    return data.startswith((GZIP_MAGIC, ZSTD_MAGIC))


def uncompressed(data: bytes, where: str, limit: int | None = None) -> tuple[bytes, tuple[Note, ...]]:
    """Plain bytes of gzip or zstd data; a damaged tail is a Note, and what came before it is kept.

    limit: stop after about that many bytes, for a look at the beginning. Raises TrexError for data that expands
    beyond 4 GiB or a thousand times its size, or that is damaged from the start.
    """
    notes: list[Note] = []
    pieces = plain_pieces(data[:_HEAD], io.BytesIO(data[_HEAD:]), where, notes)
    return collected(pieces, len(data), where, limit), tuple(notes)


def plain_pieces(head: bytes, rest: BinaryIO, where: str, notes: list[Note]) -> Iterator[bytes]:
    """The plain bytes of gzip or zstd data, a piece at a time and without a bound; notes: what happened joins them.

    head: the first bytes, 64 or more of them where there are. rest: a file of the others.
    """
    file = _Continued(head, rest)
    return _gunzipped(file, where, notes) if head.startswith(GZIP_MAGIC) else _unzstd(file, head, where, notes)


class _Continued:
    """A file whose first bytes have been read already."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = head
        self._rest = rest

    def read(self, size: int = -1) -> bytes:
        head, self._head = self._head, b""
        return head or self._rest.read(size) or b""


def collected(pieces: Iterator[bytes], compressed_size: int, where: str, limit: int | None = None) -> bytes:
    """Joins pieces as they come, and raises TrexError as soon as they exceed the bounds."""
    parts = []
    size = 0
    for piece in pieces:
        parts.append(piece)
        size += len(piece)
        check_bounds(size, compressed_size, where)
        if limit is not None and size >= limit:
            break
    return b"".join(parts)


def check_bounds(size: int, compressed_size: int, where: str) -> None:
    """Raises TrexError, naming the bound, when ``size`` plain bytes are too many for what they came from."""
    if size > MAX_BYTES:
        raise TrexError(
            f"the data expands to more than {MAX_BYTES >> 30} GiB, the most that is read",
            "uncompress it yourself if it is what you expect",
            where,
        )
    check_ratio(size, compressed_size, where)


def check_ratio(size: int, compressed_size: int, where: str) -> None:
    """Raises TrexError when ``size`` plain bytes are too many for what they came from, however many they may be."""
    if size > RATIO_COUNTS_FROM and size > MAX_RATIO * compressed_size:
        raise TrexError(
            f"the data expands to more than {MAX_RATIO} times its {compressed_size} bytes, the most that is allowed",
            "uncompress it yourself if it is what you expect",
            where,
        )


def _gunzipped(file: _Continued, where: str, notes: list[Note]) -> Iterator[bytes]:
    found_any = False
    waiting = file.read(_BITE)
    while waiting:
        if len(waiting) < len(GZIP_MAGIC):
            waiting += file.read(_BITE)
        if not waiting.startswith(GZIP_MAGIC):
            notes.extend(_behind(waiting, file, where))
            return
        decompressor = zlib.decompressobj(wbits=31)
        while not decompressor.eof:
            waiting = waiting or file.read(_BITE)
            if not waiting:
                notes.append(_damaged(where, "the compressed data ends early; what came before is read"))
                yield decompressor.flush()
                return
            try:
                piece = decompressor.decompress(waiting, _PIECE)
            except zlib.error as error:
                if not found_any:
                    raise TrexError(
                        f"the gzip data is damaged: {error}", "copy or download the file again", where
                    ) from error
                notes.append(_damaged(where, f"the compressed data is damaged ({error}); what came before is read"))
                return
            waiting = decompressor.unconsumed_tail
            if piece:
                found_any = True
                yield piece
        waiting = decompressor.unused_data or file.read(_BITE)
        found_any = True


def _behind(waiting: bytes, file: _Continued, where: str) -> Iterator[Note]:
    """What to say of bytes that follow the compressed ones; zeros are padding."""
    size, is_padding = 0, True
    while waiting:
        size += len(waiting)
        is_padding = is_padding and not waiting.strip(b"\x00")
        waiting = file.read(_PIECE)
    if not is_padding:
        yield _damaged(where, f"{counted(size, 'byte')} behind the compressed data; ignored")


def _unzstd(file: _Continued, head: bytes, where: str, notes: list[Note]) -> Iterator[bytes]:
    try:
        import zstandard
    except ImportError:
        raise TrexError(
            "the file is compressed with zstd, and the package 'zstandard' is not installed",
            "pip install zstandard, or uncompress the file first",
            where,
        ) from None
    try:
        declared = zstandard.get_frame_parameters(head[:_HEAD]).content_size
    except zstandard.ZstdError:
        declared = None
    reader = zstandard.ZstdDecompressor().stream_reader(
        file,  # type: ignore[arg-type]  # it only reads
        read_across_frames=True,
    )
    size = 0
    try:
        while piece := reader.read(_PIECE):
            size += len(piece)
            yield piece
    except zstandard.ZstdError as error:
        if not size:
            raise TrexError(f"the zstd data is damaged: {error}", "copy or download the file again", where) from error
        notes.append(_damaged(where, f"the compressed data is damaged ({error}); what came before is read"))
        return
    unknown = (None, zstandard.CONTENTSIZE_UNKNOWN, zstandard.CONTENTSIZE_ERROR)
    if declared not in unknown and size < int(declared or 0):
        notes.append(_damaged(where, "the compressed data ends early; what came before is read"))


def _damaged(where: str, message: str) -> Note:
    return Note("damaged-compression", message, "copy or download the file again", where, "problem")

"""Compressed bytes → plain bytes, gzip or zstd by their first bytes, never more than a bound allows."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator

from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.ingest.finding.signature import GZIP_MAGIC, ZSTD_MAGIC

MAX_BYTES = 4 << 30
MAX_RATIO = 1000
# Below this the ratio says nothing: a short file of one repeated byte is no bomb.
RATIO_COUNTS_FROM = 16 << 20

_PIECE = 1 << 20
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
    pieces = _gunzipped(data, where, notes) if data.startswith(GZIP_MAGIC) else _unzstd(data, where, notes)
    return collected(pieces, len(data), where, limit), tuple(notes)


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


def _gunzipped(data: bytes, where: str, notes: list[Note]) -> Iterator[bytes]:
    view = memoryview(data)
    position = 0
    found_any = False
    while position < len(data):
        if data[position : position + 2] != GZIP_MAGIC:
            if data[position : position + _PIECE].strip(b"\x00"):
                notes.append(
                    _damaged(where, f"{counted(len(data) - position, 'byte')} behind the compressed data; ignored")
                )
            return
        decompressor = zlib.decompressobj(wbits=31)
        waiting = b""
        while not decompressor.eof:
            if not waiting:
                if position >= len(data):
                    notes.append(_damaged(where, "the compressed data ends early; what came before is read"))
                    yield decompressor.flush()
                    return
                waiting = bytes(view[position : position + _BITE])
                position += len(waiting)
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
        position -= len(decompressor.unused_data)
        found_any = True


def _unzstd(data: bytes, where: str, notes: list[Note]) -> Iterator[bytes]:
    try:
        import zstandard
    except ImportError:
        raise TrexError(
            "the file is compressed with zstd, and the package 'zstandard' is not installed",
            "pip install zstandard, or uncompress the file first",
            where,
        ) from None
    try:
        declared = zstandard.get_frame_parameters(data[:64]).content_size
    except zstandard.ZstdError:
        declared = None
    reader = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data), read_across_frames=True)
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

"""PNG with words: a chunk behind the header that readers of pictures know."""

from __future__ import annotations

import struct
import zlib

from trex.export.png_text import described_png

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


PICTURE = (
    SIGNATURE
    + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    + chunk(b"IDAT", zlib.compress(b"\0\0"))
    + chunk(b"IEND", b"")
)


def test_the_words_are_a_chunk_of_their_own() -> None:
    made = described_png(PICTURE, "simulated: 1 µs")
    place, kinds = len(SIGNATURE), []
    while place < len(made):
        (length,) = struct.unpack(">I", made[place : place + 4])
        kind, data = made[place + 4 : place + 8], made[place + 8 : place + 8 + length]
        assert made[place + 8 + length : place + 12 + length] == struct.pack(">I", zlib.crc32(kind + data))
        kinds.append((kind, data))
        place += 12 + length
    assert [kind for kind, _ in kinds] == [b"IHDR", b"iTXt", b"IDAT", b"IEND"]
    assert kinds[1][1] == b"Description\0\0\0\0\0" + "simulated: 1 µs".encode()


def test_what_has_no_words_or_is_no_png_stays_as_it_is() -> None:
    assert described_png(PICTURE, "") == PICTURE
    assert described_png(b"GIF89a", "simulated") == b"GIF89a"

"""PNG with words: what a picture says of itself where no eye looks, as an international text chunk.

Source: W3C, Portable Network Graphics, 11.3.3.4 (iTXt): keyword, flags, language, translated keyword, text in UTF-8.
"""

from __future__ import annotations

import struct
import zlib

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_HEADER_BYTES = len(_SIGNATURE) + 4 + 4 + 13 + 4


def described_png(picture: bytes, description: str) -> bytes:
    """The picture with a description behind its header; as it is where there is nothing to say, or it is no PNG."""
    if not description or not picture.startswith(_SIGNATURE):
        return picture
    content = b"iTXtDescription\0\0\0\0\0" + description.encode("utf-8", "replace")
    chunk = struct.pack(">I", len(content) - 4) + content + struct.pack(">I", zlib.crc32(content))
    return picture[:_HEADER_BYTES] + chunk + picture[_HEADER_BYTES:]

"""A Parquet file with a hash of itself, among its own metadata: it shows a bit that a disk or a copy has changed.

The hash is SHA-256 of the file with zeros in the place of the hash. Parquet's checksums of pages leave out the headers
of pages, the statistics and the names of columns.
"""

from __future__ import annotations

import hashlib
import re
from typing import IO

KEY = "trex.sha256"
ZEROS = "0" * 64
"""What the writer puts there, to be replaced."""

_VALUE = re.compile(re.escape(KEY).encode() + rb"[^0-9a-f]{1,8}([0-9a-f]{64})", re.DOTALL)
_CHUNK = 1 << 20
_MOST_FOOTER = 64 << 20


def seal(file: IO[bytes]) -> None:
    """Writes the hash into a file that was written with ``{KEY: ZEROS}`` as metadata. Raises ValueError without."""
    start, _ = _stated(file)
    digest = _digest(file, start)
    file.seek(start)
    file.write(digest.encode())


def damage_of(file: IO[bytes]) -> str:
    """Why the file is not as it was written; "" if it is. Raises OSError."""
    try:
        start, stated = _stated(file)
    except ValueError as error:
        return str(error)
    return "" if _digest(file, start) == stated else "it was changed after it was written"


def _stated(file: IO[bytes]) -> tuple[int, str]:
    """(offset of the hash, the hash). Raises ValueError without one."""
    size = file.seek(0, 2)
    file.seek(max(size - 8, 0))
    length = int.from_bytes(file.read(4), "little")
    if not 0 < length <= min(size - 12, _MOST_FOOTER):
        raise ValueError("the end of a Parquet file is missing")
    first = size - 8 - length
    file.seek(first)
    match = next(reversed(list(_VALUE.finditer(file.read(length)))), None)
    if match is None:
        raise ValueError("it has no hash of itself")
    return first + match.start(1), match[1].decode()


def _digest(file: IO[bytes], start: int) -> str:
    """Of the file with zeros at ``start``."""
    digest = hashlib.sha256()
    file.seek(0)
    left = start
    while left and (chunk := file.read(min(left, _CHUNK))):
        digest.update(chunk)
        left -= len(chunk)
    digest.update(ZEROS.encode())
    file.seek(start + len(ZEROS))
    while chunk := file.read(_CHUNK):
        digest.update(chunk)
    return digest.hexdigest()

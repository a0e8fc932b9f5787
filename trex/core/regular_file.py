"""Path → the bytes or the JSON of a small regular file; pipes, devices and files of another size are errors.

For what trex itself has written and later finds in a folder that others can change. What people name is read by
``trex.ingest.source``.
"""

from __future__ import annotations

import errno
import json
import math
import os
import stat
from io import BufferedReader
from pathlib import Path
from typing import Any

from trex.core.read_files import remember_read

MOST_BYTES = 64 << 20


def open_regular(path: str | os.PathLike[str]) -> BufferedReader:
    """Opened for reading, without waiting. Raises OSError for what is no regular file, too."""
    # Without blocking: a pipe would wait for a writer.
    file = open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0)))  # noqa: SIM115
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode):
        file.close()
        raise OSError(errno.EINVAL, "no regular file", os.fspath(path))
    remember_read(status)
    return file


def read_regular(path: str | os.PathLike[str], most: int = MOST_BYTES) -> bytes:
    """Raises OSError, also for more than ``most`` bytes."""
    with open_regular(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"more than {most:,} bytes", os.fspath(path))
    return data


def read_record(path: Path, most: int = MOST_BYTES) -> Any:
    """The JSON of a file: numbers are finite and integers have at most 20 characters, as those that trex writes.

    Raises OSError as ``read_regular``, and ValueError for everything else that is wrong.
    """
    return parse_record(read_regular(path, most))


def parse_record(data: bytes) -> Any:
    """As ``read_record``. Raises ValueError."""
    try:
        return json.loads(data, parse_int=_integer, parse_float=_finite, parse_constant=_finite)
    except RecursionError:
        raise ValueError("lists in lists without end") from None


def _integer(text: str) -> int:
    if len(text) > 20:
        raise ValueError(f"an integer of {len(text)} digits")
    return int(text)


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is no number")
    return number

"""A log that is still being written, as a file or a pipe → blocks of its bytes as they come."""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Callable, Iterator
from io import BufferedReader
from typing import BinaryIO

from trex.core.note import Note
from trex.ingest.logs.raw_lines import BLOCK_BYTES
from trex.ingest.opening import open_file, split_address, unreadable
from trex.ingest.signature import COMPRESSED_MAGICS
from trex.ingest.source import read_blocks

POLL_S = 0.5

Tick = Callable[[float], bool]
"""Called when all that is there has been read, with the seconds since the last byte was written: 0 if there is more.
False ends the reading."""


def growing_file(
    path: str,
    tick: Tick,
    notes: list[Note],
    *,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.time,
) -> Iterator[bytes]:
    """Blocks of the file until ``tick`` ends it; an empty block says that no more is there yet.

    A file that is replaced or truncated is read from its beginning. A compressed file or a member of an archive does
    not grow: its end is the end. Raises TrexError as ``read_blocks`` does, but not for an empty file.
    """
    if split_address(path) is not None or _is_compressed(path):
        for block in read_blocks(path, notes):
            yield block
            if not tick(0.0):
                return
        return
    file = open_file(path)
    try:
        is_waiting = True
        while True:
            block = file.read(BLOCK_BYTES)
            if block:
                yield block
                is_waiting = False
                if not tick(0.0):
                    return
                continue
            if not tick(max(clock() - os.fstat(file.fileno()).st_mtime, 0.0)):
                return
            if not is_waiting:
                is_waiting = True
                yield b""
            sleep(POLL_S)
            file = _same_or_new(file, path)
    except OSError as error:
        raise unreadable(path, error) from error
    finally:
        file.close()


def growing_stream(stream: BinaryIO, tick: Tick, *, poll_s: float = POLL_S) -> Iterator[bytes]:
    """Blocks of a pipe until it is closed, or ``tick`` ends it."""
    descriptor = stream.fileno()
    heard = time.monotonic()
    is_waiting = True
    while True:
        if not _is_ready(descriptor, poll_s):
            if not tick(time.monotonic() - heard):
                return
            if not is_waiting:
                is_waiting = True
                yield b""
            continue
        block = os.read(descriptor, BLOCK_BYTES)
        if not block:
            return
        heard, is_waiting = time.monotonic(), False
        yield block
        if not tick(0.0):
            return


def _is_compressed(path: str) -> bool:
    with open_file(path) as file:
        try:
            return file.read(8).startswith(COMPRESSED_MAGICS)
        except OSError as error:
            raise unreadable(path, error) from error


def _same_or_new(file: BufferedReader, path: str) -> BufferedReader:
    """The open file; from its beginning if it was truncated, or the one that replaced it."""
    try:
        now = os.stat(path)  # noqa: PTH116 (Path() would rewrite the address the user gave)
    except OSError:
        return file  # removed, perhaps for a moment: what was opened can still be read
    then = os.fstat(file.fileno())
    if (now.st_dev, now.st_ino) != (then.st_dev, then.st_ino):
        another = open_file(path)
        file.close()
        return another
    if now.st_size < file.tell():
        file.seek(0)
    return file


def _is_ready(descriptor: int, wait_s: float) -> bool:
    """Whether reading would not wait. Windows selects among sockets only: there it waits."""
    if sys.platform == "win32":
        return True
    return bool(select.select([descriptor], [], [], wait_s)[0])

"""The lock of an output folder: one run at a time writes into it."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import TextIO

from trex.capture.manifest import utc_text
from trex.core.errors import TrexError
from trex.core.note import Note

LOCK_NAME = ".trex.lock"


@contextmanager
def locked(folder: Path) -> Iterator[tuple[Note, ...]]:
    """Inside ``with`` no other run writes into the folder; the system ends the lock of a killed run.

    Yields a Note where the system has no such locks. Raises TrexError, with the process and machine, while another run
    writes there.
    """
    path = folder / LOCK_NAME
    with _open(path) as file:
        notes = _lock(file, path)
        file.truncate(0)
        now = utc_text(datetime.now(timezone.utc))
        file.write(f"process {os.getpid()} on {socket.gethostname()}, since {now}")
        file.flush()
        try:
            yield notes
        finally:
            with suppress(OSError):
                path.unlink()


def _open(path: Path) -> TextIO:
    try:
        return path.open("a+", encoding="utf-8", errors="replace")
    except OSError as error:
        raise TrexError(
            f"the output folder cannot be written to: {error.strerror}", "choose another folder", str(path.parent)
        ) from None


def _lock(file: TextIO, path: Path) -> tuple[Note, ...]:
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:
        reason = "this system has no file locks"
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            raise _in_use(file, path) from None
        reason = str(error.strerror)
    else:
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return ()
        raise _in_use(file, path)  # another run ended, and removed the file, while this one opened it
    return (
        Note("folder-not-locked", f"the output folder is not locked: {reason}", "start one run at a time", str(path)),
    )


def _in_use(file: TextIO, path: Path) -> TrexError:
    file.seek(0)
    holder = file.read(200) or "an unknown process"
    return TrexError(
        f"another run writes into this folder: {holder}", "wait for it, or choose another folder", str(path.parent)
    )

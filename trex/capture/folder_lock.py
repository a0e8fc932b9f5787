"""The lock of an output folder: one run at a time writes into it; it names the run's process and its child's."""

from __future__ import annotations

import errno
import os
import re
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import TextIO

from trex.capture.manifest import utc_text
from trex.capture.process_tree import start_of_process
from trex.core.errors import TrexError
from trex.core.held_signals import signals_held
from trex.core.note import Note

LOCK_NAME = ".trex.lock"
_CHILD = re.compile(r" on (\S{1,255}), since \S{1,40}; it runs process (\d{1,9}) \(started (\d{1,19})\)")
_TRIES = 8
_LONGEST_END_S = 5.0  # until the child of a killed run has ended
_PAUSE_S = 0.05


class FolderLock:
    """A lock that is held. notes: one where the system has no such locks."""

    def __init__(self, file: TextIO, notes: tuple[Note, ...]) -> None:
        self.notes = notes
        self._file = file
        self._text = f"process {os.getpid()} on {socket.gethostname()}, since {utc_text(datetime.now(timezone.utc))}"
        self._write(self._text)

    def names_child(self, process: int) -> None:
        """Names the process that writes for this run, for those who find the lock."""
        self._write(f"{self._text}; it runs process {process} (started {start_of_process(process)})")

    def _write(self, text: str) -> None:
        with suppress(OSError):  # a full disk: the lock holds without its text
            os.ftruncate(self._file.fileno(), 0)
            os.write(self._file.fileno(), text.encode("utf-8", "replace"))  # nothing is left for close() to write


@contextmanager
def locked(folder: Path) -> Iterator[FolderLock]:
    """Inside ``with`` no other run writes into the folder; the system ends the lock of a killed run.

    Raises TrexError, with the process and machine, while another run writes there, or what a killed run has started.
    """
    path = folder / LOCK_NAME
    with ExitStack() as ended:
        with signals_held():  # one in between would leave the file
            file = ended.enter_context(_open(path))
            notes = _lock(file, path)
            ended.callback(_remove, path)
        _wait_for_child(file, path)
        yield FolderLock(file, notes)


def _remove(path: Path) -> None:
    with suppress(OSError):
        path.unlink()


def _open(path: Path) -> TextIO:
    """A regular file of this folder alone: not what a link leads to, and no pipe."""
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        handle = os.open(path, flags, 0o666)
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:  # its text would replace that of another file
            os.close(handle)
            raise OSError(errno.EINVAL, f"{LOCK_NAME} is {'a hard link' if status.st_nlink > 1 else 'no regular file'}")
        return os.fdopen(handle, "r+", encoding="utf-8", errors="replace")
    except OSError as error:
        reason = "a link is in the place of its lock" if path.is_symlink() else error.strerror
        raise TrexError(
            f"the output folder cannot be written to: {reason}", "choose another folder", str(path)
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
    holder = ""
    for _ in range(_TRIES):
        file.seek(0)
        if holder := file.read(400):
            break
        time.sleep(_PAUSE_S)  # the run that has just begun writes its name
    holder = holder or "an unknown process"
    return TrexError(
        f"another run writes into this folder: {holder}", "wait for it, or choose another folder", str(path.parent)
    )


def _wait_for_child(file: TextIO, path: Path) -> None:
    """The child of a killed run ends with it. One that does not is named, never killed: anyone may write a lock."""
    file.seek(0)
    match = _CHILD.search(file.read(400))
    if match is None or match[1] != socket.gethostname():
        return
    process, limit = int(match[2]), time.monotonic() + _LONGEST_END_S
    while start_of_process(process) == int(match[3]) != 0:
        if time.monotonic() > limit:
            raise TrexError(
                f"process {process}, which a killed run started, still runs", f"kill -9 {process}", str(path.parent)
            )
        time.sleep(_PAUSE_S)

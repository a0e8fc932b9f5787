"""A temporary folder of trex: gone at the end of its block, or with the next one if its process was killed."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path

from trex.core.held_signals import signals_held

_ENDING = ".scratch"
_NAME = re.compile(r"[a-z0-9_]{8}" + re.escape(_ENDING))
_SEEN: set[tuple[str, str]] = set()


@contextmanager
def scratch_folder(prefix: str = "trex-", parent: str | os.PathLike[str] | None = None) -> Iterator[str]:
    """The path of an empty folder in ``parent``, or where temporary files go. It is locked: another process that makes
    one with this prefix there removes those without a lock.
    """
    where = os.fspath(parent) if parent is not None else tempfile.gettempdir()
    _remove_left(where, prefix)
    with ExitStack() as ended:
        with signals_held():  # one while the system makes the folder would leave it
            folder, lock = _locked_folder(where, prefix)
            if lock is not None:
                ended.callback(os.close, lock)
            ended.enter_context(folder)
        yield folder.name


@cache
def scratch_of_process() -> str:
    """The path of a scratch folder that stays until this process ends."""
    ended = ExitStack()
    atexit.register(ended.close)
    return ended.enter_context(scratch_folder())


def _locked_folder(where: str, prefix: str) -> tuple[tempfile.TemporaryDirectory[str], int | None]:
    """A new folder, and its lock, or None on a system without locks of folders."""
    while True:
        folder = tempfile.TemporaryDirectory(_ENDING, prefix, where, ignore_cleanup_errors=True)
        with suppress(BlockingIOError):
            lock = _lock(folder.name)
            if lock is None or Path(folder.name).exists():
                return folder, lock
            os.close(lock)
        folder.cleanup()  # another process took it for one that was left, before it was locked


def _remove_left(where: str, prefix: str) -> None:
    """At the first folder that this process makes there."""
    if (where, prefix) in _SEEN:
        return
    _SEEN.add((where, prefix))
    with suppress(OSError), os.scandir(where) as entries:
        for entry in entries:
            if not entry.name.startswith(prefix) or not _NAME.fullmatch(entry.name, len(prefix)):
                continue
            with suppress(OSError):
                if not entry.is_dir(follow_symlinks=False) or not _is_own(entry):
                    continue
                lock = _lock(entry.path)
                if lock is not None:
                    shutil.rmtree(entry.path, ignore_errors=True)
                    os.close(lock)


def _is_own(entry: os.DirEntry[str]) -> bool:
    return not hasattr(os, "geteuid") or entry.stat(follow_symlinks=False).st_uid == os.geteuid()


def _lock(folder: str) -> int | None:
    """A descriptor that locks the folder until it is closed; None without such locks. Raises BlockingIOError if another
    process has it.
    """
    try:
        import fcntl
    except ImportError:
        return None
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(handle)
        if isinstance(error, BlockingIOError):
            raise
        return None
    return handle

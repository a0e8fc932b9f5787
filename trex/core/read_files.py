"""The files that this process has read: an output that a user names replaces none of them.

By device and inode, so that links and other spellings of a path count. What is only looked at to find out what it is
counts not: a command may write its own earlier results again.
"""

from __future__ import annotations

import os

from trex.core.errors import TrexError

_READ: set[tuple[int, int]] = set()


def remember_read(status: os.stat_result) -> None:
    _READ.add((status.st_dev, status.st_ino))


def forget_read() -> None:
    """For the next command of this process."""
    _READ.clear()


def refuse_read(path: str) -> None:
    """Raises TrexError for a file that was read."""
    try:
        status = os.stat(path)  # noqa: PTH116 (Path raises for names that cannot be)
    except (OSError, ValueError):
        return
    if status.st_ino and (status.st_dev, status.st_ino) in _READ:
        raise replaced_input(path)


def replaced_input(path: str) -> TrexError:
    return TrexError("the command reads this file, and would replace it", "name another", path)

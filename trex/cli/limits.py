"""What the machine has no more of (memory, space, open files, threads): an error as of a user's mistake, no bug."""

from __future__ import annotations

import errno
from collections.abc import Iterator

from trex.core.errors import TrexError

_MEMORY = ("there is not enough memory", "close other programs, raise its limit (ulimit -v), or take fewer files")
_FILES = ("too many files are open", "raise the limit: ulimit -n 1024")
_SPACE = ("there is no space left", "free some, or raise the limit (ulimit -f)")
_DEVICE = ("a disk or a network folder does not answer as it should", "check it, or copy the files to another one")
_STARTS = ("no more threads or processes can be started", "raise the limits: ulimit -u, ulimit -v")
_BY_NUMBER = {
    errno.ENOMEM: _MEMORY,
    errno.EMFILE: _FILES,
    errno.ENFILE: _FILES,
    errno.ENOSPC: _SPACE,
    errno.EDQUOT: _SPACE,
    errno.EFBIG: _SPACE,
    errno.EAGAIN: _STARTS,
    errno.EIO: _DEVICE,
    errno.ESTALE: _DEVICE,
    errno.EROFS: ("the file system is read-only", "choose another folder"),
}
# Libraries that report it with an error of their own.
_LIBRARIES = ("_duckdb", "google.protobuf")
_BY_WORDS = {
    "cannot allocate memory": _MEMORY,
    "failed to map segment": _MEMORY,
    "failed to allocate": _MEMORY,
    "returned null without setting an exception": _MEMORY,
    "failed to serialize proto": _MEMORY,
    "out of memory": _MEMORY,
    "start new thread": _STARTS,
    "too many open files": _FILES,
    "no usable temporary directory": ("no folder for temporary files can be written to", "TMPDIR=FOLDER names one"),
    "no space left on device": _SPACE,
}


def limit_of(error: BaseException) -> TrexError | None:
    """The error to print instead of a traceback; None for all others, which are bugs."""
    for cause in _causes(error):
        limit = _limit(cause)
        if limit is not None:
            return TrexError(*limit, where=_where(cause))
    return None


def _limit(error: BaseException) -> tuple[str, str] | None:
    if isinstance(error, MemoryError):
        return _MEMORY
    if isinstance(error, OSError) and error.errno in _BY_NUMBER:
        return _BY_NUMBER[error.errno]
    if isinstance(error, (OSError, ImportError, RuntimeError, SystemError)) or type(error).__module__.startswith(
        _LIBRARIES
    ):
        text = str(error).lower()
        return next((limit for words, limit in _BY_WORDS.items() if words in text), None)
    return None


def _where(error: BaseException) -> str:
    return str(error.filename) if isinstance(error, OSError) and isinstance(error.filename, str) else ""


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__

"""Bytes → file, complete or not at all; what is no regular file (a pipe, a device) is written through."""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from trex.core.errors import TrexError
from trex.core.held_signals import signals_held
from trex.core.printable import shell_word
from trex.core.regular_file import open_regular

_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/([0-9]{1,9})")
_STANDARD = {"/dev/stdout": 1, "/dev/stderr": 2}
_ENDING = ".writing"
"""Of a temporary file: ``.NAME.x1y2z3a4.writing``."""
_LONG_S = 3600.0
_SEEN: set[Path] = set()
_RANDOM_PART = re.compile(r"[a-z0-9_]{8}")


@contextmanager
def whole_file(path: str | os.PathLike[str], *, what: str = "file", is_new: bool = False) -> Iterator[BinaryIO]:
    """A temporary file that gets its name if the block ends without an error; otherwise an existing file stays as is.

    The temporary file is in the same folder. A symbolic link stays and what it leads to is replaced. Devices, pipes and
    the descriptors of this process (``/dev/fd/63``) are never replaced: the block writes to them directly. what: its
    name in errors. An existing file keeps its permissions. is_new: never replaces a file, not even one that
    another process has just written. Raises TrexError if the folder is missing or not writable, and if writing fails.
    """
    import shutil

    text = os.fspath(path)
    temporary, lock = "", None
    try:
        if is_stream(text):
            with _stream(text) as file:
                yield file
            return
        target = file_to_write(text, what)
        _remove_left(target)
        with signals_held():  # one while the system makes the file would leave it
            handle, temporary, lock = _temporary(target)
        with os.fdopen(handle, "wb") as file:
            yield file
        if target.exists():
            shutil.copymode(target, temporary)
        else:
            _give_usual_mode(temporary)
        if not (is_new and _linked(temporary, target)):
            Path(temporary).replace(target)
            temporary = ""
    except FileExistsError as error:
        message = f"the {what} cannot be written: another process has just written it"
        raise TrexError(message, "look at it, or choose another name", text) from error
    except OSError as error:
        raise TrexError(
            f"the {what} cannot be written: {error.strerror or error}",
            "check the folder, its space and permissions",
            text,
        ) from error
    finally:
        if temporary:
            with suppress(OSError):
                Path(temporary).unlink()
        if lock is not None:
            os.close(lock)


def file_to_write(text: str, what: str = "file") -> Path:
    """Where a path leads to. Raises TrexError without a folder, for a folder, and for a link that leads to itself."""
    target = Path(os.path.realpath(text))
    if not target.parent.is_dir():
        hint = f"mkdir -p {shell_word(str(target.parent))}"
        raise TrexError(f"the {what} cannot be written: the folder does not exist", hint, text)
    if target.is_symlink():
        raise TrexError(f"the {what} cannot be written: the link leads to itself", "name another file", text)
    if target.is_dir():
        raise TrexError(f"the {what} cannot be written: this is a folder, not a file", "name a file in it", text)
    return target


def _temporary(target: Path) -> tuple[int, str, int | None]:
    """A new file next to the target: descriptor, name, and its lock, or None on a file system without locks.

    Until it is locked, another process may take it for one that was left.
    """
    import tempfile

    while True:
        handle, name = tempfile.mkstemp(_ENDING, _beginning(target.name), target.parent)
        try:
            lock = _lock(handle)
        except BlockingIOError:
            os.close(handle)
            continue
        except OSError:
            return handle, name, None
        if lock is None or os.path.lexists(name):
            return handle, name, lock
        os.close(handle)
        os.close(lock)


def _linked(temporary: str, target: Path) -> bool:
    """Gives the file its name if no file has it; False where the file system has no links. Raises FileExistsError."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise
    except OSError:
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        return False
    return True


def write_whole(path: str | os.PathLike[str], content: bytes | str, is_new: bool = False) -> Path:
    """Writes the file; text as UTF-8, with ``?`` for what UTF-8 cannot encode. Raises TrexError as ``whole_file``."""
    with whole_file(path, is_new=is_new) as file:
        file.write(content.encode("utf-8", "replace") if isinstance(content, str) else content)
    return Path(path)


def is_stream(path: str) -> bool:
    """Whether writing there replaces nothing: a device, a pipe, a socket, or a descriptor of this process."""
    if _descriptor(path) is not None:
        return True
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 (Path raises for names that cannot be)
    except (OSError, ValueError):
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def remove_unfinished(folder: Path, names: Iterable[str]) -> None:
    """Removes the temporary files of these files that killed processes left; those of running ones stay."""
    beginnings = tuple(map(_beginning, names))
    with suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208
            beginning = name[: -len(_ENDING) - 8]
            if beginning in beginnings and name.endswith(_ENDING) and _RANDOM_PART.match(name, len(beginning)):
                _remove_unlocked(folder / name)


def _remove_left(target: Path) -> None:
    """At the first file that this process writes into a folder: what killed ones left there, in place of the file now,
    or of any other long ago (another machine may see no locks of this one)."""
    if target.parent in _SEEN:
        return
    _SEEN.add(target.parent)
    long_ago, beginning = time.time() - _LONG_S, _beginning(target.name)
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            end = len(entry.name) - len(_ENDING) - 8
            if entry.name.startswith(".") and entry.name.endswith(_ENDING) and _RANDOM_PART.match(entry.name, end):
                with suppress(OSError):
                    if entry.name[:end] == beginning or entry.stat().st_mtime < long_ago:
                        _remove_unlocked(Path(entry))


def _beginning(name: str) -> str:
    return f".{name[:56]}."


def _remove_unlocked(path: Path) -> None:
    try:
        with open_regular(path) as file:
            lock = _lock(file.fileno())
    except OSError:  # of a running process, or none of ours
        return
    with suppress(OSError):
        path.unlink()
    if lock is not None:
        os.close(lock)


def _lock(handle: int) -> int | None:
    """A second descriptor of the file, locked until it is closed; None where there are no locks. Raises OSError."""
    try:
        import fcntl
    except ImportError:
        return None
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return os.dup(handle)


def _descriptor(path: str) -> int | None:
    match = _DESCRIPTOR.fullmatch(path)
    return int(match[1]) if match else _STANDARD.get(path)


def _stream(path: str) -> BinaryIO:
    """Opened as a shell's ``>`` would; a descriptor of this process at its place, as ``>&N`` would."""
    number = _descriptor(path)
    return open(path if number is None else os.dup(number), "wb")  # noqa: PTH123


def _give_usual_mode(path: str) -> None:
    """The permissions of a new file; temporary files are private."""
    mask = os.umask(0)
    os.umask(mask)
    Path(path).chmod(0o666 & ~mask)

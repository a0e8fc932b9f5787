"""Files → folder, all of them or none, however the process ends: renames, with a journal that says what is to be done.

Once the journal is written the new set counts: whoever looks into the folder next, after a kill, finishes the swap.
"""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from trex.core.errors import TrexError
from trex.core.held_signals import signals_held
from trex.core.regular_file import MOST_BYTES, open_regular, parse_record

RUN_FOLDER = ".trex.run"
"""In the folder itself, so that files get into their places by renaming."""
FAILED_ENDING = ".failed"
"""Of a folder in the folder: what a run wrote that did not succeed."""
UNFINISHED_RUN = "unfinished-run"
"""Code of the Note on a folder whose swap is left."""
JOURNAL, _REPLACED = "swap.json", "replaced"
_SWAP_S, _POLL_S = 20.0, 0.05


def run_folder(folder: Path, name: str) -> Path:
    """Where a new set is written before ``swap_in``."""
    return folder / RUN_FOLDER / f"{name}.new"


def ours_in(folder: Path) -> tuple[Path, Path]:
    """Folders in the folder that this module makes, and whose files it removes."""
    return folder / RUN_FOLDER, folder / RUN_FOLDER / _REPLACED


def swap_in(folder: Path, name: str, removed: Iterable[str] = ()) -> None:
    """Moves all files of ``run_folder(folder, name)`` into the folder, and removes those named that are not among them.

    All other files stay. Raises TrexError, with the folder as it was, if that cannot be done.
    """
    source = run_folder(folder, name)
    try:
        installed = [path.name for path in source.iterdir() if path.is_file()]
        swap = _Swap(folder, source.name, tuple(installed), tuple(sorted(set(removed) - set(installed))))
        for path in swap.folders():
            raise TrexError("a folder is in the place of a file", "rename it", str(path))
        with signals_held(), swap.written():
            try:
                swap.do()
            except OSError:
                swap.undo()
                raise
    except OSError as error:
        reason = error.strerror or error
        raise TrexError(f"the new files cannot be moved in: {reason}", "check the folder", str(folder)) from None


def has_unfinished_swap(folder: str | Path) -> bool:
    """Whether a journal is there; nothing is opened, waited for or finished."""
    return os.path.isfile(_journal_of(folder))  # noqa: PTH113


def is_journal(name: str) -> bool:
    """Whether an archive's member is what is left of a swap that was not finished before the folder was packed."""
    return name.endswith(f"{RUN_FOLDER}/{JOURNAL}")


def _journal_of(folder: str | Path) -> str:
    return os.path.join(folder, RUN_FOLDER, JOURNAL)  # noqa: PTH118 (called for every folder that is read)


def finish_swap(folder: str | Path) -> bool:
    """Finishes a swap whose process was killed; waits for one that is running. Raises TrexError if it cannot.

    False where one is left, which is none of ours: in a copy of the folder, say.
    """
    if not has_unfinished_swap(folder):
        return True
    journal = _journal_of(folder)
    try:
        with open_regular(journal) as file:
            _lock_soon(file)
            is_current = os.path.samestat(os.fstat(file.fileno()), os.lstat(journal))
            swap = _swap_of(file, Path(folder)) if is_current else None
            if swap:
                swap.do()
                swap.leave()
            return bool(swap) or not is_current
    except FileNotFoundError:  # finished by another process
        return True
    except OSError as error:
        message = f"a run was killed while its files were moved in, and this cannot be finished: {error.strerror}"
        raise TrexError(message, "make the folder writable and try again", str(folder)) from None


@dataclass(frozen=True)
class _Swap:
    folder: Path
    source: str
    installed: tuple[str, ...]
    removed: tuple[str, ...]

    @property
    def journal(self) -> Path:
        return self.folder / RUN_FOLDER / JOURNAL

    @property
    def replaced(self) -> Path:
        return self.folder / RUN_FOLDER / _REPLACED

    @property
    def new(self) -> Path:
        return self.folder / RUN_FOLDER / self.source

    def folders(self) -> Iterator[Path]:
        for name in (*self.installed, *self.removed):
            path = self.folder / name
            if path.is_dir() and not path.is_symlink():
                yield path

    @contextmanager
    def written(self) -> Iterator[None]:
        """The journal, locked, from one moment to another."""
        remove_replaced(self.folder)
        self.replaced.mkdir(exist_ok=True)
        draft = self.journal.with_suffix(".draft")
        draft.unlink(missing_ok=True)  # whatever it is
        with draft.open("xb") as file:
            inode = os.fstat(file.fileno()).st_ino
            content = {"source": self.source, "installed": self.installed, "removed": self.removed, "inode": inode}
            with suppress(OSError):  # no locks on this file system
                _lock(file)
            file.write(json.dumps(content).encode())
            file.flush()
            os.fsync(file.fileno())
            if os.name == "nt":  # which renames no open files, and has no such locks
                file.close()
            draft.replace(self.journal)
            yield
            self.leave()

    def do(self) -> None:
        """Any part of it may have been done."""
        for name in self.installed:
            if (self.new / name).exists():
                self._set_aside(name)
                (self.new / name).replace(self.folder / name)
        for name in self.removed:
            self._set_aside(name)

    def undo(self) -> None:
        for name in self.installed:
            if not (self.new / name).exists():
                (self.folder / name).replace(self.new / name)
        for name in (*self.installed, *self.removed):
            with suppress(FileNotFoundError):
                (self.replaced / name).replace(self.folder / name)
        self.leave()

    def leave(self) -> None:
        """Ends the swap; a kill before the end leaves old files that ``remove_replaced`` removes."""
        self.journal.unlink(missing_ok=True)
        remove_replaced(self.folder)

    def _set_aside(self, name: str) -> None:
        if os.path.lexists(self.folder / name):
            (self.folder / name).replace(self.replaced / name)


def remove_replaced(folder: Path) -> None:
    """Old files, after the swap."""
    replaced = folder / RUN_FOLDER / _REPLACED
    with suppress(OSError):
        for path in replaced.iterdir():
            path.unlink()
        replaced.rmdir()


def _swap_of(file: BinaryIO, folder: Path) -> _Swap | None:
    """The swap of a journal; None for what is none of ours: names that lead elsewhere, another user's file, one
    that was not written here: a download may name whatever is in the folder it is unpacked into.
    """
    status = os.fstat(file.fileno())
    try:
        content = parse_record(file.read(MOST_BYTES))
        is_ours = content["inode"] == status.st_ino and (not hasattr(os, "geteuid") or status.st_uid == os.geteuid())
        swap = _Swap(folder, content["source"], tuple(content["installed"]), tuple(content["removed"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    names = (swap.source, *swap.installed, *swap.removed)
    is_plain = all(
        isinstance(name, str) and len(name) < 256 and name not in ("", ".", "..") and Path(name).name == name
        for name in names
    )
    if not (is_plain and is_ours and all(os.sep not in name and "\0" not in name for name in names)):
        return None
    is_inside = not any(path.is_symlink() for path in (swap.journal.parent, swap.journal, swap.new, swap.replaced))
    if not is_inside or any(swap.folders()):
        return None
    swap.replaced.mkdir(exist_ok=True)
    return swap


def _lock_soon(file: BinaryIO) -> None:
    """As ``_lock``, for as long as a swap may take: whoever may read the file can hold a lock of it."""
    try:
        import fcntl
    except ImportError:
        return
    end = time.monotonic() + _SWAP_S
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > end:
                raise OSError(errno.EWOULDBLOCK, f"another process holds {JOURNAL} for {_SWAP_S:g} s") from None
            time.sleep(_POLL_S)


def _lock(file: BinaryIO) -> None:
    """Waits for it; the system ends the lock of a killed process."""
    try:
        import fcntl
    except ImportError:
        return
    fcntl.flock(file, fcntl.LOCK_EX)

"""Timing caches that a build changes in their places: one that it leaves cut off is restored.

trtexec merges into the file what others have written meanwhile, so it gets the file itself, and not a copy. It writes
while it holds ``FILE.lock``, and so does what restores here: another build's half-written cache is not a damaged one.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.scratch_folder import scratch_folder
from trex.core.whole_file import whole_file

_MOST_BYTES = 1 << 28


@contextmanager
def caches_kept(paths: Sequence[str]) -> Iterator[list[Note]]:
    """Restores the caches that are cut off at the end of the block, and could be read at its beginning; a Note on each.

    What trex can't read otherwise stays: a newer release writes another layout.
    """
    notes: list[Note] = []
    with scratch_folder() as folder:
        copies = {}
        for number, path in enumerate(dict.fromkeys(paths)):
            copy = Path(folder) / str(number)
            with suppress(OSError):  # there may be none yet
                if Path(path).is_file() and Path(path).stat().st_size <= _MOST_BYTES and _is_whole(path):
                    shutil.copyfile(path, copy)
                    copies[path] = copy
        try:
            yield notes
        finally:
            for path, copy in copies.items():
                with suppress(OSError), _locked(path):
                    if _is_cut_off(path):
                        with whole_file(path, what="timing cache") as file, copy.open("rb") as content:
                            shutil.copyfileobj(content, file)
                        message = "the build left the timing cache cut off: it is as before the build again"
                        notes.append(Note("timing-cache-restored", message, "", path))


@contextmanager
def _locked(path: str) -> Iterator[None]:
    """With trtexec's lock of a cache, if it has one. Raises OSError while another process has it, which then writes."""
    if not (lock := Path(f"{path}.lock")).is_file():  # written by something else
        yield
        return
    with lock.open("r+b") as file:
        with suppress(ImportError):  # on Windows the file can't be opened while another process has the lock
            import fcntl

            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def _is_cut_off(path: str) -> bool:
    from trex.ingest.timing_cache import is_cut_off

    try:
        return is_cut_off(Path(path).read_bytes())
    except FileNotFoundError:
        return True


def _is_whole(path: str) -> bool:
    from trex.ingest.timing_cache import read_timing_cache

    try:
        cache = read_timing_cache(Path(path).read_bytes(), path)
    except (OSError, TrexError):
        return False
    return not any(note.severity == "problem" for note in cache.notes)

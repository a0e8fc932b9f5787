"""Timing caches that a build changes in their places: one that it leaves damaged is restored.

trtexec merges into the file what others have written meanwhile, so it gets the file itself, and not a copy.
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
    """Restores the caches that can't be read at the end of the block, and could at its beginning; a Note on each."""
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
                if not _is_whole(path):
                    with whole_file(path, what="timing cache") as file, copy.open("rb") as content:
                        shutil.copyfileobj(content, file)
                    message = "the build left the timing cache damaged: it is as before the build again"
                    notes.append(Note("timing-cache-restored", message, "", path))


def _is_whole(path: str) -> bool:
    from trex.ingest.timing_cache import read_timing_cache

    try:
        cache = read_timing_cache(Path(path).read_bytes(), path)
    except (OSError, TrexError):
        return False
    return not any(note.severity == "problem" for note in cache.notes)

"""Files of a store that nothing needs any more, and their removal once no writer can still need them."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from trex.core.errors import TrexError
from trex.core.printable import shell_word
from trex.store.check import without_manifest
from trex.store.columns import TABLES as ALL_TABLES
from trex.store.compaction import remove_compaction
from trex.store.layout import ARTIFACTS, COMPACTED, JOBS, LOST, REMOVED, RUNS, TABLES, run_file
from trex.store.run_store import RunStore
from trex.store.storage import LocalStorage
from trex.store.table_files import Snapshot

GRACE_S = 24 * 3600.0
"""A writer that is still at work after a day is none."""
_UNFINISHED = re.compile(r"\..*\.[a-z0-9_]{8}\.writing|\.compacting-.*")
_OURS = re.compile(
    rf"{ARTIFACTS}/[0-9a-f]{{2}}/[0-9a-f]{{64}}\.zst|{JOBS}/.*/[0-9]+-[0-9a-f]{{16}}|{REMOVED}/[0-9a-f]{{16}}"
    rf"|{TABLES}/.*[0-9a-f]{{16}}\.(?:parquet|json|ids)"
)
"""Names that a store gives: other files there, also behind a link, are the user's."""


@dataclass(frozen=True, slots=True)
class GarbageResult:
    """files: removed, or that would be. size_bytes: of them. kept: too young to be removed."""

    files: int
    size_bytes: int
    kept: int


def collect_garbage(store: RunStore, grace_s: float = GRACE_S, is_dry_run: bool = False) -> GarbageResult:
    """Removes artifacts of no run, rows without a run, unfinished files of killed writers, and marks that nothing
    needs. Only what is older than grace_s goes: a writer writes artifacts first, and the run last.

    Raises TrexError, and removes nothing, while a manifest or an index is damaged, or a run is marked as lost, whose
    manifest a sync may still bring: its files would seem to be unused.
    """
    storage = store.writable()
    store.refresh()
    snapshot = store.snapshot
    now, files, size, kept = time.time(), 0, 0, 0
    garbage = [path for path in _garbage(store, storage, snapshot) if _OURS.fullmatch(path)]
    garbage += _unfinished(storage, "")  # complete before anything is removed
    for path in garbage:
        with suppress(FileNotFoundError):
            stat = storage.path(path).lstat()
            # a clock that is behind makes files of the future, which are young
            if now - max(stat.st_mtime, stat.st_ctime) < grace_s:
                kept += 1
                continue
            if not is_dry_run:
                storage.delete(path)
            files, size = files + 1, size + stat.st_size
    if not is_dry_run:
        for compaction in snapshot.replaced:
            remove_compaction(storage, compaction)
        _remove_empty_folders(storage, now - grace_s)
    store.refresh()
    return GarbageResult(files, size, kept)


def _garbage(store: RunStore, storage: LocalStorage, snapshot: Snapshot) -> Iterator[str]:
    ids = set(store.run_ids())
    known: set[str] = set()
    needed: set[str] = set()
    marks: set[str] = set()
    for run_id in ids:
        try:
            run, _ = store.manifest(run_id)
        except TrexError as error:
            if not storage.exists(run_file(run_id)):  # removed meanwhile
                continue
            raise TrexError(f"nothing is removed: {error.message}", "trex store fsck --repair", error.where) from error
        known.add(run_id)
        needed.update(item.sha256 for item in run.artifacts)
        marks.add(f"{run.repetition}-{run.id}")
    if without_manifest(snapshot, known):
        store.refresh()  # a run may have been removed meanwhile
        if lacking := without_manifest(store.snapshot, known):
            where = storage.address(run_file(min(lacking)))
            raise TrexError("nothing is removed: the manifest of a run is missing", "trex store fsck", where)
    _refuse_lost(storage, snapshot)
    for path in storage.below(ARTIFACTS):
        if path.rpartition("/")[2].removesuffix(".zst") not in needed:
            yield path
    for path in storage.below(JOBS):
        if path.rpartition("/")[2] not in marks:
            yield path
    yield from _table_garbage(storage, snapshot, ids)
    for run_id in snapshot.removed:
        if run_id not in snapshot.compacted and run_id not in ids:  # its folder may come back with an older copy
            yield f"{REMOVED}/{run_id}"


def _refuse_lost(storage: LocalStorage, snapshot: Snapshot) -> None:
    """Raises TrexError if a repair left out a run: once its manifest is there again, its files are needed."""
    for run_id in sorted(snapshot.removed):
        path = f"{REMOVED}/{run_id}"
        where = storage.address(path)
        try:
            mark = storage.read(path)
        except FileNotFoundError:  # the run has just been added again
            continue
        except OSError as error:
            raise TrexError(f"nothing is removed: a mark can't be read: {error}", "trex store fsck", where) from error
        if mark == LOST:
            message = f"nothing is removed: the run {run_id} is lost, and its manifest may still come"
            hint = f"trex store fsck --repair once it is there; to give the run up: truncate -s 0 {shell_word(where)}"
            raise TrexError(message, hint, where)


def _table_garbage(storage: LocalStorage, snapshot: Snapshot, ids: set[str]) -> Iterator[str]:
    """Rows of runs that are compacted, removed or have no manifest; compacted files that no index names."""
    known = (*snapshot.compactions, *snapshot.replaced)
    named = {path for compaction in known for path in compaction.tables.values()}
    named |= {path for compaction in known for path in (compaction.ids_file, compaction.index_file)}
    for table in ALL_TABLES:
        for path in storage.below(f"{TABLES}/{table}"):
            if f"/{COMPACTED}/" in path:
                if path not in named:
                    yield path
                continue
            run_id = path.rpartition("/")[2].removesuffix(".parquet")
            is_interrupted = run_id in ids and run_id not in snapshot  # fsck completes it
            if run_id not in snapshot.loose and not is_interrupted:
                yield path
    for path in storage.below(f"{TABLES}/{COMPACTED}"):
        if path not in named:
            yield path


def _unfinished(storage: LocalStorage, folder: str) -> Iterator[str]:
    with suppress(OSError), os.scandir(storage.path(folder)) as entries:
        for entry in entries:
            path = f"{folder}/{entry.name}" if folder else entry.name
            if entry.is_dir(follow_symlinks=False):
                yield from _unfinished(storage, path)
            elif _UNFINISHED.fullmatch(entry.name) or "/.compacting-" in path:
                yield path


def _remove_empty_folders(storage: LocalStorage, before: float) -> None:
    for part in (ARTIFACTS, JOBS, RUNS, TABLES):
        for folder, _, _ in os.walk(storage.path(part), topdown=False):
            with suppress(OSError):
                if os.stat(folder).st_mtime < before:  # noqa: PTH116
                    os.rmdir(folder)  # noqa: PTH106 (fails for folders that have something)

"""Many small Parquet files → one per table, sorted by model and time, so that large stores answer at once."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.scratch_folder import scratch_folder
from trex.store.check import compaction_problems, parquet_problem
from trex.store.columns import RUNS
from trex.store.columns import TABLES as ALL_TABLES
from trex.store.layout import COMPACTED, TABLES, table_file
from trex.store.queries import add_view, connected, quoted_path
from trex.store.run_store import RunStore
from trex.store.sealed_parquet import KEY, ZEROS, seal
from trex.store.storage import LocalStorage
from trex.store.table_files import Compaction, Snapshot

ORDER = {
    "runs": "model, made_at, id",
    "layers": "model, id, layer",
    "tactics": "model, id, tactic",
    "samples": "model, id, query",
    "findings": "model, id, code",
}
ROW_GROUP = {"runs": 10_000}
USUAL_ROW_GROUP = 100_000
_FULL = os.strerror(errno.ENOSPC)


@dataclass(frozen=True)
class CompactionResult:
    """runs: in the compacted files, 0 if there was nothing to do. files: small ones that are gone."""

    runs: int
    files: int


def compact(store: RunStore) -> CompactionResult:
    """Merges all rows, then removes what was merged. Readers, writers and other compactions may go on: what two of them
    merge counts once.
    """
    storage = store.writable()
    while True:
        store.refresh()
        before = store.snapshot
        is_one = len(before.compactions) == 1 and not before.loose
        if not before.loose and (not before.compactions or (is_one and not before.compacted & before.removed)):
            _remove_replaced(storage, before)
            return CompactionResult(0, 0)
        ids = sorted((*before.loose, *(before.compacted - before.removed)))
        try:
            _check_whole(storage, before)
            _write_tables(storage, before, ids)
        except TrexError:
            if not _has_lost_files(store, before):
                raise
            continue
        files = _remove_merged(storage, before)
        store.refresh()
        return CompactionResult(len(ids), files)


def _check_whole(storage: LocalStorage, before: Snapshot) -> None:
    """Raises TrexError for a file that lacks rows or has those of another run: once merged, nothing would show it."""
    problems = [
        (problem.path, problem.message) for item in before.compactions for problem in compaction_problems(storage, item)
    ]
    for run_id, part in before.loose.items():
        for table in ALL_TABLES:
            path = table_file(table, part, run_id)
            problems.append((path, parquet_problem(storage, path, (run_id,))))
    for path, reason in problems:
        if reason:
            message = f"the tables can't be compacted: {reason}"
            raise TrexError(message, "trex store fsck --repair", storage.address(path))


def _has_lost_files(store: RunStore, before: Snapshot) -> bool:
    """Whether another compaction has removed some of them."""
    store.refresh()
    names = {compaction.name for compaction in store.snapshot.compactions}
    has_loose = store.snapshot.loose.keys() >= before.loose.keys()
    return not (has_loose and names >= {compaction.name for compaction in before.compactions})


def _write_tables(storage: LocalStorage, before: Snapshot, ids: list[str]) -> None:
    known = (*before.compactions, *before.replaced)
    replaced = frozenset(compaction.name for compaction in known).union(*(compaction.replaces for compaction in known))
    name = hashlib.sha256("\n".join((*ids, "replaces", *sorted(replaced))).encode()).hexdigest()[:16]
    tables = {table: f"{TABLES}/{table}/{COMPACTED}/{name}.parquet" for table in ALL_TABLES}
    compaction = Compaction(name, tables, replaced, len(ids))
    rows: dict[str, int] = {}
    import duckdb

    storage.make_folder(storage.path(f"{TABLES}/{COMPACTED}"))
    with scratch_folder(".compacting-", storage.path(TABLES)) as folder:
        try:
            connection = connected(before, Path(folder))
            for table, path in tables.items():
                add_view(connection, before, table)
                target, written = storage.path(path), Path(folder) / f"{table}.parquet"
                size = ROW_GROUP.get(table, USUAL_ROW_GROUP)
                (copied,) = connection.execute(
                    f'COPY (SELECT * FROM "{table}" ORDER BY {ORDER[table]}) TO '
                    f"{quoted_path(written)} "
                    f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {size}, KV_METADATA {{'{KEY}': '{ZEROS}'}})"
                ).fetchall()
                rows[table] = copied[0]
                with written.open("r+b") as file:
                    seal(file)
                storage.make_folder(target.parent)
                written.replace(target)
        except duckdb.Error as error:
            text = str(error).partition("\n\n")[0]
            if _FULL in text:
                raise TrexError(f"the store can't be written: {_FULL}", "check its space", storage.where) from error
            message = f"the tables can't be compacted: {text}"
            raise TrexError(message, "try again, or look for damage: trex store fsck", storage.where) from error
        except OSError as error:
            reason = error.strerror or error
            raise TrexError(f"the store can't be written: {reason}", "check its space", storage.where) from error
    if rows[RUNS.name] != len(ids):
        message = f"the tables can't be compacted: {counted(len(ids), 'run')} became {rows[RUNS.name]:,}"
        raise TrexError(message, "look for damage: trex store fsck", storage.where)
    index: dict[str, Any] = {"runs": len(ids), "rows": rows, "replaces": sorted(replaced)}
    index["tables"] = {table: path.rpartition("/")[2] for table, path in tables.items()}
    storage.write(compaction.ids_file, ("\n".join(ids) + "\n").encode())
    storage.write(compaction.index_file, (json.dumps(index) + "\n").encode())


def _remove_merged(storage: LocalStorage, before: Snapshot) -> int:
    """The files whose rows are compacted now."""
    count = 0
    for run_id, part in before.loose.items():
        for table in ALL_TABLES:
            count += storage.delete(table_file(table, part, run_id))
    for compaction in (*before.compactions, *before.replaced):
        remove_compaction(storage, compaction)
    return count


def remove_compaction(storage: LocalStorage, compaction: Compaction) -> None:
    """A replaced one; its index last."""
    for path in (*compaction.tables.values(), compaction.ids_file, compaction.index_file):
        storage.delete(path)


def _remove_replaced(storage: LocalStorage, snapshot: Snapshot) -> None:
    """What a killed compaction left: compactions that another replaced."""
    for compaction in snapshot.replaced:
        remove_compaction(storage, compaction)

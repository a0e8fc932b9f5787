"""Runs that have a manifest and no rows, which no query sees, → a Note."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trex.core.counted import counted
from trex.core.note import Note

if TYPE_CHECKING:
    from trex.store.run_store import RunStore


def runs_without_rows(store: RunStore) -> tuple[Note, ...]:
    """At most one. Adding them goes on, or a repair does or was stopped."""
    missing = _number(store)
    if not missing:
        return ()
    message = f"{counted(missing, 'run')} without rows, not listed: adding it goes on, or the rows are lost"
    return (Note("runs-without-rows", message, "trex store fsck", store.storage.where),)


def with_missing_runs(store: RunStore, hint: str) -> str:
    """The hint of an error that no run fits, with the number of runs that no query sees."""
    missing = _number(store)
    return f"{hint}; {counted(missing, 'run')} without rows: trex store fsck" if missing else hint


def _number(store: RunStore) -> int:
    snapshot = store.snapshot
    return len(store.run_ids(frozenset((*snapshot.loose, *snapshot.compacted, *snapshot.removed))))

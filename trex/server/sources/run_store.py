"""Runs of a store (``trex store``) that is the folder itself, or one of the folders in it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.printable import encodable
from trex.ingest.confinement import confined, may_read
from trex.plan.engine_plan import EnginePlan
from trex.server.entry import UNREADABLE, Entry, Headline, is_store
from trex.server.listing import MOST_RUNS

if TYPE_CHECKING:
    from trex.store.run import StoredRun
    from trex.store.run_store import RunStore


def entries(root: str) -> Iterator[Entry]:
    try:
        folders = [Path(root), *sorted(path for path in Path(root).iterdir() if os.path.isdir(path))]  # noqa: PTH112
    except OSError as error:  # it was there when the server began
        raise TrexError(f"the folder can't be read: {error.strerror or error}", "trex serve FOLDER", root) from error
    for folder in folders:
        if is_store(folder) and may_read(str(folder / "runs")):
            yield from _runs(folder, "" if folder == Path(root) else folder.name)


def _runs(folder: Path, name: str) -> Iterator[Entry]:
    from trex.store.run_store import RunStore

    try:
        store = RunStore.open(folder)
    except TrexError as error:  # of a newer trex, or damaged
        yield _unreadable(folder, "", name, error)
        return
    for run in islice(store.run_ids(), MOST_RUNS):
        try:
            yield _entry(store, store.manifest(run)[0], name)
        except TrexError as error:
            yield _unreadable(folder, run, name, error)


def _unreadable(folder: Path, run: str, name: str, error: TrexError) -> Entry:
    """A run, or the whole store, that says when it is opened why it cannot be read."""

    def load() -> EnginePlan:
        raise error

    return Entry(
        key=encodable(f"{name}/run:{run}"),
        name=run or folder.name,
        folder=name,
        parts=(),
        changed=None,
        size=0,
        state=(str(folder), run),
        load=load,
        headline=Headline(origin=UNREADABLE),
    )


def _entry(store: RunStore, run: StoredRun, name: str) -> Entry:
    time = run.made_at or run.added_at
    bounds = (run.expected_from_ms, run.expected_to_ms)
    labels = [f"{key}={value}" for key, value in run.labels.items()]
    return Entry(
        key=encodable(f"{name}/run:{run.id}"),
        name=run.name,
        folder=" ".join(filter(None, (f"{name}/{run.id}".lstrip("/"), run.gpu, *labels))),
        parts=("layer times",) if run.timed_layers else ("layers",) if run.layers else (),
        changed=None if time is None else time.timestamp(),
        size=sum(item.size_bytes for item in run.artifacts if item.is_kept),
        state=(str(store.storage.where), run.id),
        load=partial(_load, store, run.id),
        headline=Headline(
            run.gpu_compute_ms,
            None if bounds[0] is None or bounds[1] is None else (bounds[0], bounds[1]),
            _origin(run),
        ),
    )


def _origin(run: StoredRun) -> str:
    if run.provenance and run.gpu_compute_ms is None and run.problems:
        return counted(run.problems, "problem")
    return run.provenance or "no times"


def _load(store: RunStore, run: str) -> EnginePlan:
    """From a copy of its files outside of the store, each checked by its hash."""
    with confined((tempfile.gettempdir(),)):
        return store.plan(run)

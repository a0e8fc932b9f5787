"""Where the run store is, and ``store:ID`` → EnginePlan: the same for every command."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, finalize

from trex.core.scratch_folder import scratch_folder

if TYPE_CHECKING:
    from trex.core.note import Note
    from trex.plan.engine_plan import EnginePlan
    from trex.store.run import StoredRun
    from trex.store.run_store import RunStore

STORE_HELP = "the run store (default: $TREX_STORE, as configured, else trex-store)"
FOLDER = "trex-store"
VARIABLE = "TREX_STORE"


def store_path(folder: str = "") -> str:
    """As asked, else the environment's TREX_STORE, else ``store`` of the nearest trex.toml, else ``trex-store``."""
    if chosen := folder or os.environ.get(VARIABLE, ""):
        return chosen
    from trex.ingest.config_toml import configured_store, find_configuration

    file = find_configuration()
    return (configured_store(file) if file else "") or FOLDER


def open_store(folder: str = "", create: bool = False) -> RunStore:
    """The store there. Raises TrexError if there is none, unless it may be created."""
    from trex.store.run_store import RunStore

    return RunStore.open(store_path(folder), create)


_ID_OF: WeakKeyDictionary[EnginePlan, str] = WeakKeyDictionary()
"""Plans that were read from the store → ids of their runs."""


def load_stored(path: str, load: Callable[[str], EnginePlan]) -> EnginePlan:
    """The run that ``store:ID`` or ``store:latest,NAME=VALUE`` names. load: folder → plan. Raises TrexError."""
    from trex.store.selection import read_selection, select

    store = open_store()
    return _loaded(store, select(store, read_selection(path))[0], load)


def _loaded(store: RunStore, run_id: str, load: Callable[[str], EnginePlan]) -> EnginePlan:
    """From a copy of its files, in a folder with the beginning of its id, that stays as long as the plan."""
    from trex.ingest.opening import MEMBER_MARK

    with ExitStack() as stack:
        folder = Path(stack.enter_context(scratch_folder())) / run_id[:8]
        folder.mkdir()
        store.copy_files(run_id, folder)
        run, files = store.manifest(run_id)
        part = next((path for path in (files.graph, files.profile) if path and MEMBER_MARK in path), "")
        plan = load(f"{folder}/{part}" if part else str(folder))  # an archive may hold several engines
        codes = {note.code for note in plan.notes}
        # What the folder said of its run, which its files alone do not.
        plan.notes = (*plan.notes, *(note for note in files.notes if note.code not in codes), *_of_clock(run))
        finalize(plan, stack.pop_all().close)
    _ID_OF[plan] = run_id
    return plan


def _of_clock(run: StoredRun) -> Iterator[Note]:
    """What ``trex store list`` says of all runs."""
    from trex.core.note import Note
    from trex.store.run import SKEW

    if run.made_at is not None and run.added_at is not None and run.made_at > run.added_at + SKEW:
        message = f"store:{run.id[:8]} was made after it was added, by another clock: it may not be the latest run"
        yield Note("clock-skew", message, "name the run to compare with: trex store list", severity="warning")


def latest_like(path: str, new: EnginePlan) -> tuple[EnginePlan, ...]:
    """The latest run that ``store:latest`` names and that is like the new engine, and the repetitions of its job.

    Of a new engine that is a run of the store, the build options and labels must be the same, too, apart from those
    that are given; its own run and the repetitions of its job at the same commit are not chosen.
    """
    from trex.plan.engine_plan import EnginePlan
    from trex.plan.loading import load_plan
    from trex.store.selection import latest_base, read_selection

    store = open_store()
    run_id = _ID_OF.get(new, "")
    if run_id:
        ids = latest_base(store, read_selection(path), store.run(run_id))
    else:
        ids = latest_base(store, read_selection(path), None, _facts(new))
    return tuple(_loaded(store, chosen, lambda folder: load_plan(EnginePlan, folder)) for chosen in ids)


def _facts(plan: EnginePlan) -> dict[str, Any]:
    from trex.store.readings import RunReading

    return RunReading(plan).facts()

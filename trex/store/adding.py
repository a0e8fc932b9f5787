"""Addresses of engines → runs of a store; what can't be read is listed with its error, and the others are added."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from trex.core.errors import TrexError
from trex.core.steps import in_steps
from trex.core.whole_set import FAILED_ENDING
from trex.core.worker_processes import in_processes
from trex.ingest.finding.engine_files import EngineFiles
from trex.plan.loading import find_plans
from trex.store.run import StoredRun
from trex.store.run_store import RunStore
from trex.store.transfer import local_copy, raise_of_store

_OF_ENGINES = (".engine", ".plan", ".trt", ".tea", "graph.json", "profile.json", "timing.json")
"""Endings of files whose folder, without an engine, is worth an error."""


@dataclass(frozen=True, slots=True)
class FailedAddress:
    """address: as given, or a folder or file below it."""

    address: str
    message: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class AddedRuns:
    """added: new runs. known: those that the store had already."""

    added: tuple[StoredRun, ...] = ()
    known: tuple[StoredRun, ...] = ()
    failed: tuple[FailedAddress, ...] = ()

    @classmethod
    def of(cls, parts: Iterable[AddedRuns]) -> AddedRuns:
        """All of several parts."""
        added: list[StoredRun] = []
        known: list[StoredRun] = []
        failed: list[FailedAddress] = []
        for part in parts:
            added += part.added
            known += part.known
            failed += part.failed
        return cls(tuple(added), tuple(known), tuple(failed))


@dataclass(frozen=True, slots=True)
class AddOptions:
    """As of ``RunStore.add``. is_recursive: every engine below a folder."""

    labels: Mapping[str, str] = field(default_factory=dict)
    model: str = ""
    commit: str | None = None
    keeps_binaries: bool = False
    is_recursive: bool = False


def add_addresses(store: RunStore, addresses: tuple[str, ...], options: AddOptions, jobs: int = 1) -> AddedRuns:
    """Adds the engines at all addresses. jobs: processes that read at the same time.

    Raises TrexError only where the store can't be written.
    """
    return AddedRuns.of(_added(store, addresses, options, jobs))


def _added(store: RunStore, addresses: tuple[str, ...], options: AddOptions, jobs: int) -> Iterator[AddedRuns]:
    for source in in_steps("path", addresses):
        try:
            with local_copy(source) as copied:
                is_tree = options.is_recursive and os.path.isdir(copied)  # noqa: PTH112
                for part in _parts(store, list(folders_below(copied)) if is_tree else [copied], options, jobs):
                    yield _renamed(part, copied, source)
        except TrexError as error:
            raise_of_store(error, store)
            yield AddedRuns(failed=(FailedAddress(source, error.message, error.hint),))


def _parts(store: RunStore, folders: list[str], options: AddOptions, jobs: int) -> Iterator[AddedRuns]:
    if jobs < 2 or len(folders) < 2:
        for folder in in_steps("folder", folders):
            yield add_folder(store, folder, options)
        return
    calls = [(store.storage.where, folder, options) for folder in folders]
    yield from in_steps("folder", in_processes(_in_process, calls, jobs), len(folders))
    store.refresh()


def _in_process(where: str, folder: str, options: AddOptions) -> AddedRuns:
    return add_folder(RunStore.open(where), folder, options)


def add_folder(store: RunStore, folder: str, options: AddOptions) -> AddedRuns:
    """The engines at one address; a unit of work for processes and for workers of a cluster."""
    try:
        engines = find_plans(folder)
    except TrexError as error:
        is_listed = not options.is_recursive or _has_engine_files(folder)
        failed = FailedAddress(error.where or folder, error.message, error.hint)
        return AddedRuns(failed=(failed,) if is_listed else ())
    added: list[StoredRun] = []
    known: list[StoredRun] = []
    failures: list[FailedAddress] = []
    for files in engines:
        if options.is_recursive and not _is_directly_in(files, folder):
            continue  # of a folder below, which is looked at by itself
        try:
            run, is_new = store.add_engine(
                files,
                labels=options.labels,
                model=options.model,
                commit=options.commit,
                keeps_binaries=options.keeps_binaries,
            )
            (added if is_new else known).append(run)
        except TrexError as error:
            raise_of_store(error, store)
            failures.append(FailedAddress(error.where or files.paths[0], error.message, error.hint))
    return AddedRuns(tuple(added), tuple(known), tuple(failures))


def folders_below(root: str) -> Iterator[str]:
    """The folder and all below it, sorted, without hidden ones and those of failed runs."""
    for folder, names, _ in os.walk(root):
        names[:] = sorted(name for name in names if not name.startswith(".") and not name.endswith(FAILED_ENDING))
        yield folder


def _is_directly_in(files: EngineFiles, folder: str) -> bool:
    path = files.archive or files.paths[0]
    return not os.path.isdir(folder) or Path(path).parent == Path(folder)  # noqa: PTH112


def _has_engine_files(folder: str) -> bool:
    try:
        return any(name.endswith(_OF_ENGINES) for name in os.listdir(folder))  # noqa: PTH208
    except OSError:
        return True


def _renamed(part: AddedRuns, copied: str, source: str) -> AddedRuns:
    """Errors name what was asked for, not its temporary copy."""
    if copied == source:
        return part
    failed = tuple(replace(item, address=item.address.replace(copied, source, 1)) for item in part.failed)
    return replace(part, failed=failed)

"""RunStore: a folder of runs; every file in it is written once, whole, so that writers never meet."""

from __future__ import annotations

import os
from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timezone
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trex.core.errors import TrexError
from trex.core.held_signals import signals_held
from trex.core.printable import encodable
from trex.ingest.finding.engine_files import EngineFiles
from trex.ingest.finding.run_outcomes import MANIFEST
from trex.store.artifacts import Collected, collect, copy_artifacts, files_in, write_artifacts
from trex.store.columns import RUNS, TABLES
from trex.store.layout import (
    ID,
    REMOVED,
    STORE_FILE,
    check_format,
    job_folder,
    partition,
    run_file,
    store_document,
    table_file,
    utc_now,
)
from trex.store.layout import RUNS as RUN_FOLDERS
from trex.store.manifest import manifest_facts, read_run, run_id, run_text
from trex.store.queries import StoreQueries
from trex.store.run import SIMULATED, StoredRun, check_count
from trex.store.storage import LocalStorage, RemoteStorage, Storage, storage_of
from trex.store.table_files import Snapshot, parquet_bytes, run_row, snapshot_of

if TYPE_CHECKING:
    import pandas as pd

    from trex.plan.engine_plan import EnginePlan

_LISTED = 8


class RunStore:
    """Runs on disk, or read-only behind an fsspec address. What others add is seen after ``refresh``."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self._ids_of: dict[str, frozenset[str]] = {}
        self._seen = Snapshot(storage, {}, (), frozenset())

    @classmethod
    def open(cls, path: str | os.PathLike[str], create: bool = False) -> RunStore:
        """path: a folder, or an fsspec address (``s3://bucket/store``). create: makes a new one of an empty folder.

        Raises TrexError for what is no store, and for a store of a newer trex.
        """
        storage = storage_of(path)
        try:
            content = storage.read(STORE_FILE)
        except (FileNotFoundError, NotADirectoryError):
            if not create:
                hint = "trex store add FOLDER --store PATH creates one"
                raise TrexError("there is no run store here", hint, storage.where) from None
            return cls(_created(storage))
        except OSError as error:
            reason = error.strerror or error
            raise TrexError(f"the store can't be read: {reason}", "check its permissions", storage.where) from error
        check_format(content, storage.address(STORE_FILE))
        return cls(storage)

    # ---- Reading

    def _look(self) -> Snapshot:
        self.storage.look_again()
        return snapshot_of(self.storage, self._ids_of)

    @cached_property
    def snapshot(self) -> Snapshot:
        """What the store contained when it was last looked at."""
        return self._look()

    @cached_property
    def queries(self) -> StoreQueries:
        return StoreQueries(self._look)

    def refresh(self) -> None:
        """Forgets what the store contained when it was first looked at."""
        self.storage.look_again()
        self.__dict__.pop("snapshot", None)
        self.__dict__.pop("queries", None)

    def frame(self, table: str) -> pd.DataFrame:
        """All rows of a table: ``runs``, ``layers``, ``tactics``, ``samples`` or ``findings``."""
        if table not in TABLES:
            raise TrexError(f"a store has no table {table!r}", f"tables: {', '.join(TABLES)}")
        return self.queries.frame(f'SELECT * FROM "{table}"')

    def sql(self, text: str) -> pd.DataFrame:
        """The result of one SELECT over the tables. Raises TrexError for anything else, and for a failed query."""
        return self.queries.frame(text)

    def has_job(self, job_key: str, repetition: int | None = None) -> bool:
        """Whether a run of this job is complete in the store, as it is now. repetition: None for any."""
        return self.run_of_job(job_key, repetition) is not None

    def run_of_job(self, job_key: str, repetition: int | None = None) -> StoredRun | None:
        """A run of this job that is complete in the store, as it is now; None without one."""
        storage = self.writable()
        beginning = "" if repetition is None else f"{repetition}-"
        with suppress(FileNotFoundError):
            for name in os.listdir(storage.path(job_folder(job_key))):  # noqa: PTH208
                if name.startswith(beginning) and (run := self._complete_run(name.rpartition("-")[2])):
                    return run
        return None

    def has_run(self, wanted: str) -> bool:
        """Whether the run with this whole id is complete in the store, as it is now."""
        return self._complete_run(wanted) is not None

    def _complete_run(self, wanted: str) -> StoredRun | None:
        try:
            run, _ = self.manifest(wanted)
        except TrexError:
            return None
        if self.storage.exists(f"{REMOVED}/{wanted}"):
            return None
        if self.storage.exists(table_file(RUNS.name, partition(run), wanted)):
            return run
        if wanted not in self._seen.compacted:
            self._seen = self._look()
        return run if wanted in self._seen.compacted else None

    def run(self, wanted: str) -> StoredRun:
        """By its id, or the beginning of it. Raises TrexError if there is none, or several."""
        return self.manifest(self.id_of(wanted))[0]

    def id_of(self, wanted: str) -> str:
        if ID.fullmatch(wanted) and self.storage.exists(run_file(wanted)):
            return wanted
        names = [name for name in self.storage.folders(RUN_FOLDERS) if ID.fullmatch(name)]
        matches = [name for name in names if wanted and name.startswith(wanted.lower())]
        if len(matches) == 1:
            return matches[0]
        if matches:
            listed = ", ".join(matches[:_LISTED])
            raise TrexError(f"{len(matches)} runs begin with {wanted!r}", f"one of {listed}", self.storage.where)
        raise TrexError(f"the store has no run {wanted!r}", "trex store list", self.storage.where)

    def manifest(self, wanted: str) -> tuple[StoredRun, EngineFiles]:
        """The run with this whole id, and its files under the names of its artifacts."""
        path = run_file(wanted)
        try:
            content = self.storage.read(path)
        except OSError as error:
            where = self.storage.address(path)
            raise TrexError(f"the run can't be read: {error}", "trex store fsck", where) from error
        return read_run(content, self.storage.address(path))

    def plan(self, wanted: str) -> EnginePlan:
        """The engine's plan, read from the run's files; they stay in a temporary folder as long as the plan."""
        import shutil
        import tempfile
        import weakref

        from trex.core.scratch_folder import scratch_of_process
        from trex.ingest.artifacts import read_artifacts
        from trex.plan.engine_plan import EnginePlan

        run, files = self.manifest(self.id_of(wanted))
        folder = Path(tempfile.mkdtemp(prefix=f"{run.short_id}-", dir=scratch_of_process()))
        try:
            copy_artifacts(self.storage, run.artifacts, folder)
            kept = frozenset(item.name for item in run.artifacts if item.is_kept)
            plan = EnginePlan.from_artifacts(read_artifacts(files_in(folder, files, kept)), run.name)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        weakref.finalize(plan, shutil.rmtree, folder, True)
        return plan

    def copy_files(self, wanted: str, folder: str | os.PathLike[str]) -> list[Path]:
        """Writes the run's files into a folder, under their own names."""
        return copy_artifacts(self.storage, self.run(wanted).artifacts, Path(folder))

    # ---- Writing

    def add(
        self,
        folder: str | os.PathLike[str],
        *,
        labels: Mapping[str, str] | None = None,
        job_key: str | None = None,
        repetition: int = 0,
        model: str = "",
        commit: str | None = None,
        options: Mapping[str, str] | None = None,
        fills_options: bool = False,
        keeps_binaries: bool = False,
    ) -> StoredRun:
        """Adds the only engine at an address as a run; a run that the store has is returned as it is.

        model: its name in the tables, by default the engine's. options: of the build, by default those in the files.
        fills_options: only those that the files lack.
        keeps_binaries: stores engine and model, too. Raises TrexError for what can't be read, and for several engines.
        """
        from trex.plan.loading import find_plans

        engines = find_plans(folder)
        if len(engines) > 1:
            listed = ", ".join(files.name for files in engines[:_LISTED])
            raise TrexError(f"{len(engines)} engines here: {listed}", "add them one by one", os.fspath(folder))
        run, _ = self.add_engine(
            engines[0],
            labels=labels,
            job_key=job_key,
            repetition=repetition,
            model=model,
            commit=commit,
            options=options,
            fills_options=fills_options,
            keeps_binaries=keeps_binaries,
        )
        return run

    def add_engine(
        self,
        files: EngineFiles,
        *,
        labels: Mapping[str, str] | None = None,
        job_key: str | None = None,
        repetition: int = 0,
        model: str = "",
        commit: str | None = None,
        options: Mapping[str, str] | None = None,
        fills_options: bool = False,
        keeps_binaries: bool = False,
    ) -> tuple[StoredRun, bool]:
        """As ``add``, of files that were found already: (run, whether it is new)."""
        storage = self.writable()
        labels = {str(name): str(value) for name, value in (labels or {}).items()}
        check_count(len(labels))
        if commit is not None and encodable(commit) != commit:
            raise TrexError("the commit is not UTF-8", "give its hash", commit)
        collected = collect(files, keeps_binaries)
        problems = {note.code for note in files.notes if note.severity == "problem"}
        new_id = run_id((*collected.identity, *problems), job_key, repetition, commit, labels)
        if storage.exists(run_file(new_id)) and self.has_run(new_id):
            write_artifacts(storage, collected)  # one may have been lost
            return self.run(new_id), False
        given: dict[str, Any] = {"id": new_id, "labels": labels, "job_key": job_key, "repetition": repetition}
        given |= {"commit": commit, "artifacts": collected.artifacts}
        if options is not None:
            given["options"] = {str(name): str(value) for name, value in options.items()}
        return self._write(storage, files, collected, model, given, fills_options), True

    def _write(
        self,
        storage: LocalStorage,
        files: EngineFiles,
        collected: Collected,
        model: str,
        given: dict[str, Any],
        fills_options: bool,
    ) -> StoredRun:
        from trex.compare.run_settings import MEASURED_AS
        from trex.ingest.artifacts import read_artifacts
        from trex.plan.engine_plan import EnginePlan
        from trex.store.readings import RunReading

        reading = RunReading(EnginePlan.from_artifacts(read_artifacts(files)), model)
        of_files = reading.facts()
        if fills_options:
            own = of_files["options"]
            known = set(MEASURED_AS) if own.keys() & set(MEASURED_AS) else set()  # a default is not written
            given["options"] = {
                name: text for name, text in given.get("options", {}).items() if name not in known
            } | own
        facts = {**_origin(files, collected), **_only_known(of_files), **_of_files(collected), **given}
        if SIMULATED in (facts.get("provenance"), facts.get("backend")):  # its engine file is a note that says so
            facts["engine_bytes"] = None
        run = StoredRun(**facts, added_at=utc_now())
        rows = reading.rows(run.id)
        collected.check_unchanged()
        write_artifacts(storage, collected)
        self.commit(storage, run, collected.files, rows)
        write_artifacts(storage, collected)  # one that nothing needed may have gone meanwhile
        return run

    def commit(self, storage: LocalStorage, run: StoredRun, files: EngineFiles, rows: Mapping[str, Any]) -> None:
        """Writes manifest and rows; those of ``runs`` come last: with them the run counts."""
        part = partition(run)
        for name, table in TABLES.items():
            if name != RUNS.name:
                storage.write(table_file(name, part, run.id), parquet_bytes(table, rows[name]))
        storage.write(run_file(run.id), run_text(run, files).encode())
        if run.job_key:
            storage.touch(f"{job_folder(run.job_key)}/{run.repetition}-{run.id}")
        storage.delete(f"{REMOVED}/{run.id}")
        storage.write(table_file(RUNS.name, part, run.id), parquet_bytes(RUNS, [run_row(run)]))
        self.refresh()

    def remove(self, wanted: str) -> StoredRun:
        """Removes a run; its files stay until ``trex store gc``."""
        storage = self.writable()
        run = self.run(wanted)
        part = partition(run)
        with signals_held():
            storage.write(f"{REMOVED}/{run.id}", b"")  # also over the mark of a repair
            for name in TABLES:
                storage.delete(table_file(name, part, run.id))
            if run.job_key:
                storage.delete(f"{job_folder(run.job_key)}/{run.repetition}-{run.id}")
            storage.delete(run_file(run.id))
        self.refresh()
        return run

    def run_ids(self, known: Container[str] = ()) -> list[str]:
        """Of every run that has a manifest, whatever it contains, but known ones. What is killed while it adds or
        removes a run may leave the folder alone.
        """
        names = [name for name in self.storage.folders(RUN_FOLDERS) if ID.fullmatch(name) and name not in known]
        if isinstance(self.storage, RemoteStorage):  # object stores have no empty folders, and each question costs
            return names
        return [name for name in names if self.storage.exists(run_file(name))]

    def manifests(self) -> Iterator[StoredRun]:
        """Every run by its manifest, sorted by id; slow for many, unlike ``sql``."""
        return (self.manifest(run)[0] for run in self.run_ids())

    def writable(self) -> LocalStorage:
        """The store's folder. Raises TrexError for a store behind an address."""
        if isinstance(self.storage, RemoteStorage):
            raise TrexError("a store behind an address is read-only", "copy it to a folder first", self.storage.where)
        return self.storage


def _created(storage: Storage) -> LocalStorage:
    if isinstance(storage, RemoteStorage):
        raise TrexError("there is no run store here, and addresses are read-only", "name a folder", storage.where)
    root = storage.root
    names = {entry.name for entry in root.iterdir() if not entry.name.startswith(".")} if root.is_dir() else set()
    if STORE_FILE in names:  # another process has just made it
        return storage
    if names:
        raise TrexError("the folder has other files and is no run store", "name a new or an empty folder", str(root))
    storage.write(STORE_FILE, store_document().encode())
    return storage


def _origin(files: EngineFiles, collected: Collected) -> dict[str, Any]:
    """How and when the files were made, by their manifest, else by the time of the newest file."""
    from trex import __version__

    sha256_of = {artifact.name: artifact.sha256 for artifact in collected.artifacts}
    hashes = {Path(source).name: sha256_of[name] for name, source in collected.sources.items()}
    facts = {
        "trex": __version__,
        **manifest_facts(Path(next(iter(collected.sources.values()))).parent / MANIFEST, files, hashes),
    }
    if "made_at" in facts:
        return {**facts, "made_at_from": "manifest"}
    if not collected.newest > 0.0:
        return facts
    try:
        modified = datetime.fromtimestamp(collected.newest, timezone.utc).replace(tzinfo=None)
    except (OverflowError, ValueError, OSError):  # no time of this world
        return facts
    made_at = modified.replace(microsecond=modified.microsecond // 1000 * 1000)
    return {**facts, "made_at": made_at, "made_at_from": "files"}


def _of_files(collected: Collected) -> dict[str, Any]:
    """What the files of the engine and of its model are."""
    return _only_known({"model_hash": collected.sha256_of("onnx"), "engine_bytes": collected.size_of("engine")})


def _only_known(facts: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if value is not None}

"""What is damaged in a store, named by file, and its repair: rows are made again from the files of their runs."""

from __future__ import annotations

import errno
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from trex.core.errors import TrexError
from trex.core.steps import in_steps
from trex.store.artifacts import check_artifact
from trex.store.columns import RUNS as RUNS_TABLE
from trex.store.columns import TABLES as ALL_TABLES
from trex.store.layout import (
    ARTIFACTS,
    COMPACTED,
    DAMAGED,
    LOST,
    REMOVED,
    RUNS,
    TABLES,
    artifact_file,
    job_folder,
    run_file,
    table_file,
)
from trex.store.run import StoredRun
from trex.store.run_store import RunStore
from trex.store.sealed_parquet import damage_of
from trex.store.storage import LocalStorage, Storage
from trex.store.sweep_record import FOLDER as SWEEPS
from trex.store.sweep_record import read_session, session_files
from trex.store.table_files import Compaction, Snapshot, compactions_in, snapshot_of

_LEAVES_OUT = "leaves the run out until its manifest is there again"
_REMAKES = "makes the rows again"
_REMOVES = "removes it"
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG)


@dataclass(frozen=True, slots=True)
class StoreProblem:
    """path: of the file, relative to the store. run: the run that lacks it, "" for several. repair: what
    ``trex store fsck --repair`` does, "" if it can't.
    """

    path: str
    message: str
    run: str = ""
    repair: str = ""


@dataclass(frozen=True)
class StoreCheck:
    """runs: with a manifest. repaired: runs whose rows were made again. removed: runs whose removal was completed."""

    runs: int
    problems: tuple[StoreProblem, ...]
    repaired: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


def check_store(store: RunStore, is_quick: bool = False) -> StoreCheck:
    """Reads every file of the store; is_quick: without the content of artifacts."""
    storage = store.storage
    problems: list[StoreProblem] = []
    manifests: dict[str, StoredRun] = {}
    for run_id in in_steps("run", store.run_ids()):
        try:
            run, _ = store.manifest(run_id)
        except TrexError as error:
            problems.append(StoreProblem(run_file(run_id), error.message, run_id, _LEAVES_OUT))
            continue
        if run.id != run_id:
            message = f"the manifest is of the run {run.id[:16]!r}"
            problems.append(StoreProblem(run_file(run_id), message, run_id, _LEAVES_OUT))
            continue
        manifests[run_id] = run
    problems += _artifact_problems(store, manifests.values(), is_quick)
    problems += _table_problems(store, manifests)
    problems += _session_problems(storage)
    return StoreCheck(len(manifests), tuple(problems))


def _artifact_problems(store: RunStore, runs: Iterable[StoredRun], is_quick: bool) -> Iterator[StoreProblem]:
    """Each artifact is read once, whichever runs have it."""
    storage = store.storage
    present = {path.rpartition("/")[2].removesuffix(".zst") for path in storage.below(ARTIFACTS)}
    reasons: dict[str, str] = {}
    for run in runs:
        for artifact in run.artifacts:
            if not artifact.is_kept:
                continue
            if artifact.sha256 not in reasons:
                reasons[artifact.sha256] = "the file is missing" if artifact.sha256 not in present else ""
                if not is_quick and artifact.sha256 in present:
                    try:
                        check_artifact(storage, artifact)
                    except TrexError as error:
                        reasons[artifact.sha256] = error.message
            if reason := reasons[artifact.sha256]:
                message = f"{reason} ({artifact.name})"
                yield StoreProblem(artifact_file(artifact.sha256), message, run.id)


def _table_problems(store: RunStore, manifests: dict[str, StoredRun]) -> Iterator[StoreProblem]:
    storage = store.storage
    compactions, unread = compactions_in(storage)
    for path, reason in unread:
        yield StoreProblem(path, reason, "", "makes the rows of its runs again")
    good, is_whole = [], not unread
    for compaction in compactions:
        problems = list(compaction_problems(storage, compaction))
        yield from problems
        is_whole = is_whole and not problems
        if not problems:
            good.append(compaction)
    snapshot = snapshot_of(storage, compactions=good)
    for run_id, part in sorted(snapshot.loose.items()):
        if run_id not in manifests:
            path = table_file(RUNS_TABLE.name, part, run_id)
            yield StoreProblem(path, "rows of a run without a manifest", run_id, _LEAVES_OUT)
        for table in ALL_TABLES:
            path = table_file(table, part, run_id)
            if reason := parquet_problem(storage, path, (run_id,)):
                yield StoreProblem(path, reason, run_id, _REMAKES)
    for run_id in sorted(without_manifest(snapshot, manifests) - snapshot.loose.keys()):
        if not storage.exists(run_file(run_id)):  # else its manifest is damaged, and listed
            message = "the manifest is missing, and rows of the run are there"
            yield StoreProblem(run_file(run_id), message, run_id, _LEAVES_OUT)
    for run in manifests.values():
        mark = f"{job_folder(run.job_key)}/{run.repetition}-{run.id}" if run.job_key else ""
        if run.id in snapshot.removed:
            yield _marked_problem(storage, run.id)
        elif run.id not in snapshot and is_whole:  # else they are those of the damaged compactions
            message = "the run has no rows: adding it was interrupted, or they are damaged"
            yield StoreProblem(run_file(run.id), message, run.id, _REMAKES)
        elif mark and not storage.exists(mark):
            yield StoreProblem(mark, "the mark of the job is missing", run.id, "writes it")


def _marked_problem(storage: Storage, run_id: str) -> StoreProblem:
    """Of a run that has a manifest and a mark in ``removed/``: only the mark of a removal removes it."""
    path = f"{REMOVED}/{run_id}"
    try:
        mark = storage.read(path)
    except OSError as error:
        return StoreProblem(path, f"the mark of the removed run can't be read: {error}", run_id)
    if mark == LOST:
        return StoreProblem(path, "the run was lost, and its manifest is there again", run_id, _REMAKES)
    return StoreProblem(path, "the run is marked as removed, its removal was interrupted", run_id, _REMOVES)


def _session_problems(storage: Storage) -> Iterator[StoreProblem]:
    """A repair leaves them: without its session, a gate would not know that jobs failed."""
    for path in session_files(storage):
        try:
            read_session(storage, path)
        except TrexError as error:
            yield StoreProblem(path, f"{error.message} ({error.hint})")


def without_manifest(snapshot: Snapshot, known: Container[str]) -> set[str]:
    """Runs that have rows which count, and no manifest. known: runs with one."""
    return {run_id for run_id in (*snapshot.loose, *(snapshot.compacted - snapshot.removed)) if run_id not in known}


def compaction_problems(storage: Storage, compaction: Compaction) -> Iterator[StoreProblem]:
    """Reads the ids of all its rows."""
    repair = "makes the rows of its runs again"
    try:
        ids = storage.read(compaction.ids_file).decode("ascii").split()
    except (OSError, ValueError) as error:
        yield StoreProblem(compaction.ids_file, f"the list of its runs can't be read: {error}", "", repair)
        return
    if len(ids) != compaction.count:
        yield StoreProblem(compaction.ids_file, f"{len(ids)} runs instead of {compaction.count}", "", repair)
    for table in ALL_TABLES:
        path, rows = compaction.tables.get(table), compaction.rows.get(table)
        reason = "the index does not name its file" if path is None else parquet_problem(storage, path, ids, rows)
        if reason:
            yield StoreProblem(path or compaction.index_file, reason, "", repair)


def parquet_problem(storage: Storage, path: str, ids: Iterable[str], rows: int | None = None) -> str:
    """Why a Parquet file can't be used, "" if it can. ids: the runs whose rows it has, each of them in ``runs``. rows:
    their number, if known.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    wanted, present = set(ids), set()
    try:
        if isinstance(storage, LocalStorage) and storage.path(path).is_symlink():
            return "a link is in the place of the file, and queries follow none (git-annex: git annex unlock)"
        with storage.open(path) as content:
            if reason := damage_of(content):
                return f"the Parquet file is damaged: {reason}"
            file = pq.ParquetFile(content)
            if "id" not in file.schema_arrow.names:
                return "the table has no column id"
            if rows is not None and file.metadata.num_rows != rows:
                return f"it has {file.metadata.num_rows} rows instead of {rows}"
            for group in range(file.num_row_groups):
                present.update(file.read_row_group(group, ["id"]).column("id").unique().to_pylist())
    except FileNotFoundError:
        return "the file is missing"
    except (OSError, pa.ArrowException) as error:
        return f"the Parquet file is damaged: {str(error).partition(chr(10))[0][:200]}"
    if present - wanted:
        return "rows of another run"
    if path.startswith(f"{TABLES}/{RUNS_TABLE.name}/") and wanted - present:
        return "rows of a run are missing"
    return ""


def repair_store(store: RunStore, is_quick: bool = False) -> StoreCheck:
    """Moves damaged files to ``damaged/`` and makes rows again from manifests and artifacts; what it can't repair stays
    in ``problems``. A run without a readable manifest does not count any more, and is named as lost this once; it
    counts again once the manifest is there, as after a sync.

    Raises TrexError if the store can't be written.
    """
    storage = store.writable()
    first = check_store(store, is_quick).problems
    for problem in first:
        _set_aside(store, storage, problem)
    store.refresh()
    lost: dict[str, StoreProblem] = {}
    for problem in first:
        if problem.repair == _LEAVES_OUT:
            lost.setdefault(problem.run, problem)
    for run_id in lost:
        mark = f"{REMOVED}/{run_id}"
        if not storage.exists(mark):
            storage.write(mark, LOST)
    store.refresh()
    repaired = []
    for run_id in in_steps("run", store.run_ids()):
        try:
            if _repaired(store, storage, run_id):
                repaired.append(run_id)
        except TrexError as error:
            if isinstance(error.__cause__, OSError) and error.__cause__.errno in _NO_SPACE:
                raise
            continue  # the check lists it
    store.refresh()
    second = check_store(store, is_quick)
    known = {problem.path for problem in second.problems}
    named = [
        replace(problem, message=f"the run is lost: {problem.message}", repair="")
        for problem in lost.values()
        if problem.path not in known
    ]
    removed = tuple(problem.run for problem in first if problem.repair == _REMOVES)
    return StoreCheck(second.runs, (*second.problems, *named), tuple(repaired), removed)


def _repaired(store: RunStore, storage: LocalStorage, run_id: str) -> bool:
    """Whether rows were missing and are there again."""
    from trex.store.readings import RunReading

    run, files = store.manifest(run_id)
    if run_id in store.snapshot.removed and _marked_problem(storage, run_id).repair != _REMAKES:
        return False
    part = store.snapshot.loose.get(run_id)
    has_files = part is None or all(storage.exists(table_file(name, part, run_id)) for name in ALL_TABLES)
    if run_id in store.snapshot and has_files:
        if run.job_key:
            storage.touch(f"{job_folder(run.job_key)}/{run.repetition}-{run.id}")
        return False
    store.commit(storage, run, files, RunReading(store.plan(run_id), run.model).rows(run_id))
    return True


def _set_aside(store: RunStore, storage: LocalStorage, problem: StoreProblem) -> None:
    """Moves a damaged file away, with all that counts only together with it."""
    path = problem.path
    if path.startswith(f"{REMOVED}/"):
        if problem.repair == _REMOVES:
            store.remove(problem.run)
    elif path.startswith(f"{TABLES}/") and f"/{COMPACTED}/" in path:
        name = Path(path).stem
        for table in ALL_TABLES:
            _move(storage, f"{TABLES}/{table}/{COMPACTED}/{name}.parquet")
        for ending in ("json", "ids"):
            _move(storage, f"{TABLES}/{COMPACTED}/{name}.{ending}")
    elif path.startswith(f"{SWEEPS}/"):
        return
    elif not path.startswith(f"{RUNS}/") or problem.repair == _LEAVES_OUT:  # a good manifest without rows stays
        _move(storage, path)


def _move(storage: LocalStorage, path: str) -> None:
    source, target = storage.path(path), storage.path(f"{DAMAGED}/{path}")
    if not source.exists():
        return
    for folder in (path, f"{DAMAGED}/{path}"):
        if storage.leads_out(str(Path(folder).parent)):
            raise TrexError(
                "a link leads out of the store: nothing is moved", "remove the link", storage.address(folder)
            )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        source.replace(target)
        with suppress(OSError):
            source.parent.rmdir()
    except OSError as error:
        reason = error.strerror or error
        raise TrexError(f"the damaged file can't be moved: {reason}", "check its permissions", str(source)) from error

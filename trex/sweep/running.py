"""One job on a worker: a child process in a folder of its own, whose files go into the store or back as bytes.

The child is ``trex process``: a build of hours never holds up the worker, which sends heartbeats meanwhile, and all
that it started ends with the worker, however that ends.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trex.capture.child import GRACE_S, TIME_LIMIT, ChildResult, run_child
from trex.capture.manifest import FileRecord, record_of
from trex.core.duration import seconds_words
from trex.core.errors import TrexError
from trex.core.printable import printable
from trex.core.regular_file import open_regular
from trex.core.scratch_folder import scratch_folder
from trex.core.whole_file import write_whole
from trex.core.whole_set import FAILED_ENDING
from trex.sweep.claims import RENEW_S, Claim, Claimed, claimed
from trex.sweep.failures import Failure, forget_failures, keep_failure
from trex.sweep.job import EXAMPLE, Job, JobRun

if TYPE_CHECKING:
    from trex.store.run import StoredRun
    from trex.store.run_store import RunStore

ADDED, STORED, RETURNED, BUSY, STORE_FAILED = "added", "stored", "returned", "busy", "store failed"
LOG_LINES = 12
_MOST_LOG = 1 << 18
"""Bytes of a failed run's own log that the job's log keeps."""
_FILES, _LOG = "out", "job.log"
_WATCH_S = 0.5
_PHASE_EVERY_S = 1.0
_HASHES: dict[str, FileRecord] = {}
"""Of models that this process has read."""


@dataclass(frozen=True, slots=True)
class Destination:
    """store: its folder. probe: a file in it that is there only for the workers that see the same folder.

    sweep: its name. topic: of the events that say what a worker does. program: that has ``process``; () for trex.
    """

    store: str
    probe: str
    sweep: str
    topic: str = ""
    commit: str | None = None
    program: tuple[str, ...] = ()

    @property
    def is_shared(self) -> bool:
        """Whether this worker sees the store's folder."""
        return Path(self.store, self.probe).is_file()

    @property
    def logs(self) -> Path:
        return Path(self.store, "sweeps", self.sweep, "logs")


@dataclass(frozen=True, slots=True)
class JobResult:
    """status: ADDED to the store by the worker, STORED there before, RETURNED as bytes in ``files``, BUSY in another
    sweep, or STORE_FAILED: the store took no files, which is no failure of the job. reason: for the last two.

    seconds: of the child.
    """

    status: str
    seconds: float = 0.0
    worker: str = ""
    run: JobRun = field(default_factory=JobRun)
    reason: str = ""
    files: bytes = b""


class JobFailed(Exception):
    """The job itself failed; ``failure`` says why. is_kept: its record is in the store."""

    def __init__(self, failure: Failure, is_kept: bool = False) -> None:
        super().__init__(failure, is_kept)
        self.failure = failure
        self.is_kept = is_kept

    def __str__(self) -> str:
        return self.failure.reason


class JobCancelled(Exception):
    """The sweep does not wait for the job any more."""


@dataclass
class _JobWorker:
    """The worker that runs this; outside of Dask, this process."""

    worker: Any
    key: Any
    name: str
    folder: str

    @classmethod
    def here(cls) -> _JobWorker:
        try:
            from distributed import get_worker

            worker = get_worker()
            return cls(worker, worker.get_current_task(), str(worker.name), worker.local_directory)
        except (ImportError, ValueError, AttributeError):
            return cls(None, "", "here", tempfile.gettempdir())

    def is_cancelled(self) -> bool:
        if self.worker is None:
            return False
        task = self.worker.state.tasks.get(self.key)
        return task is None or task.state == "cancelled"

    def report(self, topic: str, **facts: Any) -> None:
        if self.worker is not None and topic:
            with suppress(Exception):  # a worker that is closing
                self.worker.log_event(topic, {"on": self.name, **facts})  # Dask adds its address as "worker"


def run_job(job: Job, destination: Destination, model: bytes | None = None) -> JobResult:
    """model: its content, for a worker that does not see the file.

    Raises JobFailed, and JobCancelled if Dask has cancelled the task.
    """
    worker = _JobWorker.here()
    worker.report(destination.topic, job=job.name, state="running")
    if not destination.is_shared:
        return _returned(job, destination, worker, model)
    from trex.store.run_store import RunStore

    store = RunStore.open(destination.store)
    try:
        if run := store.run_of_job(job.key, job.repetition):
            return JobResult(STORED, 0.0, worker.name, JobRun.of(run))
        with claimed(Path(destination.store), job.name, f"{destination.sweep} on {worker.name}") as claim:
            if run := store.run_of_job(job.key, job.repetition):  # added since we looked
                return JobResult(STORED, 0.0, worker.name, JobRun.of(run))
            return _added(job, destination, worker, claim, model, store)
    except Claimed as error:
        return JobResult(BUSY, worker=worker.name, reason=error.holder)
    except TrexError as error:  # of the store
        return JobResult(STORE_FAILED, worker=worker.name, reason=str(error))


def _added(
    job: Job, destination: Destination, worker: _JobWorker, claim: Claim, model: bytes | None, store: RunStore
) -> JobResult:
    destination.logs.mkdir(parents=True, exist_ok=True)
    log = destination.logs / f"{job.name}.log"
    with _work_folder(worker) as folder:
        try:
            child = _run(job, destination, worker, folder, log, model, claim.renew)
            run = add_files(store, folder / "out", job, destination.commit, worker.name)
        except JobFailed as error:
            keep_failure(Path(destination.store), job.key, error.failure)
            raise JobFailed(error.failure, True) from None
    forget_failures(Path(destination.store), job.key)
    return JobResult(ADDED, child.duration_s, worker.name, JobRun.of(run))


def _returned(job: Job, destination: Destination, worker: _JobWorker, model: bytes | None) -> JobResult:
    with _work_folder(worker) as folder:
        log = folder / "job.log"
        child = _run(job, destination, worker, folder, log, model, lambda: None)
        return JobResult(RETURNED, child.duration_s, worker.name, files=zipped(folder / "out", log))


def add_files(store: RunStore, folder: Path, job: Job, commit: str | None, worker: str = "") -> StoredRun:
    """Raises JobFailed for files that can't be read, and TrexError if the store takes none."""
    name = job.labels.get("model", "").removeprefix(EXAMPLE)
    try:
        return store.add(
            folder,
            labels=job.labels,
            job_key=job.key,
            repetition=job.repetition,
            model=Path(name).stem if name.endswith(".onnx") else Path(name).name,
            commit=commit,
        )
    except TrexError as error:
        if isinstance(error.__cause__, OSError):  # a full disk, missing permissions
            raise
        message = f"its files can't be read: {error.message}"
        raise JobFailed(Failure(message, error.hint, worker=worker, labels=dict(job.labels))) from None


@contextmanager
def _work_folder(worker: _JobWorker) -> Iterator[Path]:
    """In the worker's own folder, which Dask empties after a worker that was killed."""
    with scratch_folder("trex-job-", worker.folder) as folder:
        yield Path(folder)


def _run(
    job: Job,
    destination: Destination,
    worker: _JobWorker,
    folder: Path,
    log: Path,
    model: bytes | None,
    renew: Callable[[], None],
) -> ChildResult:
    """Raises JobFailed and JobCancelled."""
    program = destination.program or (sys.executable, "-m", "trex")
    command = job.command(program, _model_here(job, folder, model), str(folder / "out"))
    phases = _Phases(job, destination, worker)
    watch = _Watch(worker, renew)
    started = time.monotonic()
    with suppress(OSError):  # no pipe and no link; what is written next says why
        log.unlink(missing_ok=True)
    try:
        with watch:
            child = run_child(command, log, phases.take, job.time_limit_s, on_start=watch.starts)
    except TrexError as error:  # the program can't start, or no log can be written
        raise JobFailed(_failure(job, worker, error.message, error.hint, (), time.monotonic() - started)) from None
    if watch.is_cancelled:
        raise JobCancelled(job.title)
    if not child.succeeded:
        reason = _reason(child, job)
        lines = tuple(map(printable, child.last_lines[-LOG_LINES:]))
        for failed, tail in _failed_logs(folder):  # the folder goes
            reason = reason.replace(str(failed), str(log))
            lines += tuple(map(printable, tail[-LOG_LINES:]))
            with suppress(OSError), log.open("a", encoding="utf-8") as file:
                file.write("\n".join((f"---- {failed.name}", *map(printable, tail))) + "\n")
        raise JobFailed(_failure(job, worker, reason, "", lines, child.duration_s))
    return child


def _failed_logs(folder: Path) -> Iterator[tuple[Path, list[str]]]:
    """(path, last lines) of the logs of what the run did not finish."""
    for path in sorted(folder.glob(f"out/*{FAILED_ENDING}/*.log")):
        with suppress(OSError), open_regular(path) as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _MOST_LOG))
            yield path, file.read(_MOST_LOG).decode("utf-8", "replace").splitlines()


def _failure(job: Job, worker: _JobWorker, reason: str, hint: str, log: tuple[str, ...], seconds: float) -> Failure:
    return Failure(reason, hint, log, worker.name, seconds=round(seconds, 3), labels=dict(job.labels))


def _reason(child: ChildResult, job: Job) -> str:
    if child.stopped_by == TIME_LIMIT:
        return f"stopped after {seconds_words(job.time_limit_s or 0.0)} (time limit)"
    for line in child.last_lines:
        if line.startswith("trex process: "):
            return printable(line.removeprefix("trex process: "))
    if problem := next((line for line in child.last_lines if line.lstrip().startswith("[problem] ")), ""):
        return printable(problem.lstrip().removeprefix("[problem] "))
    if child.exit_code < 0:
        with suppress(ValueError):
            return f"it died of {signal.Signals(-child.exit_code).name}"
    last = next((line.strip() for line in reversed(child.last_lines) if line.strip()), "")
    return f"exit code {child.exit_code}{': ' if last else ''}{printable(last)[:200]}"


def _model_here(job: Job, folder: Path, model: bytes | None) -> str:
    """The model's path on this worker. Raises JobFailed if it is not the file that the sweep is about."""
    path = Path(job.model.path)
    if model is not None:
        copy = folder / path.name
        copy.write_bytes(model)
        return str(copy)
    problem = ""
    try:
        _HASHES[str(path)] = record = record_of(path, _HASHES.get(str(path)))
        if record.sha256 != job.model.sha256:
            problem = "the model has changed since the sweep began"
    except TrexError as error:
        problem = f"the model can't be read on this worker: {error.message}"
    if problem:
        raise JobFailed(Failure(problem, "run the sweep again", labels=dict(job.labels)))
    return str(path)


@dataclass
class _Phases:
    """Sends the last line of the child's output, once a second at most: it is the phase of the build."""

    job: Job
    destination: Destination
    worker: _JobWorker
    last: float = 0.0

    def take(self, line: str) -> None:
        now = time.monotonic()
        if now - self.last > _PHASE_EVERY_S and line:
            self.last = now
            self.worker.report(self.destination.topic, job=self.job.name, state="running", phase=printable(line[:80]))


@dataclass
class _Watch:
    """A thread next to the child: renews the claim, and ends the child when Dask has cancelled the task."""

    worker: _JobWorker
    renew: Callable[[], None]
    is_cancelled: bool = False
    _process: int = 0
    _over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> _Watch:
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def starts(self, process: int) -> None:
        self._process = process

    def _watch(self) -> None:
        renewed, killed = time.monotonic(), 0.0
        while not self._over.wait(_WATCH_S):
            now = time.monotonic()
            if now - renewed > RENEW_S:
                self.renew()
                renewed = now
            self.is_cancelled = self.is_cancelled or self.worker.is_cancelled()
            if self.is_cancelled and self._process and (not killed or now - killed > GRACE_S):
                number = getattr(signal, "SIGKILL", signal.SIGTERM) if killed else signal.SIGTERM
                killed = now
                with suppress(OSError):
                    os.kill(self._process, number)


def zipped(folder: Path, log: Path) -> bytes:
    """The files of a folder; engines and timing caches are left out: a store does not keep them."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            if path.is_file() and not path.name.endswith((".engine", ".cache", ".lock")):
                archive.write(path, f"{_FILES}/{path.name}")
        if log.is_file():
            archive.write(log, _LOG)
    return buffer.getvalue()


def unzipped(data: bytes, folder: Path, log: Path) -> Path:
    """What ``zipped`` has packed: the log goes to ``log``; the folder with the files is returned."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        archive.extractall(folder, [name for name in names if name.startswith(f"{_FILES}/")])
        if _LOG in names:
            with suppress(OSError):  # a link, whose file is none of ours
                if log.is_symlink():
                    log.unlink()
            write_whole(log, archive.read(_LOG))
    return folder / _FILES

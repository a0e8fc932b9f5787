"""The jobs of a sweep → the store, through Dask: what is there is not run again, what failed is tried again."""

from __future__ import annotations

import queue
import time
import uuid
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trex.core.errors import TrexError
from trex.core.printable import printable
from trex.core.scratch_folder import scratch_folder
from trex.core.whole_file import write_whole
from trex.store.run_store import RunStore
from trex.store.sweep_record import DONE, FAILED, QUARANTINED, STORED
from trex.sweep.claims import FOLDER as CLAIMS
from trex.sweep.claims import holder_of
from trex.sweep.cluster import dashboard_of, resources_of
from trex.sweep.failures import Failure, failed_keys, failures_of, forget_failures, keep_failure
from trex.sweep.job import Job, JobRun
from trex.sweep.progress import RUNNING, WAITING, JobState, SweepProgress, keep_session, known_seconds
from trex.sweep.running import (
    ADDED,
    BUSY,
    RETURNED,
    STORE_FAILED,
    Destination,
    JobFailed,
    JobResult,
    add_files,
    run_job,
    unzipped,
)
from trex.sweep.signals import signals_to
from trex.sweep.spec import SweepSpec
from trex.sweep.workers import check_workers, missing_resources, runs_jobs, sees

MOST_DEATHS = 3
"""Of workers while they ran a job: after so many it has failed."""

_TICK_S = 0.25
_LOOK_AGAIN_S = 2.0
_WORKERS_EVERY_S = 5.0
_STOP_S = 8.0
_LEAST_IN_FLIGHT, _IN_FLIGHT_PER_WORKER = 64, 32
"""Tasks that Dask has at a time: enough to keep every worker busy, and few enough for a scheduler of any size."""

_LARGEST_MODEL = 1 << 30

Observer = Callable[[SweepProgress, JobState | None], None]
"""Called when a job gets another status, and four times a second without one; it draws."""


def states_of(
    jobs: Sequence[Job], spec: SweepSpec, store: RunStore | None, folder: Path, is_forced: bool = False
) -> Iterator[JobState]:
    """What the store has of each job. is_forced: jobs in quarantine leave it."""
    counts = failed_keys(folder) if spec.quarantine else {}
    for job in jobs:
        run = store.run_of_job(job.key, job.repetition) if store is not None and job.key else None
        if run is not None:
            yield JobState(job, STORED, run=JobRun.of(run))
        elif not counts.get(job.key, 0) >= spec.quarantine > 0:
            yield JobState(job)
        elif is_forced:
            forget_failures(folder, job.key)
            yield JobState(job)
        else:
            last = failures_of(folder, job.key)[-1:]
            reason = last[0].reason if last else "unknown"
            yield JobState(job, QUARANTINED, reason=f"failed {counts[job.key]} times: {reason}")


@dataclass
class Sweep:
    """One run of a sweep. jobs: of its matrix. folder: the store's. is_forced: jobs in quarantine are tried again.

    is_shared: workers that see the store's folder write into it; otherwise the files of all come back as bytes.
    program, work: what a worker runs, and calls.
    """

    spec: SweepSpec
    jobs: Sequence[Job]
    store: RunStore
    folder: Path
    client: Any
    observe: Observer = lambda progress, state: None
    is_forced: bool = False
    commit: str | None = None
    program: tuple[str, ...] = ()
    is_shared: bool = True
    work: Callable[..., JobResult] = run_job
    _events: queue.SimpleQueue[Any] = field(default_factory=queue.SimpleQueue)
    _futures: dict[str, tuple[Any, JobState]] = field(default_factory=dict)
    _models: dict[str, Any] = field(default_factory=dict)
    _busy: dict[str, JobState] = field(default_factory=dict)
    _looked: float = 0.0
    _counted: float = 0.0

    def run(self) -> SweepProgress:
        """Until every job is done or has failed, or a signal ends it. Raises TrexError if the store can't be written.

        What is done is in the store at any time: a sweep that was interrupted, even killed, goes on when it runs again.
        """
        check_workers(self.client)
        self.progress = SweepProgress(
            self.spec.name,
            tuple(states_of(self.jobs, self.spec, self.store, self.folder, self.is_forced)),
            known_seconds(self.folder),
            dashboard=dashboard_of(self.client),
            commit=self.commit or "",
        )
        self._waiting = deque(state for state in self.progress.states if state.status == WAITING)
        nonce = uuid.uuid4().hex[:12]
        probe = Path(CLAIMS, f".sees-{nonce}")
        (self.folder / CLAIMS).mkdir(exist_ok=True)
        write_whole(self.folder / probe, b"")
        self._destination = Destination(
            str(self.folder),
            str(probe) if self.is_shared else "none",
            self.spec.name,
            f"trex-{nonce}",
            self.commit,
            self.program,
        )
        self._destination.logs.mkdir(parents=True, exist_ok=True)
        try:
            with signals_to(self._stop), self._heard(self._destination.topic):
                self._send_models()
                while not self.progress.is_over and not self.progress.stopped_by and not self.progress.problem:
                    self._count_workers()
                    self._fill()
                    self._look_at_busy()
                    self._handle_events()
                self._cancel()
        finally:
            with suppress(OSError):
                (self.folder / probe).unlink()
            keep_session(self.folder, self.progress)
        return self.progress

    # ---------------------------------------------------------------------------------- to the workers

    def _send_models(self) -> None:
        """Models go to the scheduler's workers, unless all of them see the files."""
        models = {state.job.model.path: state.job.model for state in self._waiting}
        seen = self.client.run(sees, list(models))
        for path, model in models.items():
            if seen and all(answer[path] for answer in seen.values()):
                continue
            if not seen:  # workers that are still to come
                continue
            size = Path(path).stat().st_size
            if model.weights or size > _LARGEST_MODEL:
                why = "its weights are in other files" if model.weights else "it has more than 1 GiB"
                raise TrexError(f"workers do not see this model, and {why}", "put it on a shared folder", path)
            self._models[path] = self.client.scatter(Path(path).read_bytes(), hash=False)

    def _fill(self) -> None:
        room = max(_LEAST_IN_FLIGHT, _IN_FLIGHT_PER_WORKER * self.progress.workers)
        while self._waiting and len(self._futures) < room:
            self._submit(self._waiting.popleft())

    def _submit(self, state: JobState) -> None:
        job = state.job
        key = f"trex-job-{job.name}-{self._destination.topic}-{uuid.uuid4().hex[:6]}"
        future = self.client.submit(
            self.work,
            job,
            self._destination,
            self._models.get(job.model.path),
            key=key,
            resources=dict(job.resources) or None,
            retries=self.spec.retries,
            fifo_timeout="0 s",  # in the order of the matrix
            pure=False,
        )
        self._futures[key] = (future, state)
        future.add_done_callback(self._events.put)

    @contextmanager
    def _heard(self, topic: str) -> Iterator[None]:
        """What workers say of their jobs."""
        self.client.subscribe_topic(topic, lambda event: self._events.put(event[1]))
        try:
            yield
        finally:
            with suppress(Exception):  # a scheduler that has gone
                self.client.unsubscribe_topic(topic)

    def _count_workers(self) -> None:
        now = time.monotonic()
        if now - self._counted > _WORKERS_EVERY_S or not self._counted:
            self._counted = now
            self.progress.workers = sum(self.client.nthreads().values())
            workers = resources_of(self.client)
            wanted = {tuple(state.job.resources.items()) for _, state in self._futures.values()}
            missing = {name for need in wanted for name in missing_resources(workers, dict(need))}
            self.progress.notes = tuple(f"waiting for a worker with {name}" for name in sorted(missing))
            if self.client.status not in ("running", "connecting"):
                self.progress.problem = "the connection to the Dask scheduler is lost"

    # -------------------------------------------------------------------------------- from the workers

    def _handle_events(self) -> None:
        """Waits for the next one, and takes all that are there."""
        self.observe(self.progress, None)
        try:
            event = self._events.get(timeout=_TICK_S)
            while True:
                self._handle(event)
                event = self._events.get_nowait()
        except queue.Empty:
            return

    def _handle(self, event: Any) -> None:
        if event is None:  # a signal
            return
        if isinstance(event, Mapping):
            self._hear(event)
            return
        _, state = self._futures.pop(event.key, (None, None))
        if state is None:
            return
        if event.status == "finished":
            self._take(state, event.result())
        elif event.status == "error":
            self._fail(state, event.exception())
        elif not self.progress.stopped_by:  # the scheduler has lost it
            self._again(state)

    def _hear(self, event: Mapping[str, Any]) -> None:
        name = str(event.get("job", ""))
        state = self._by_name.get(name)
        if state is None or state.status not in (WAITING, RUNNING):
            return
        state.worker = printable(str(event.get("on", "")))
        if "phase" in event:
            state.phase = printable(str(event["phase"]))
            return
        state.starts += 1
        state.started, state.phase, state.reason = time.monotonic(), "", ""
        self._moves(state, RUNNING)

    @property
    def _by_name(self) -> dict[str, JobState]:
        if "_names" not in self.__dict__:
            self._names = {state.job.name: state for state in self.progress.states}
        return self._names

    def _moves(self, state: JobState, status: str) -> None:
        self.progress.moves(state, status)
        self.observe(self.progress, state)

    def _again(self, state: JobState) -> None:
        self._moves(state, WAITING)
        self._waiting.append(state)

    def _take(self, state: JobState, result: JobResult) -> None:
        state.worker = result.worker
        if result.status == RETURNED:
            try:
                result = self._add(state.job, result)
            except JobFailed as error:
                self._fail(state, error)
                return
            except TrexError as error:
                result = JobResult(STORE_FAILED, reason=str(error))
        if result.status == STORE_FAILED:
            self.progress.problem = result.reason
            self._moves(state, WAITING)
        elif result.status == BUSY:
            state.reason = f"runs in {printable(result.reason)}"
            state.starts -= 1
            self._moves(state, WAITING)
            self._busy[state.job.name] = state
        else:
            state.run = result.run
            state.seconds = result.seconds if result.status == ADDED else None
            self._moves(state, DONE if result.status == ADDED else STORED)

    def _add(self, job: Job, result: JobResult) -> JobResult:
        """Files of a worker that does not see the store."""
        known = self.store.run_of_job(job.key, job.repetition)
        if known is not None:
            return JobResult(STORED, result.seconds, result.worker, JobRun.of(known))
        with scratch_folder() as name:
            folder = unzipped(result.files, Path(name), self._destination.logs / f"{job.name}.log")
            run = add_files(self.store, folder, job, self.commit, result.worker)
        forget_failures(self.folder, job.key)
        return JobResult(ADDED, result.seconds, result.worker, JobRun.of(run))

    def _fail(self, state: JobState, error: BaseException) -> None:
        if not isinstance(error, JobFailed):
            from distributed import KilledWorker

            if isinstance(error, KilledWorker):
                if state.starts < MOST_DEATHS:  # it only waited on workers that others ended
                    self._again(state)
                    return
                reason = f"its worker died {state.starts} times"
                error = JobFailed(Failure(reason, "does a build need more memory?", labels=dict(state.job.labels)))
            else:
                reason = f"{type(error).__name__}: {printable(str(error))[:300]}"
                error = JobFailed(Failure(reason, "this is a bug of trex, or of its environment", worker=state.worker))
        failure = error.failure
        if not error.is_kept:
            try:
                keep_failure(self.folder, state.job.key, failure)
            except TrexError as problem:
                self.progress.problem = str(problem)
        state.reason, state.hint, state.seconds = failure.reason, failure.hint, failure.seconds
        self._moves(state, FAILED)

    def _look_at_busy(self) -> None:
        """Jobs that another sweep runs: done there, or given up there and ours."""
        now = time.monotonic()
        if not self._busy or now - self._looked < _LOOK_AGAIN_S:
            return
        self._looked = now
        for name, state in list(self._busy.items()):
            run = self.store.run_of_job(state.job.key, state.job.repetition)
            if run is not None:
                del self._busy[name]
                state.run = JobRun.of(run)
                self._moves(state, STORED)
            elif not holder_of(self.folder, name):
                del self._busy[name]
                self._waiting.append(state)

    # ------------------------------------------------------------------------------------------ the end

    def _stop(self, name: str) -> None:
        self.progress.stopped_by = name
        self._events.put(None)

    def _cancel(self) -> None:
        """Ends what still runs, and waits a little for it."""
        futures = [future for future, _ in self._futures.values()]
        for _, state in self._futures.values():
            if state.status == RUNNING:
                self.progress.moves(state, WAITING)
        self._futures.clear()
        if not futures:
            return
        with suppress(Exception):  # a scheduler that has gone
            self.client.cancel(futures, force=True)
            limit = time.monotonic() + _STOP_S
            while any(self.client.run(runs_jobs).values()) and time.monotonic() < limit:
                time.sleep(_TICK_S)

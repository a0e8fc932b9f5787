"""SweepProgress: where every job of a sweep is, what failed, and how long the rest may take."""

from __future__ import annotations

import json
import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from statistics import median
from typing import Any

from trex.core.errors import TrexError
from trex.core.regular_file import read_record
from trex.core.whole_file import write_whole
from trex.store.sweep_record import DONE, FAILED, FOLDER, QUARANTINED, SESSIONS, STORED
from trex.sweep.job import SWEEP_LABEL, Job, JobRun

WAITING, RUNNING = "waiting", "running"
STATUSES = (DONE, STORED, RUNNING, WAITING, FAILED, QUARANTINED)
OVER = (DONE, STORED, FAILED, QUARANTINED)
LOGS = "logs"
_SESSIONS_READ = 8

Kind = tuple[str, str, str]


@dataclass
class JobState:
    """status: one of STATUSES. worker, phase: of a running job. reason: why it failed, or why it waits.

    starts: how often a worker began it. seconds: of its child. started: on the clock of ``time.monotonic``.
    """

    job: Job
    status: str = WAITING
    worker: str = ""
    phase: str = ""
    reason: str = ""
    hint: str = ""
    seconds: float | None = None
    started: float = 0.0
    run: JobRun = field(default_factory=JobRun)
    starts: int = 0


@dataclass
class SweepProgress:
    """states: in the order of the jobs. workers: how many jobs run at once. known: seconds of like jobs of earlier
    sweeps. problem: why the sweep ended early. stopped_by: the signal that ended it. commit: of the runs, if given.
    """

    name: str
    states: tuple[JobState, ...]
    known: Mapping[Kind, float] = field(default_factory=dict)
    workers: int = 0
    dashboard: str = ""
    notes: tuple[str, ...] = ()
    problem: str = ""
    stopped_by: str = ""
    commit: str = ""
    started: float = field(default_factory=time.monotonic)
    began_at: datetime = field(default_factory=lambda: datetime.now(timezone.utc))
    counts: Counter[str] = field(default_factory=Counter)
    running: dict[str, JobState] = field(default_factory=dict)
    _seconds: defaultdict[Kind, list[float]] = field(default_factory=lambda: defaultdict(list))
    _left: Counter[Kind] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.counts.update(state.status for state in self.states)
        self._left.update(state.job.kind for state in self.states if state.status not in OVER)

    def moves(self, state: JobState, status: str) -> None:
        """A job gets another status."""
        self.counts[state.status] -= 1
        self.counts[status] += 1
        if (state.status in OVER) != (status in OVER):
            self._left[state.job.kind] += -1 if status in OVER else 1
        if status == RUNNING:
            self.running[state.job.name] = state
        else:
            self.running.pop(state.job.name, None)
        if status == DONE and state.seconds is not None:
            self._seconds[state.job.kind].append(state.seconds)
        state.status = status

    @property
    def is_over(self) -> bool:
        return sum(self.counts[status] for status in OVER) == len(self.states)

    @property
    def failed(self) -> list[JobState]:
        return [state for state in self.states if state.status in (FAILED, QUARANTINED)]

    def seconds_of(self, kind: Kind) -> float | None:
        """Of a job of that kind, None if there is nothing to go by: of this sweep, earlier ones, other kinds."""
        if self._seconds.get(kind):
            return median(self._seconds[kind][-100:])
        if kind in self.known:
            return self.known[kind]
        others = [seconds for values in self._seconds.values() for seconds in values[-20:]]
        return median(others) if others else None

    def seconds_left(self) -> float | None:
        """None while nothing is known of some jobs."""
        total = 0.0
        for kind, count in self._left.items():
            if count > 0:
                seconds = self.seconds_of(kind)
                if seconds is None:
                    return None
                total += count * seconds
        now = time.monotonic()
        total -= sum(
            min(now - state.started, self.seconds_of(state.job.kind) or 0.0) for state in self.running.values()
        )
        return max(total, 0.0) / max(self.workers, 1)


def session_record(progress: SweepProgress) -> dict[str, Any]:
    """What is kept of one run of a sweep, also of one that was interrupted."""
    from trex import __version__

    return {
        "schema": "trex.sweep-session/1",
        "sweep": progress.name,
        "commit": progress.commit,
        "trex": __version__,
        "began_at": f"{progress.began_at:%Y-%m-%dT%H:%M:%SZ}",
        "seconds": round(time.monotonic() - progress.started, 3),
        "stopped_by": progress.stopped_by,
        "problem": progress.problem,
        "jobs": [
            {
                "key": state.job.key,
                "repetition": state.job.repetition,
                "labels": {name: value for name, value in state.job.labels.items() if name != SWEEP_LABEL},
                "kind": list(state.job.kind),
                "status": state.status,
                "seconds": state.seconds,
                "worker": state.worker,
                "run": state.run.id,
                "reason": state.reason,
                "starts": state.starts,
            }
            for state in progress.states
        ],
    }


def keep_session(store: Path, progress: SweepProgress) -> None:
    """If a job began, or of a commit: runs of before belong to it, too. The runs count: a full disk is no error."""
    if not progress.commit and not any(state.starts for state in progress.states):
        return
    folder = store / FOLDER / progress.name / SESSIONS
    path = folder / f"{datetime.now(timezone.utc):%Y%m%dT%H%M%S%f}-{os.getpid()}.json"
    with suppress(OSError, TrexError):
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(session_record(progress), separators=(",", ":")) + "\n")


def known_seconds(store: Path) -> dict[Kind, float]:
    """The median time of each kind of job in the latest sessions of every sweep in a store."""
    seconds: defaultdict[Kind, list[float]] = defaultdict(list)
    with suppress(OSError):
        for sweep in (store / FOLDER).iterdir():
            for path in sorted((sweep / SESSIONS).glob("*.json"))[-_SESSIONS_READ:]:
                for job in _jobs_of(path):
                    kind, taken = job.get("kind"), job.get("seconds")
                    if (
                        isinstance(kind, list)
                        and len(kind) == 3
                        and isinstance(taken, float | int)
                        and job["status"] == DONE
                    ):
                        seconds[(str(kind[0]), str(kind[1]), str(kind[2]))].append(float(taken))
    return {kind: median(values) for kind, values in seconds.items()}


def _jobs_of(path: Path) -> Iterable[Mapping[str, Any]]:
    with suppress(OSError, ValueError, TypeError, KeyError):
        jobs: Sequence[Any] = read_record(path)["jobs"]
        return [job for job in jobs if isinstance(job, dict) and "status" in job]
    return []

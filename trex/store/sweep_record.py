"""Sessions of a sweep → what each of its configurations came to at a commit, also where a run of before was kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from trex.core.errors import TrexError
from trex.core.printable import printable
from trex.core.regular_file import parse_record
from trex.store.selection import NAMES_OF_SWEEPS
from trex.store.storage import Storage

FOLDER, SESSIONS = "sweeps", "sessions"
DONE, STORED, FAILED, QUARANTINED = "done", "stored", "failed", "quarantined"

Configuration = tuple[tuple[str, str], ...]
"""Labels by name, without those that name the sweep, and the GPU."""
_Jobs: TypeAlias = dict[tuple[Configuration, int], Mapping[str, Any]]
"""By configuration and repetition."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of one configuration. runs: ids by repetition. failed: why, of every repetition that failed. is_over: False while
    a job waits.
    """

    runs: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    is_over: bool = True


@dataclass(frozen=True, slots=True)
class SweepRecord:
    """What a sweep came to at one commit."""

    commit: str
    outcomes: Mapping[Configuration, Outcome]


def configuration_of(labels: Any, gpu: str | None) -> Configuration:
    """gpu: of the run. Runs of several GPUs that no label names are no repetitions."""
    named = {str(name): str(text) for name, text in dict(labels or {}).items() if name not in NAMES_OF_SWEEPS}
    return tuple(sorted(({"gpu": gpu, **named} if gpu else named).items()))


def sweep_records(
    storage: Storage, sweep: str, *, of_no_commit: bool = False, is_strict: bool = False
) -> tuple[SweepRecord, ...]:
    """One per commit, that of the latest session last. of_no_commit: also one of the sessions without a commit.
    is_strict: raises TrexError for a session that can't be read; else it is left out.

    Of a commit with several sessions, the latest word on a job counts.
    """
    jobs: dict[str, _Jobs] = {}
    for commit, of_session in _sessions(storage, sweep, is_strict):
        if not commit and not of_no_commit:
            continue
        jobs[commit] = jobs.pop(commit, {}) | of_session
    return tuple(SweepRecord(commit, _outcomes(of_commit)) for commit, of_commit in jobs.items())


def session_files(storage: Storage, sweep: str = "") -> list[str]:
    """Paths of the sessions of a sweep, by default of all; the oldest of a sweep first."""
    sweeps = [sweep] if sweep else storage.folders(FOLDER)
    return [
        path
        for name in sweeps
        for path in sorted(storage.below(f"{FOLDER}/{name}/{SESSIONS}"))
        if path.endswith(".json")
    ]


def read_session(storage: Storage, path: str) -> tuple[str, _Jobs]:
    """(commit, jobs). Raises TrexError for a session that can't be read."""
    try:
        record = parse_record(storage.read(path))
        jobs = {
            (configuration_of(job["labels"], str(job["kind"][2])), int(job["repetition"])): job
            for job in record["jobs"]
        }
        return str(record.get("commit") or ""), jobs
    except (OSError, ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
        message = f"which jobs of the sweep failed is not known: a session can't be read: {error}"
        raise TrexError(message, "run the sweep again, and remove the file", storage.address(path)) from error


def _sessions(storage: Storage, sweep: str, is_strict: bool) -> Iterator[tuple[str, _Jobs]]:
    for path in session_files(storage, sweep):
        try:
            session = read_session(storage, path)
        except TrexError:
            if is_strict:
                raise
            continue
        yield session


def _outcomes(jobs: _Jobs) -> dict[Configuration, Outcome]:
    groups: dict[Configuration, list[Mapping[str, Any]]] = {}
    for (configuration, _), job in sorted(jobs.items(), key=lambda item: item[0]):
        groups.setdefault(configuration, []).append(job)
    return {configuration: _outcome(of_one) for configuration, of_one in groups.items()}


def _outcome(jobs: list[Mapping[str, Any]]) -> Outcome:
    failed = [str(job.get("reason") or "unknown") for job in jobs if job.get("status") in (FAILED, QUARANTINED)]
    return Outcome(
        tuple(str(job["run"]) for job in jobs if job.get("status") in (DONE, STORED) and job.get("run")),
        tuple(printable(reason)[:300] for reason in failed),
        all(job.get("status") in (DONE, STORED, FAILED, QUARANTINED) for job in jobs),
    )

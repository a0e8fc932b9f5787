"""Failures: what is kept in a store of jobs that failed, and which are not tried again.

``STORE/failures/<job key>/<time>.json``: reason, hint, the end of the log, worker and time of one attempt.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from trex.core.regular_file import read_record
from trex.core.whole_file import write_whole

FOLDER = "failures"
_MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed attempt. time: UTC. log: its last lines."""

    reason: str
    hint: str = ""
    log: Sequence[str] = ()
    worker: str = ""
    time: str = ""
    seconds: float = 0.0
    labels: Mapping[str, str] | None = None


def keep_failure(store: Path, key: str, failure: Failure) -> Path:
    """Raises TrexError where nothing can be written."""
    folder = store / FOLDER / key
    with suppress(OSError):  # the error of writing says more
        folder.mkdir(parents=True, exist_ok=True)
    now = datetime.now(timezone.utc)
    record = {**asdict(failure), "time": f"{now:%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"}
    path = folder / f"{now:%Y%m%dT%H%M%S%f}-{os.getpid()}.json"
    return write_whole(path, json.dumps(record, indent=1) + "\n", is_new=True)


def failures_of(store: Path, key: str) -> list[Failure]:
    """The oldest first; files that can't be read are skipped."""
    failures = []
    for path in sorted((store / FOLDER / key).glob("*.json")) if key else ():
        with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):
            failures.append(_failure(read_record(path, _MOST_BYTES)))
    return failures


def failed_keys(store: Path) -> dict[str, int]:
    """{job key: number of its failures}."""
    counts = {}
    with suppress(OSError), os.scandir(store / FOLDER) as entries:
        for entry in entries:
            with suppress(OSError):
                counts[entry.name] = sum(1 for name in os.listdir(entry.path) if name.endswith(".json"))  # noqa: PTH208
    return counts


def forget_failures(store: Path, key: str) -> None:
    """Once the job has succeeded, or is to be tried again."""
    folder = store / FOLDER / key
    with suppress(OSError):
        for path in folder.glob("*.json"):
            path.unlink()
        folder.rmdir()


def _failure(record: Any) -> Failure:
    labels = record.get("labels")
    return Failure(
        str(record["reason"]),
        str(record.get("hint", "")),
        tuple(map(str, record.get("log", ()))),
        str(record.get("worker", "")),
        str(record.get("time", "")),
        float(record.get("seconds", 0.0)),
        {str(name): str(value) for name, value in labels.items()} if isinstance(labels, dict) else None,
    )

"""Which runs a store has: counts, and the newest that match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.store.layout import utc_now
from trex.store.run import check_count
from trex.store.run_store import RunStore
from trex.store.without_rows import runs_without_rows

COLUMNS = (
    "id", "model", "gpu", "tensorrt", "made_at", "provenance", "gpu_compute_ms", "latency_ms", "layer_sum_ms",
    "findings", "problems", "likely_savings_ms", "commit", "labels",
)  # fmt: skip
MANY_LOOSE = 500
"""With more files of single runs than this, lists and queries become slow."""
_SKEW = "INTERVAL 5 MINUTE"


@dataclass(frozen=True, slots=True)
class RunFilter:
    """model, gpu: globs without case. labels: (name, value) that all must have."""

    model: str = ""
    gpu: str = ""
    labels: tuple[tuple[str, str], ...] = ()

    def where(self) -> tuple[str, list[Any]]:
        """The condition and its parameters."""
        conditions: list[str] = []
        parameters: list[Any] = []
        for column, glob in (("model", self.model), ("gpu", self.gpu)):
            if glob:
                conditions.append(f"lower({column}) GLOB ?")
                parameters.append(glob.lower())
        for name, value in self.labels:
            conditions.append("element_at(labels, ?)[1] = ?")
            parameters += [name, value]
        return " AND ".join(conditions) or "true", parameters


@dataclass(frozen=True, slots=True)
class RunListing:
    """total, models, gpus: of the runs that match. rows: values of COLUMNS, the newest first. loose: runs that are not
    compacted.
    """

    total: int
    models: int
    gpus: int
    first: datetime | None
    last: datetime | None
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[Note, ...]


def list_runs(store: RunStore, wanted: RunFilter | None = None, top: int = 20) -> RunListing:
    """The newest ``top`` by the time when they were run."""
    where, parameters = (wanted or RunFilter()).where()
    columns = ", ".join(f'"{name}"' for name in COLUMNS)
    rows = store.queries.rows(
        f"SELECT {columns} FROM runs WHERE {where} ORDER BY made_at DESC NULLS LAST, id LIMIT ?", [*parameters, top]
    )
    ((total, models, gpus, first, last),) = store.queries.rows(
        f"SELECT count(*), count(DISTINCT model), count(DISTINCT gpu), min(made_at), max(made_at) FROM runs "
        f"WHERE {where}",
        parameters,
    )
    return RunListing(total, models, gpus, first, last, tuple(rows), tuple(_notes(store)))


def _notes(store: RunStore) -> list[Note]:
    notes = []
    if len(store.snapshot.loose) > MANY_LOOSE:
        message = f"{len(store.snapshot.loose):,} runs are in files of their own, which makes queries slow"
        notes.append(Note("not-compacted", message, "trex store compact", store.storage.where, "info"))
    notes += runs_without_rows(store)
    ((future, earlier),) = store.queries.rows(
        f"SELECT count(*) FILTER (added_at > ?::TIMESTAMP + {_SKEW}), "
        f"count(*) FILTER (made_at > added_at + {_SKEW}) FROM runs",
        [utc_now()],
    )
    if future or earlier:
        message = f"clocks disagree: {future:,} runs were added in the future, {earlier:,} made after they were added"
        hint = "order by version or commit instead of time, or set the clocks of the machines"
        notes.append(Note("clock-skew", message, hint, store.storage.where))
    return notes


def parsed_labels(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """``NAME=VALUE`` → (name, value). Raises TrexError for anything else, and for more than a run may have."""
    check_count(len(texts))
    pairs = []
    for text in texts:
        name, mark, value = text.partition("=")
        if not mark or not name:
            raise TrexError(f"{text!r} is not NAME=VALUE", "--label precision=fp16")
        pairs.append((name, value))
    return tuple(pairs)

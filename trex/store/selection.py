"""``store:ID`` and ``store:latest,NAME=VALUE,…`` → runs of a store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count, islice
from typing import TYPE_CHECKING, Any

from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.core.printable import encodable
from trex.store.columns import RUNS
from trex.store.commits import full_commit
from trex.store.run import check_count
from trex.store.without_rows import with_missing_runs

if TYPE_CHECKING:
    from trex.store.run import StoredRun
    from trex.store.run_store import RunStore

STORE = "store:"
LATEST = "latest"
COMPLETED = ("model", "gpu", "provenance", "precision", "batch", "shapes")
"""Facts of the new engine that the latest run to compare with must share, unless they are given or unknown."""
NAMES_OF_SWEEPS = ("sweep", "bisect")
"""Labels that name where a run comes from, not how it was configured."""
_PAGE = 5000
_MOST_IN_QUERY = 8
_OTHERS = (
    "id <> ? AND (model <> ? OR (coalesce(commit <> ?, TRUE) AND (commit IS NOT NULL OR coalesce(job_key <> ?, TRUE))))"
)
"""Neither the run itself, nor one of its model that has its commit, or no commit and its job."""
LATEST_FIRST = "least(made_at, added_at) DESC NULLS LAST"
"""The clock of a machine may be wrong: no run was made after it was added."""
_COLUMNS = {column.name: column for column in RUNS.columns}


class NoRunFits(TrexError):
    """The store has no run like the one that is looked for."""


@dataclass(frozen=True, slots=True)
class RunSelection:
    """id: of one run, or its beginning; "" for the latest run. conditions: {column or label: value} of the latest."""

    id: str = ""
    conditions: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        parts = (self.id or LATEST, *(f"{name}={value}" for name, value in self.conditions.items()))
        return STORE + ",".join(parts)


def is_stored(path: str) -> bool:
    return path.startswith(STORE)


def read_selection(path: str) -> RunSelection:
    """Raises TrexError for what is neither an id nor ``latest`` with conditions."""
    first, *parts = path.removeprefix(STORE).split(",")
    if first != LATEST:
        if parts or not first:
            raise TrexError(f"{path!r} is no run", "store:ID, or store:latest,model=NAME,gpu=NAME")
        return RunSelection(first)
    check_count(len(parts))
    conditions = {}
    for part in parts:
        name, equals, value = part.partition("=")
        if not equals or not name or not value:
            raise TrexError(f"{part!r} is no condition", "NAME=VALUE: a column of runs or a label", path)
        conditions[name.strip()] = value.strip()
    return RunSelection("", conditions)


def select(
    store: RunStore,
    selection: RunSelection,
    like: Mapping[str, Any] | None = None,
    new: StoredRun | None = None,
    until: datetime | None = None,
) -> tuple[str, ...]:
    """Ids of the run, and of the other repetitions of its job; the run first.

    like: facts of the engine to compare with, which complete the conditions of ``store:latest``, see COMPLETED; with
    ``options`` and ``labels``, the run must share those, too. new: the run to compare: neither it nor a run of its
    commit, or without one of its job, is chosen. until: no later one. The latest was made last; if a run
    was made after it was added, the time at which it was added counts. Raises NoRunFits if there is none.
    """
    if selection.id:
        return (store.id_of(selection.id),)
    parts, parameters = _conditions(store, selection, like or {})
    others = "TRUE" if new is None else _OTHERS
    of_new = [] if new is None else [new.id, new.model, new.commit, new.job_key]
    if until is not None:
        parts, parameters = [*parts, "made_at <= ?"], [*parameters, until]
    where, given = " AND ".join((*parts, others)), [*parameters, *of_new]
    query = f"SELECT id, job_key, commit, labels, options FROM runs WHERE {where} ORDER BY {LATEST_FIRST}, id"
    row = next(
        (
            row
            for row in _pages(store, query, given)
            if _is_like(row[3] or {}, row[4] or {}, like or {}, selection.conditions)
        ),
        None,
    )
    if row is None:
        hint = with_missing_runs(store, _hint(store, selection, like or {}))
        raise NoRunFits(f"no run fits {selection.text}", hint, store.storage.where)
    _check_gpu(store, selection, like, parts, parameters)
    run_id, job_key, commit, labels, _ = row
    if job_key is None:
        return (run_id,)
    same = "job_key = ? AND commit IS NOT DISTINCT FROM ? AND id <> ?"
    query = f"SELECT id, labels FROM runs WHERE {same} AND {others} ORDER BY repetition, id"
    # Labels are compared here: DuckDB before 1.4 takes no map as a parameter.
    rows = store.queries.rows(query, [job_key, commit, run_id, *of_new])
    return (run_id, *(row[0] for row in rows if row[1] == labels))


def _check_gpu(
    store: RunStore,
    selection: RunSelection,
    like: Mapping[str, Any] | None,
    parts: Sequence[str],
    parameters: Sequence[Any],
) -> None:
    """Raises NoRunFits if the engine to compare with names no GPU, and the runs that fit are of several."""
    if like is None or like.get("gpu") is not None or "gpu" in selection.conditions:
        return
    where = " AND ".join((*parts, "gpu IS NOT NULL")) if parts else "gpu IS NOT NULL"
    rows = store.queries.rows(f"SELECT DISTINCT gpu FROM runs WHERE {where} ORDER BY gpu LIMIT 9", parameters)
    if len(rows) > 1:
        hint = f"name it: {STORE}{LATEST},gpu=NAME ({', '.join(str(row[0]) for row in rows)})"
        message = "the engine's files name no GPU, and the runs that fit are of several"
        raise NoRunFits(message, hint, store.storage.where)


def _pages(store: RunStore, query: str, parameters: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """All rows, read as far as they are looked at."""
    for offset in count(0, _PAGE):
        rows = store.queries.rows(f"{query} LIMIT {_PAGE} OFFSET {offset}", parameters)
        yield from rows
        if len(rows) < _PAGE:
            return


def latest_base(
    store: RunStore,
    selection: RunSelection,
    new: StoredRun | None,
    facts: Mapping[str, Any] | None = None,
    shared: Sequence[str] = COMPLETED,
    until: datetime | None = None,
) -> tuple[str, ...]:
    """The runs to compare a new engine with. new: its run, if the store has it; facts: of one that it does not have.
    shared: the facts that count. until: no later run.

    Of a stored run options and labels count, too; runs of its commit, and without one of its job, are no base.
    """
    if new is None:
        return select(store, selection, {name: (facts or {}).get(name) for name in COMPLETED})
    like = {name: getattr(new, name) for name in shared}
    like["options"] = new.options
    like["labels"] = new.labels
    return select(store, selection, like, new, until)


def _conditions(store: RunStore, selection: RunSelection, like: Mapping[str, Any]) -> tuple[list[str], list[Any]]:
    parts, parameters = list[str](), list[Any]()
    for name, value in selection.conditions.items():
        if name == "commit":
            parts.append("commit = ?")
            value = full_commit(store, value)
        elif name in ("id", "model_hash", "job_key"):
            parts.append(f'starts_with("{name}", ?)')
        elif name in _COLUMNS and name not in ("options", "labels"):
            parts.append(f'lower(CAST("{name}" AS VARCHAR)) = lower(?)')
        else:
            parts.append("labels[?] = ?")
            parameters.append(name)
        parameters.append(value)
    for name in COMPLETED:
        if like.get(name) is not None and name not in selection.conditions:
            parts.append(f'"{name}" = ?')
            parameters.append(like[name])
    labels = (like.get("labels") or {}).items()
    shared = (pair for pair in labels if pair[0] not in (*NAMES_OF_SWEEPS, *selection.conditions))
    for name, text in islice(shared, _MOST_IN_QUERY):
        parts.append("labels[?] = ?")  # _is_like compares all: this is so that few rows are read
        parameters += (encodable(name), encodable(text))
    return parts, parameters


def _is_like(
    labels: Mapping[str, str], options: Mapping[str, str], like: Mapping[str, Any], conditions: Mapping[str, str]
) -> bool:
    """Whether labels are equal, apart from given ones, and options that both have: releases print other options."""
    if "labels" not in like:
        return True
    own, wanted = (
        {name: text for name, text in pairs.items() if name not in NAMES_OF_SWEEPS and name not in conditions}
        for pairs in (labels, like["labels"])
    )
    given = like.get("options") or {}
    return own == wanted and all(given[name] == options[name] for name in given.keys() & options.keys())


def _hint(store: RunStore, selection: RunSelection, like: Mapping[str, Any]) -> str:
    model = selection.conditions.get("model") or like.get("model")
    names = [row[0] for row in store.queries.rows("SELECT DISTINCT model FROM runs ORDER BY model LIMIT 1000")]
    if model and model not in names:
        return did_you_mean(str(model), names, f"models here: {', '.join(names[:8])}")
    wanted = [f"{name} {like[name]}" for name in COMPLETED if like.get(name) is not None]
    return f"wanted: {', '.join(wanted)}; trex store list shows all runs" if wanted else "trex store list"

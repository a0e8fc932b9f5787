"""Runs of a sweep at one commit → GatedRun: each configuration against the latest run like it of another commit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from trex.compare.condition import Condition
from trex.compare.gate import GateResult, GateStatus, judge
from trex.compare.plan_diff import PlanDiff
from trex.core.errors import TrexError
from trex.core.steps import in_steps
from trex.store.selection import NAMES_OF_SWEEPS, NoRunFits, RunSelection, latest_base
from trex.store.sweep_cells import SWEEP

if TYPE_CHECKING:
    from trex.store.run import StoredRun
    from trex.store.run_store import RunStore


@dataclass(frozen=True)
class GatedRun:
    """name: of the configuration. base: the run it is compared with; None without any (reason). results: one or more
    per condition.
    """

    name: str
    new: StoredRun
    base: StoredRun | None
    diff: PlanDiff | None = None
    results: tuple[GateResult, ...] = ()
    reason: str = ""

    @property
    def change_pct(self) -> float | None:
        return None if self.diff is None else self.diff.main.change_pct

    @property
    def status(self) -> GateStatus | None:
        """The worst of its results; None without a base."""
        statuses = [result.status for result in self.results]
        for status in (GateStatus.FAILED, GateStatus.INCONCLUSIVE):
            if status in statuses:
                return status
        return GateStatus.PASSED if self.diff is not None else None


def gated_runs(
    store: RunStore, sweep: str, commit: str, base: str, conditions: Sequence[Condition]
) -> tuple[GatedRun, ...]:
    """commit: of the new runs; "" for that of the sweep's latest run. base: of the runs to compare with, if there are
    any of it; else, and with "", the latest ones of any other commit before the new run.

    Raises TrexError if the sweep has no run at the commit.
    """
    rows = _new_rows(store, sweep, commit)
    groups: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for run_id, labels in rows:
        key = tuple(sorted((name, text) for name, text in labels.items() if name not in NAMES_OF_SWEEPS))
        groups.setdefault(key, []).append(run_id)
    varied = {name for key in groups for name, _ in key if len({dict(other).get(name) for other in groups}) > 1}
    return tuple(_gated(store, key, ids, base, conditions, varied) for key, ids in in_steps("run", [*groups.items()]))


def _new_rows(store: RunStore, sweep: str, commit: str) -> list[tuple[str, dict[str, str]]]:
    known = f"SELECT commit FROM runs WHERE labels['{SWEEP}'] = ? AND commit IS NOT NULL ORDER BY made_at DESC LIMIT 1"
    chosen = commit or next((str(row[0]) for row in store.queries.rows(known, [sweep])), "")
    where = f"labels['{SWEEP}'] = ? AND starts_with(commit, ?)"
    query = f"SELECT id, labels, gpu FROM runs WHERE {where} ORDER BY repetition, id"
    rows = store.queries.rows(query, [sweep, chosen]) if chosen else []
    if not rows:
        missing = f" at commit {chosen}" if chosen else " with a commit"
        hint = "trex sweep FILE.toml --commit $(git rev-parse HEAD); jobs that the store has are not run again"
        raise TrexError(f"the sweep {sweep!r} has no run{missing}", hint, store.storage.where)
    # Runs of several GPUs that no label names are no repetitions.
    return [(run_id, {**({"gpu": gpu} if gpu else {}), **(labels or {})}) for run_id, labels, gpu in rows]


def _gated(
    store: RunStore,
    key: tuple[tuple[str, str], ...],
    ids: Sequence[str],
    base: str,
    conditions: Sequence[Condition],
    varied: set[str],
) -> GatedRun:
    words = (
        f"batch {text}" if name == "batch" else text.removeprefix("example:")
        for name, text in sorted(key, key=lambda pair: pair[0] != "model")
        if name in varied or name == "model"
    )
    new = store.run(ids[0])
    name = " · ".join(words) or new.model
    try:
        bases = _bases(store, new, base)
    except NoRunFits:
        return GatedRun(name, new, None, reason="the store has no other run like it")
    try:
        sides: list[list[Any]] = [[store.plan(run_id) for run_id in side] for side in (bases, ids)]
    except TrexError as error:
        return GatedRun(name, new, store.run(bases[0]), reason=error.message)
    left, right = sides
    diff = PlanDiff(left[0], right[0], None, None, left[1:], right[1:])
    return GatedRun(name, new, store.run(bases[0]), diff, judge(diff, conditions))


_CONFIGURED = ("model", "gpu", "provenance")
"""Facts that a run and its base share, as well as labels and options: not what came of them, as a precision, which is
what a gate is for.
"""


def _bases(store: RunStore, new: StoredRun, base: str) -> tuple[str, ...]:
    """Of the commit, else the latest ones before the new run, else (clocks may differ) the latest ones."""
    choices: list[tuple[dict[str, str], datetime | None]] = [({"commit": base}, None)] if base else []
    for conditions, until in (*choices, ({}, new.made_at), ({}, None)):
        try:
            return latest_base(store, RunSelection("", conditions), new, shared=_CONFIGURED, until=until)
        except NoRunFits:
            continue
    raise NoRunFits("no run fits", "trex store list shows all runs", store.storage.where)


def unchanged(store: RunStore, sweep: str, gated: Sequence[GatedRun]) -> int:
    """Configurations of the sweep without a run at the new commit: their jobs are as they were."""
    query = f"SELECT DISTINCT labels FROM runs WHERE labels['{SWEEP}'] = ?"
    labels = {_key(row[0]) for row in store.queries.rows(query, [sweep])}
    return len(labels - {_key(run.new.labels) for run in gated})


def _key(labels: Any) -> tuple[tuple[str, str], ...]:
    return tuple(sorted((name, text) for name, text in dict(labels or {}).items() if name not in NAMES_OF_SWEEPS))


def worst(gated: Sequence[GatedRun]) -> Iterator[GatedRun]:
    """Failed, then inconclusive, then without a base, then passed; the largest slowdown first."""
    order = {GateStatus.FAILED: 0, GateStatus.INCONCLUSIVE: 1, None: 2, GateStatus.PASSED: 3}
    yield from sorted(gated, key=lambda run: (order[run.status], -(run.change_pct or 0.0)))

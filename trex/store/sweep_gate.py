"""A sweep at one commit → SweepGate: each configuration against what it was at another commit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from trex.compare.condition import Condition
from trex.compare.gate import GateResult, GateStatus, judge
from trex.compare.one_engine import check_engines, check_measured
from trex.compare.plan_diff import PlanDiff
from trex.compare.run_settings import MEASURED_AS
from trex.core.errors import TrexError
from trex.core.steps import in_steps
from trex.perf.performance import Performance
from trex.store.commits import full_commit, short_commit
from trex.store.doubted_times import is_other_work, times_of
from trex.store.selection import LATEST_FIRST, NoRunFits, RunSelection, latest_base
from trex.store.sweep_cells import SWEEP
from trex.store.sweep_record import Configuration, Outcome, SweepRecord, configuration_of, sweep_records

if TYPE_CHECKING:
    from trex.store.run import StoredRun
    from trex.store.run_store import RunStore


@dataclass(frozen=True)
class GatedRun:
    """name: of the configuration. new: its run; None for one whose job failed or is still to run (of_job, reason).
    base: the run it is compared with; None without any (reason). is_recorded: the base is what the sweep had at its
    commit. results: one or more per condition; () without a condition for such engines.
    """

    name: str
    new: StoredRun | None
    base: StoredRun | None = None
    diff: PlanDiff | None = None
    results: tuple[GateResult, ...] = ()
    reason: str = ""
    is_recorded: bool = False
    of_job: GateStatus | None = None

    @property
    def change_pct(self) -> float | None:
        """None of times that can't be trusted, and of another model or machine."""
        diff = self.diff
        return None if diff is None or diff.contradicted or diff.withheld else diff.main.change_pct

    @property
    def status(self) -> GateStatus | None:
        """The worst of its results; None without any: without a base, or a condition."""
        statuses = [self.of_job, *(result.status for result in self.results)]
        for status in (GateStatus.FAILED, GateStatus.INCONCLUSIVE):
            if status in statuses:
                return status
        return GateStatus.PASSED if self.results else None


@dataclass(frozen=True)
class SweepGate:
    """commit, base: as runs have them; base is "" for the latest other. unchanged: configurations with the same runs as
    at the base. unknown: those without a run at the commit, where the store does not say why. gone: those of the base
    that the sweep no longer has. lacks_record: jobs of the sweep ran at the commit, and which of them failed is not
    known: their record is not in this store.
    """

    commit: str
    base: str
    gated: tuple[GatedRun, ...]
    unchanged: int = 0
    unknown: int = 0
    gone: int = 0
    has_conditions: bool = True
    lacks_record: bool = False


_Row = tuple[str, Any, str | None, str | None, datetime | None]
"""id, labels, gpu, job_key, made_at."""
Conditions = Callable[[str], Sequence[Condition]]
"""Of a new engine's name."""


def gate_of_sweep(store: RunStore, sweep: str, commit: str, base: str, conditions: Conditions) -> SweepGate:
    """commit: of the new runs; "" for the sweep's latest. base: of the runs to compare with; "" for the latest other.

    A sweep records what it has at a commit, also runs of before that it kept, and jobs that failed. Where there is no
    record of the base, the runs of that commit count, else (also with "") the latest ones of any other before the new.
    Raises TrexError if the sweep has nothing at the commit, or the record of a session can't be read.
    """
    records = sweep_records(store.storage, sweep, is_strict=True)
    recorded_at = [record.commit for record in records]
    commit, base = (full_commit(store, text, recorded_at) for text in (commit, base))
    chosen = commit or _latest_commit(store, sweep, records)
    new = next((record for record in reversed(records) if chosen and record.commit == chosen), None)
    old = _base_record(records, chosen, base) if chosen else None
    rows = _rows(store, sweep, chosen) if chosen else []
    if not rows and new is None:
        missing = f" at commit {chosen}" if chosen else " with a commit"
        hint = "trex sweep FILE.toml --commit $(git rev-parse HEAD)"
        raise TrexError(f"the sweep {sweep!r} has no run{missing}", hint, store.storage.where)
    outcomes = {} if new is None else new.outcomes
    recorded = {run_id for outcome in outcomes.values() for run_id in outcome.runs}
    others = {
        key: ids
        for key, ids in _newest_jobs(rows).items()
        if key not in outcomes and not recorded.intersection(ids)  # else a later run of the commit replaces them
    }
    gate = _Gate(store, sweep, conditions, chosen, base, old, {*outcomes, *others})
    work = [*outcomes.items(), *((key, Outcome(tuple(ids))) for key, ids in others.items())]
    judged = [gate.judged(key, outcome) for key, outcome in in_steps("run", work)]
    gated = tuple(_without_shared([run for run in judged if run is not None]))
    names = {run.new.name for run in gated if run.new is not None}
    every = store.queries.rows(f"SELECT DISTINCT labels, gpu FROM runs WHERE labels['{SWEEP}'] = ?", [sweep])
    return SweepGate(
        chosen,
        base,
        gated,
        judged.count(None),
        len({configuration_of(*row) for row in every} - others.keys()) if new is None else 0,
        len(old.outcomes.keys() - outcomes.keys() - others.keys()) if old is not None and new is not None else 0,
        not gated or any(conditions(name) for name in ("", *names)),
        new is None and any(job_key is not None for _, _, _, job_key, _ in rows),
    )


def _latest_commit(store: RunStore, sweep: str, records: Sequence[SweepRecord]) -> str:
    if records:
        return records[-1].commit
    known = f"labels['{SWEEP}'] = ? AND commit IS NOT NULL ORDER BY {LATEST_FIRST} LIMIT 1"
    return next((str(row[0]) for row in store.queries.rows(f"SELECT commit FROM runs WHERE {known}", [sweep])), "")


def _base_record(records: Sequence[SweepRecord], chosen: str, base: str) -> SweepRecord | None:
    """Of the commit asked for; without one, the latest other that came before the new one."""
    is_new = [record.commit == chosen for record in records]
    earlier = records if base else records[: is_new.index(True)] if True in is_new else ()
    fits = (record for record in reversed(earlier) if record.commit != chosen)
    return next((record for record in fits if record.commit == (base or record.commit)), None)


def _without_shared(gated: Sequence[GatedRun]) -> Iterator[GatedRun]:
    """Runs that have the times of another configuration's to the last digit are not judged: one was not measured."""
    runs_by_times: dict[object, list[GatedRun]] = {}
    for run in gated:
        if run.new is not None and (times := times_of(run.new)):
            runs_by_times.setdefault(times, []).append(run)
    others = {
        id(run): next((one for one in same if one.new is not None and is_other_work(one.new, run.new)), None)
        for same in runs_by_times.values()
        for run in same
        if run.new is not None
    }
    for run in gated:
        other = others.get(id(run))
        if other is None:
            yield run
            continue
        reason = f"has the times of {other.name} to the last digit: one of them was not measured"
        yield replace(run, diff=None, results=(), reason=reason, of_job=GateStatus.INCONCLUSIVE)


def _rows(store: RunStore, sweep: str, commit: str) -> list[_Row]:
    where = f"labels['{SWEEP}'] = ? AND commit = ?"
    query = f"SELECT id, labels, gpu, job_key, made_at FROM runs WHERE {where} ORDER BY repetition, id"
    return [(row[0], row[1], row[2], row[3], row[4]) for row in store.queries.rows(query, [sweep, commit])]


def _newest_jobs(rows: Sequence[_Row]) -> dict[Configuration, list[str]]:
    """The runs of each configuration's newest job: those of another, as of another release, are no repetitions."""
    groups: dict[Configuration, list[_Row]] = {}
    for row in rows:
        groups.setdefault(configuration_of(row[1], row[2]), []).append(row)
    newest = {
        key: max(group, key=lambda row: row[4].timestamp() if row[4] is not None else 0.0)[3]
        for key, group in groups.items()
    }
    return {key: [row[0] for row in group if row[3] == newest[key]] for key, group in groups.items()}


_CONFIGURED = ("model", "gpu", "provenance")
"""Facts that a run and its base share, as well as labels and options: not what came of them, as a precision, which is
what a gate is for.
"""


class _Gate:
    """The two sides of every configuration. commit: of the new runs. keys: all configurations, for their names."""

    def __init__(
        self,
        store: RunStore,
        sweep: str,
        conditions: Conditions,
        commit: str,
        base: str,
        old: SweepRecord | None,
        keys: set[Configuration],
    ) -> None:
        self._store = store
        self._sweep = sweep
        self._conditions = conditions
        self._commit = commit
        self._base = base
        self._old = old
        self._by_hand: dict[str, dict[Configuration, list[str]]] = {}  # per commit
        texts = [dict(key) for key in keys]
        names = {name for one in texts for name in one}
        self._varied = {name for name in names if len({one.get(name) for one in texts}) > 1}

    def judged(self, key: Configuration, outcome: Outcome) -> GatedRun | None:
        """None for a configuration that has the runs of its base."""
        of_jobs = self._of_jobs(key, outcome)
        judged = of_jobs or self._of_runs(key, outcome)
        if judged is None or judged is of_jobs or not outcome.failed:
            return judged
        reason = f"a repetition failed here and at the base: {outcome.failed[0]}"
        return replace(judged, reason="; ".join(filter(None, (judged.reason, reason))))

    def _of_jobs(self, key: Configuration, outcome: Outcome) -> GatedRun | None:
        """A job that failed fails the gate, unless as many did at the base; None if the runs decide."""
        before = self._before(key) or Outcome()
        failed_before = before.failed and (
            not before.runs or (outcome.runs and len(outcome.failed) <= len(before.failed))
        )
        if outcome.failed and not failed_before:
            reason = f"its job failed: {outcome.failed[0]}"
            return GatedRun(self._name(key), None, reason=reason, of_job=GateStatus.FAILED)
        if not outcome.is_over:
            reason = "a job has not run to its end: run the sweep again"
            return GatedRun(self._name(key), None, reason=reason, of_job=GateStatus.INCONCLUSIVE)
        if outcome.failed and not outcome.runs:
            return GatedRun(self._name(key), None, reason=f"failed at the base, too: {outcome.failed[0]}")
        return None

    def _of_runs(self, key: Configuration, outcome: Outcome) -> GatedRun | None:
        try:
            new = self._store.run(outcome.runs[0])
        except (TrexError, IndexError):
            reason = "its run is not in the store any more: run the sweep again"
            return GatedRun(self._name(key), None, reason=reason, of_job=GateStatus.INCONCLUSIVE)
        before = self._before(key)
        if before is not None and set(before.runs) & set(outcome.runs):
            return None
        try:
            recorded = () if before is None else self._recorded(before, new)
        except TrexError as error:
            reason = f"its run at the base can't be read: {error.message}"
            return GatedRun(self._name(key, new), new, reason=reason, of_job=GateStatus.INCONCLUSIVE)
        if before is not None and before.runs and not recorded:
            reason = "its runs at the base are on another GPU, or of another origin of times"
            return GatedRun(self._name(key, new), new, reason=reason, of_job=GateStatus.INCONCLUSIVE)
        try:
            if not recorded and new.commit != self._commit:
                return self._of_kept(key, new, outcome)
            return self._compared(key, outcome.runs, recorded or self._like(key, new), bool(recorded))
        except NoRunFits:
            return GatedRun(self._name(key, new), new, reason="the store has no other run like it")

    def _of_kept(self, key: Configuration, new: StoredRun, outcome: Outcome) -> GatedRun | None:
        """Runs of before, which the sweep had no need to repeat. None if the base has the same. Raises NoRunFits."""
        if self._old is None and self._base in ("", new.commit):
            return None
        judged = self._compared(key, outcome.runs, self._like(key, new), False)
        is_of_base = judged.base is not None and judged.base.commit == self._base
        if is_of_base or judged.status is not GateStatus.FAILED:
            return judged
        reason = (
            f"worse than before; kept from {short_commit(new.commit or 'a run')}, and the base may have had it, too"
        )
        return replace(judged, results=(), reason=reason, of_job=GateStatus.INCONCLUSIVE)

    def _before(self, key: Configuration) -> Outcome | None:
        return None if self._old is None else self._old.outcomes.get(key)

    def _recorded(self, before: Outcome, new: StoredRun) -> tuple[str, ...]:
        """The runs that the sweep had at the base, on the GPU of the new run and of its origin of times. Options may
        differ: the sweep's file is what changed them.

        Raises TrexError if one is damaged, or not in the store any more.
        """
        runs = [self._store.run(run_id) for run_id in before.runs]
        return tuple(run.id for run in runs if (run.gpu, run.provenance) == (new.gpu, new.provenance))

    def _like(self, key: Configuration, new: StoredRun) -> tuple[str, ...]:
        """Of the commit, else the latest ones before the new run, else (clocks may differ) the latest ones. Those that
        were measured in the same way come first; others can't be judged, and must not look like none.
        """
        choices: list[tuple[dict[str, str], datetime | None]] = [({"commit": self._base}, None)] if self._base else []
        of_build = {name: text for name, text in new.options.items() if name not in MEASURED_AS}
        for conditions, until in (*choices, ({}, new.made_at), ({}, None)):
            for one in (new, replace(new, options=of_build)):
                with suppress(NoRunFits):
                    ids = latest_base(self._store, RunSelection("", conditions), one, shared=_CONFIGURED, until=until)
                    return self._with_repetitions(key, ids)
        raise NoRunFits("no run fits", "trex store list shows all runs", self._store.storage.where)

    def _with_repetitions(self, key: Configuration, ids: tuple[str, ...]) -> tuple[str, ...]:
        """Runs that were added by hand have no job that says which of them repeat one another."""
        first = self._store.run(ids[0])
        if first.job_key is not None or not first.commit:
            return ids
        if first.commit not in self._by_hand:
            of_commit = self._by_hand[first.commit] = {}
            for run_id, labels, gpu, job_key, _ in _rows(self._store, self._sweep, first.commit):
                if job_key is None:
                    of_commit.setdefault(configuration_of(labels, gpu), []).append(run_id)
        return tuple(dict.fromkeys((*ids, *self._by_hand[first.commit].get(key, ()))))

    def _compared(self, key: Configuration, ids: Sequence[str], bases: Sequence[str], is_recorded: bool) -> GatedRun:
        new, base = self._store.run(ids[0]), self._store.run(bases[0])
        name = self._name(key, new)
        try:
            left, right = ([self._store.plan(run_id) for run_id in side] for side in (bases, ids))
            check_measured((*left, *right))
            for side in (left, right):
                check_engines([Performance(plan) for plan in side])
        except TrexError as error:
            return GatedRun(name, new, base, reason=error.message, of_job=GateStatus.INCONCLUSIVE)
        diff = PlanDiff(left[0], right[0], None, None, left[1:], right[1:])
        results = judge(diff, self._conditions(new.name))
        reason = "" if results else "no condition for its engine"
        return GatedRun(name, new, base, diff, results, reason, is_recorded)

    def _name(self, key: Configuration, new: StoredRun | None = None) -> str:
        words = (
            f"batch {text}" if name == "batch" else text.removeprefix("example:")
            for name, text in sorted(key, key=lambda pair: pair[0] != "model")
            if name in self._varied or name == "model"
        )
        return " · ".join(words) or (new.model if new is not None else "the only configuration")


def worst(gated: Sequence[GatedRun]) -> Iterator[GatedRun]:
    """Failed, then inconclusive, then without a base, then passed; the largest slowdown first."""
    order = {GateStatus.FAILED: 0, GateStatus.INCONCLUSIVE: 1, None: 2, GateStatus.PASSED: 3}
    yield from sorted(gated, key=lambda run: (order[run.status], -(run.change_pct or 0.0)))

"""The runs of a store between a good and a bad one → Bisection; what was skipped, and new runs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trex.compare.plan_diff import PlanDiff
from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.core.note import Note
from trex.core.regular_file import read_record
from trex.core.whole_file import write_whole
from trex.store.bisect import Bisection
from trex.store.commits import is_same_commit, short_commit
from trex.store.configurations import configurations
from trex.store.copied_times import with_other_layers, with_other_queries
from trex.store.history import check_axis, known, runs_of_model
from trex.store.history_metrics import METRICS, HistoryMetric
from trex.store.layout import utc_now
from trex.store.machines import machine_notes
from trex.store.run import MEASURED, StoredRun
from trex.store.run_order import (
    COMMIT,
    DRIVER,
    OTHER_ORDER,
    TENSORRT,
    TIME,
    axis_values,
    commits_between,
    in_order,
    is_same_version,
    ordered,
)
from trex.store.selection import NAMES_OF_SWEEPS

if TYPE_CHECKING:
    import os

    import pandas as pd

    from trex.store.run_store import RunStore

FAILURES = "failures"
_LISTED = 4
_COPIES = {
    **dict.fromkeys(("compute", "latency", "p99", "throughput"), with_other_queries),
    "layer-sum": with_other_layers,
}
"""{metric: how to find runs that did not measure it}"""
_MOST_VALUES = 100_000
_BY_IMPORTANCE = ("compute", "latency", "layer-sum")


@dataclass(frozen=True)
class BisectRuns:
    """good, bad: the runs at both ends. values: of the axis, from good to bad. metric: what is compared.

    notes: how the values were ordered.
    """

    store: RunStore
    good: StoredRun
    bad: StoredRun
    axis: str
    values: tuple[str, ...]
    metric: HistoryMetric
    notes: tuple[Note, ...] = ()

    @cached_property
    def ends(self) -> PlanDiff:
        """Both ends, compared."""
        return PlanDiff(self.store.plan(self.good.id), self.store.plan(self.bad.id))

    def bisection(self, *, again: bool = False) -> Bisection:
        """Of what the store has now, each measurement once. again: values that were skipped before may be run."""
        self.store.refresh()
        index_of = {value: index for index, value in enumerate(self.values)}
        nearby: dict[str, list[str]] = {}
        for value in self.values:
            nearby.setdefault(_begin(value, self.axis), []).append(value)
        measured: dict[int, list[float]] = {}
        run_ids: dict[int, list[str]] = {}
        runs = _configuration_runs(self.store, self.good, self.bad, self.axis)
        copies = self._copies(runs)
        for run_id, value, number in self._rows(runs):
            if run_id in copies:
                continue
            index = _index(index_of, nearby, value, self.axis)
            if index is not None:
                measured.setdefault(index, []).append(number)
                run_ids.setdefault(index, []).append(run_id)
        skipped = [] if again else [index for index, value in enumerate(self.values) if self.skips(value)]
        is_exact = self.metric.is_exact or (self.good.provenance not in (None, MEASURED) and self.metric.is_predicted)
        return Bisection(self.values, measured, run_ids, skipped, is_exact=is_exact)

    @property
    def machine_notes(self) -> tuple[Note, ...]:
        """On the clocks, drivers and problems of the runs that count, as the store has them now, and on those that
        don't.
        """
        runs = _configuration_runs(self.store, self.good, self.bad, self.axis)
        ids = {run_id for ids in self.bisection().run_ids.values() for run_id in ids}
        notes = machine_notes(runs[runs["id"].isin(ids)], self.store.storage.where)
        if copies := self._copies(runs):
            words = counted(len(copies), "run does not count: its", "runs do not count: their")
            listed = ", ".join(f"{run_id[:8]} ({other[:8]})" for run_id, other in [*copies.items()][:_LISTED])
            message = f"{words} times are those of another run to the last digit: {listed}"
            notes.append(Note("times-of-other-run", message, "measure them again"))
        return tuple(notes)

    def _copies(self, runs: pd.DataFrame) -> dict[str, str]:
        """{run: the one whose times it has}, of the times that the metric is of; of both ends, and of what was added
        first, no copies.
        """
        find = _COPIES.get(self.metric.name)
        if find is None or self.good.provenance != MEASURED:
            return {}
        is_end = runs["id"].isin((self.good.id, self.bad.id))
        return find(self.store, runs.assign(is_end=is_end).sort_values(["is_end", "added_at"], ascending=[False, True]))

    def _rows(self, runs: pd.DataFrame) -> list[tuple[str, str, float]]:
        """(id, value of the axis, value of the metric) of the runs of this configuration."""
        column = self.metric.column
        rows = [
            (run_id, known(value) or "", float(number))
            for run_id, value, number in zip(runs["id"], axis_values(runs, self.axis), runs[column], strict=True)
            if number is not None and number == number and number > 0.0
        ]
        # The ends are what the user named: other runs of their values count, too.
        return sorted(rows, key=lambda row: row[0] not in (self.good.id, self.bad.id))

    def add(self, folder: str | os.PathLike[str], value: str) -> StoredRun:
        """Adds the run of a value that a command left in a folder. Raises TrexError if it is no run of this kind, or of
        another value; the store then does not keep it.
        """
        labels = {name: text for name, text in self.good.labels.items() if name not in NAMES_OF_SWEEPS}
        if self.axis in labels or self.axis not in _OWN_COLUMNS:
            labels[self.axis] = value
        number = sum(len(ids) for ids in self.bisection(again=True).run_ids.values())
        run = self.store.add(
            folder,
            labels={**labels, "bisect": self.key},
            repetition=number,
            model=self.good.model,
            commit=value if self.axis == COMMIT else self.good.commit,
            options=self.good.options,
            fills_options=True,
        )
        try:
            self._check(run, value, str(folder))
        except TrexError:
            self.store.remove(run.id)  # it has labels, model and options of the good one
            raise
        return run

    def _check(self, run: StoredRun, value: str, folder: str) -> None:
        if getattr(run, self.metric.column) is None:
            raise TrexError(f"the run has no {self.metric.label}", "trex doctor FOLDER", folder)
        runs = _configuration_runs(self.store, self.good, self.bad, self.axis).set_index("id")
        if run.id not in runs.index:
            parts = _differences(self.good, run, self.axis)
            raise TrexError(f"the run is not like the good one: {parts}", "run the same configuration", folder)
        actual = known(axis_values(runs.loc[[run.id]], self.axis).iloc[0]) or ""
        if not _is_same(actual, value, self.axis):
            message = f"the run's {self.axis} is {_word(actual or None)}, not {value}"
            raise TrexError(message, "the command must make what {value} names", folder)
        if other := self._copies(runs.reset_index()).get(run.id):
            of = known(axis_values(runs.loc[[other]], self.axis).iloc[0]) or "unknown"
            message = f"the run has the times of {other[:8]} ({self.axis} {of}) to the last digit: it measured nothing"
            raise TrexError(message, "the command must measure anew, and into {folder}", folder)

    @property
    def key(self) -> str:
        return sha256(f"{self.good.id} {self.bad.id} {self.axis}".encode()).hexdigest()[:16]

    def _skip_folder(self, value: str) -> Path:
        name = sha256(f"{self.key} {value}".encode()).hexdigest()
        return Path(self.store.storage.where) / FAILURES / name

    def skips(self, value: str) -> tuple[str, ...]:
        """Why a value could not be measured, once per attempt."""
        reasons = []
        for path in sorted(self._skip_folder(value).glob("*.json")):
            try:
                reasons.append(str(read_record(path)["reason"]))
            except (OSError, ValueError, KeyError, TypeError):
                continue
        return tuple(reasons)

    def skip(self, value: str, reason: str, log: Sequence[str] = ()) -> None:
        """Keeps that a value can't be measured, for later runs of the same bisection."""
        folder = self._skip_folder(value)
        folder.mkdir(parents=True, exist_ok=True)
        now = utc_now()
        record = {
            "reason": reason,
            "log": list(log),
            "time": f"{now.isoformat(timespec='milliseconds')}Z",
            "labels": {"bisect": self.key, self.axis: value},
        }
        write_whole(folder / f"{now:%Y%m%dT%H%M%S%f}.json", json.dumps(record, indent=1) + "\n")


_OWN_COLUMNS = (COMMIT, "tensorrt", "driver", "gpu", TIME)
"""Axes whose values are columns of ``runs``; any other is a label."""


def bisect_runs(
    store: RunStore,
    good: str,
    bad: str,
    axis: str = COMMIT,
    metric: str = "",
    values: Sequence[str] = (),
    repository: str = ".",
) -> BisectRuns:
    """good, bad: ids, or the beginning of them. values: of the axis, in order; by default the commits between both,
    along first parents, else the store's values in their order.

    Raises TrexError for runs that are not of one configuration, for an axis without an order, and if the metric is the
    same at both ends.
    """
    runs = [store.run(wanted.removeprefix("store:")) for wanted in (good, bad)]
    first, last = runs
    if first.id == last.id:
        raise TrexError("both runs are the same", "name a good and a bad one")
    if first.model != last.model:
        raise TrexError(f"the runs are of different models: {first.model}, {last.model}", "name two runs of one model")
    runs_of = runs_of_model(store, first.model)
    check_axis(runs_of, axis)
    ends = [known(value) for value in axis_values(runs_of.set_index("id").loc[[first.id, last.id]], axis)]
    missing = [name for name, value in zip(("good", "bad"), ends, strict=True) if value is None]
    if missing:
        raise TrexError(f"the {' and the '.join(missing)} run has no {axis}", "name another axis: --axis")
    if ends[0] == ends[1]:
        raise TrexError(f"both runs have the {axis} {ends[0]}", "name another axis: --axis")
    frame = _configuration_runs(store, first, last, axis)
    chosen = _metric(metric, first, last)
    ordered_values, notes = _values(frame, axis, str(ends[0]), str(ends[1]), values, repository)
    return BisectRuns(store, first, last, axis, ordered_values, chosen, notes)


def refusal(runs: BisectRuns) -> str:
    """Why there is nothing to look for between both ends, in one sentence; "" if there is."""
    good, bad = (getattr(run, runs.metric.column) for run in (runs.good, runs.bad))
    diff = runs.ends
    if diff.withheld:
        return diff.withheld
    if runs.metric.name in ("compute", "latency") and runs.good.provenance == MEASURED:
        change = diff.significances.get("computeMs" if runs.metric.name == "compute" else "latencyMs")
        if change is not None and change.is_significant is False:
            return change.sentence
    return "" if good != bad else f"{runs.metric.label} is the same in both."


def _metric(name: str, good: StoredRun, bad: StoredRun) -> HistoryMetric:
    if name and name not in METRICS:
        hint = did_you_mean(name, METRICS, f"metrics: {', '.join(METRICS)}")
        raise TrexError(f"there is no metric {name!r}", hint)
    for candidate in (name,) if name else _BY_IMPORTANCE:
        metric = METRICS[candidate]
        if all(getattr(run, metric.column) for run in (good, bad)):
            return metric
    what = METRICS[name].label if name else "GPU compute, latency or sum of layer times"
    raise TrexError(f"{what} is not known of both runs, or 0", "trex store show ID; --metric names another")


def _configuration_runs(store: RunStore, good: StoredRun, bad: StoredRun, axis: str) -> pd.DataFrame:
    """All runs of the configuration of both ends. Raises TrexError if these are not of one."""
    runs = runs_of_model(store, good.model)
    for _, rows in configurations(runs, axis):
        part: pd.DataFrame = runs.iloc[rows]
        ids = set(part["id"])
        if {good.id, bad.id} <= ids:
            return part
    raise TrexError(
        f"the runs differ in more than the {axis}: {_differences(good, bad, axis)}",
        "name two runs of one configuration",
    )


def _differences(good: StoredRun, bad: StoredRun, axis: str) -> str:
    parts = []
    names = ("gpu", "provenance", "backend", "precision", "batch", "shapes", "tensorrt", "driver", "model_hash")
    for name in names:
        left, right = getattr(good, name), getattr(bad, name)
        if left != right and name != axis:
            parts.append(f"{name} {_word(left)} and {_word(right)}")
    for name in ("labels", "options"):
        left, right = dict(getattr(good, name)), dict(getattr(bad, name))
        for key in sorted({*left, *right} - {axis, *NAMES_OF_SWEEPS}):
            if left.get(key) != right.get(key):
                parts.append(f"{key} {_word(left.get(key))} and {_word(right.get(key))}")
    return ", ".join(parts[:6]) or "nothing recorded"


def _word(value: object) -> str:
    return "unknown" if value is None else str(value)[:40]


def _values(
    frame: pd.DataFrame, axis: str, good: str, bad: str, values: Sequence[str], repository: str
) -> tuple[tuple[str, ...], tuple[Note, ...]]:
    if values:
        return _given(values, good, bad, axis), ()
    if axis == COMMIT:
        try:
            between = commits_between(good, bad, repository)
        except TrexError as error:
            runs = ordered(frame, axis, repository, keeps_branches=True)
            message = (
                f"{error.message}: only commits of the store are looked at, in git's order as far as it knows them, "
                "else by their first runs"
            )
            note = Note("commit-order", message, error.hint, "", "warning")
            return _between([str(value) for value in runs.runs[COMMIT]], good, bad, axis), (note,)
        if not between or not between[-1].startswith(bad.lower()):
            raise TrexError(
                f"{short_commit(good)} is no ancestor of {short_commit(bad)} along first parents",
                "swap them?",
                repository,
            )
        return (good, *between[:-1], bad), ()
    texts = [str(value) for value in axis_values(frame, axis).dropna()]
    if axis == TIME:
        return _between(sorted(set(texts)), good, bad, axis), ()
    notes = tuple(note for note in ordered(frame, axis, repository).notes if note.code == OTHER_ORDER)
    return _between(in_order(texts), good, bad, axis), notes


def _given(values: Sequence[str], good: str, bad: str, axis: str) -> tuple[str, ...]:
    """Between both ends, whichever comes first; a list without them is what is between."""
    texts = list(values)
    for end in (good, bad):
        texts = [end if _is_same(text, end, axis) else text for text in texts]
    if good not in texts and bad not in texts:
        texts = [good, *texts, bad]
    missing = next((end for end in (good, bad) if end not in texts), None)
    if missing is not None:
        raise TrexError(f"--values has one end, and not the other: {missing}", "name both ends, or neither")
    return _between(texts, good, bad, axis)


def _between(texts: Sequence[str], good: str, bad: str, axis: str) -> tuple[str, ...]:
    distinct = list(dict.fromkeys(texts))
    first, last = distinct.index(good), distinct.index(bad)
    if first > last:
        distinct.reverse()
        first, last = distinct.index(good), distinct.index(bad)
    if len(distinct) > _MOST_VALUES:
        raise TrexError(f"there are {counted(len(distinct), 'value')} of {axis}", f"at most {_MOST_VALUES}")
    return tuple(distinct[first : last + 1])


def _index(index_of: Mapping[str, int], nearby: Mapping[str, Sequence[str]], value: str, axis: str) -> int | None:
    """Of a value; commits and versions may be shortened on either side. nearby: the values by their begin."""
    index = index_of.get(value)
    if index is not None or axis not in (COMMIT, TENSORRT, DRIVER):
        return index
    return next(
        (index_of[other] for other in nearby.get(_begin(value, axis), ()) if _is_same(value, other, axis)), None
    )


def _begin(value: str, axis: str) -> str:
    """What values that are the same begin with."""
    return value[:7] if axis == COMMIT else value[:1]


def _is_same(left: str, right: str, axis: str) -> bool:
    if axis in (TENSORRT, DRIVER):
        return is_same_version(left, right)
    return is_same_commit(left, right) if axis == COMMIT else left == right


def culprit_causes(runs: BisectRuns, bisection: Bisection) -> PlanDiff | None:
    """The last measured value before the change against the first one from it on; None if a side has no run."""
    first = bisection.culprits[0]
    behind = bisection.culprits[-1]
    before = next((index for index in range(first - 1, -1, -1) if index in bisection.run_ids), None)
    after = next((index for index in range(behind, len(bisection.values)) if index in bisection.run_ids), None)
    if before is None or after is None:
        return None
    sides: list[list[Any]] = []
    for index in (before, after):
        ids = bisection.run_ids[index]
        numbers = bisection.measured[index]
        by_value = sorted(range(len(ids)), key=numbers.__getitem__)
        middle = by_value[(len(by_value) - 1) // 2]
        sides.append([runs.store.plan(ids[number]) for number in (middle, *(n for n in by_value if n != middle))])
    left, right = sides
    return PlanDiff(left[0], right[0], None, None, left[1:], right[1:])

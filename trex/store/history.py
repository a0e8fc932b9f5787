"""Runs of one model → History: a series per configuration and metric, and where each changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from itertools import chain, takewhile
from typing import TYPE_CHECKING, Any

import numpy as np

from trex.compare.run_settings import MEASURED_AS, plain_key
from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.core.note import Note
from trex.core.printable import clipped
from trex.store.alternating_networks import alternating_networks
from trex.store.change_points import HistoryChange, HistoryLevels, levels_in, levels_of_counts
from trex.store.configurations import NAMED, configuration_names, configurations, part_words
from trex.store.copied_times import with_other_profile, with_other_queries
from trex.store.doubted_times import doubted_times
from trex.store.history_metrics import METRICS, HistoryMetric
from trex.store.layer_averages import by_one_statistic
from trex.store.machines import Machines, clock_notes, doubt_notes, merged
from trex.store.run import MEASURED
from trex.store.run_order import COMMIT, HELD, OTHER_BRANCH, OTHER_ORDER, TIME, RunOrder, ordered
from trex.store.unshared_growth import unshared_growth
from trex.store.without_rows import runs_without_rows, with_missing_runs

if TYPE_CHECKING:
    import pandas as pd

    from trex.store.run_store import RunStore

_MEASURED_AS = tuple(f"option {name}" for name in MEASURED_AS)
_FEW_RUNS = 5
"""Of a new precision or build option, until which a history is not judged."""
_OPTION = "option "
_LONGEST_WORDS = 400
_KERNELS = "kernels"
_KERNELS_SQL = (
    "SELECT run, md5(string_agg(tactic || ' ' || number, ';' ORDER BY tactic)) "
    "FROM tactics AS kernels(run, model, tactic, number) WHERE model = ? GROUP BY run"
)
"""The kernels of each run, and how many layers use them. A query that names that column would open the table layers."""
_FACTS = ("commit", "model_hash", "tensorrt", "driver", "trex")
"""What may change along a series and explain a change."""


@dataclass(frozen=True, eq=False)
class HistorySeries:
    """One metric of one configuration along the axis.

    configuration: what is equal in all runs, {name: value}. name: the part that distinguishes it from the other
    configurations. order: all runs of the model. rows: those of this series, with a value, in order.
    """

    metric: HistoryMetric
    configuration: Mapping[str, str]
    name: str
    order: RunOrder
    rows: np.ndarray

    @cached_property
    def runs(self) -> pd.DataFrame:
        """Rows of the table ``runs``."""
        result: pd.DataFrame = self.order.runs.iloc[self.rows]
        return result

    @cached_property
    def values(self) -> list[float]:
        return [float(value) for value in self.order.runs[self.metric.column].iloc[self.rows]]

    @cached_property
    def groups(self) -> tuple[int, ...]:
        """The number of each run's position on the axis."""
        return tuple(self.order.groups[row] for row in self.rows)

    @cached_property
    def days(self) -> Counter[date]:
        """{day: number of its runs}."""
        return Counter(self.runs["made_at"].dt.date)

    @property
    def is_measured(self) -> bool:
        return self.configuration.get("provenance", MEASURED) == MEASURED

    @cached_property
    def levels(self) -> HistoryLevels:
        is_prediction = not self.is_measured and self.metric.is_predicted
        if self.metric.is_exact or is_prediction:
            exact = levels_in(self.values, self.groups, is_exact=True)
            # Bytes and layers of a build can differ from those of the next one, without a cause.
            if is_prediction or min(self.values) <= 0.0 or len(exact.changes) <= max(1, len(self.values) // 3):
                return exact
        if self.metric.kind == "count":
            return levels_of_counts(self.values, self.groups, self._builds)
        return levels_in(self.values, self.groups)

    @property
    def _builds(self) -> list[tuple[str, ...]]:
        """Per run the layers and kernels of its engine; unknown ones are those of its neighbors."""
        facts = self.runs[["layers", _KERNELS]].astype("string").ffill().bfill().fillna("")
        return list(facts.itertuples(index=False, name=None))

    @property
    def changes(self) -> tuple[HistoryChange, ...]:
        return self.levels.changes

    def change_of(self, change: HistoryChange) -> dict[str, tuple[str | None, str | None]]:
        """{fact: (before, from then on)} of commit, versions and driver that changed with it."""
        before, after = self.runs.iloc[change.index - 1], self.runs.iloc[change.index]
        facts = {name: (known(before[name]), known(after[name])) for name in _FACTS}
        return {name: pair for name, pair in facts.items() if pair[0] != pair[1]}

    def sides(self, change: HistoryChange, most: int = 5) -> tuple[list[str], list[str]]:
        """Ids of the last runs before a change and of the first ones after it, each side the middle one first."""
        number = self.changes.index(change)
        before, after = self.levels.levels[number], self.levels.levels[number + 1]
        left = range(max(before.first, before.behind - most), before.behind)
        right = range(after.first, min(after.behind, after.first + most))
        return self._middle_first(left), self._middle_first(right)

    def _middle_first(self, indexes: Iterable[int]) -> list[str]:
        by_value = sorted(indexes, key=self.values.__getitem__)
        middle = by_value[(len(by_value) - 1) // 2]
        ids = self.runs["id"]
        return [ids.iloc[index] for index in (middle, *(index for index in by_value if index != middle))]


@dataclass(frozen=True)
class HistoryEvent:
    """Changes of one configuration at one place. series, change: of the most important metric. others: of the others.

    first, last: the positions on the axis between which it lies.
    """

    series: HistorySeries
    change: HistoryChange
    first: int
    last: int
    others: tuple[tuple[HistorySeries, HistoryChange], ...] = ()

    @property
    def name(self) -> str:
        """Of the configuration."""
        return self.series.name

    @property
    def run(self) -> pd.Series[Any]:
        """The first run of the new level."""
        return self.series.runs.iloc[self.change.index]


@dataclass(frozen=True)
class History:
    """model: as in the store. axis: what orders the runs. series: by configuration, then metric. count: of runs.

    store: where they are. is_behind: whether Notes leave open what the newest runs show.
    """

    model: str
    axis: str
    series: tuple[HistorySeries, ...]
    count: int
    notes: tuple[Note, ...] = ()
    store: str = ""
    is_behind: bool = False

    @property
    def is_judged(self) -> bool:
        """Whether some series can show changes: one of times, if there are any."""
        of_times = [one for one in self.series if not one.metric.is_exact and one.metric.kind != "count"]
        return any(not one.levels.reason for one in of_times or self.series)

    @cached_property
    def events(self) -> tuple[HistoryEvent, ...]:
        """The changes of all metrics, those of one configuration at the same place together: the ones for the worse
        first, by the importance of the metric, then the largest.
        """
        by_name: dict[str, list[HistoryEvent]] = {}
        for series in self.series:
            events = by_name.setdefault(series.name, [])
            for change in series.changes:
                first, last = series.groups[change.earliest], series.groups[change.latest]
                for number, event in enumerate(events):
                    if event.first <= last and first <= event.last:
                        events[number] = replace(event, others=(*event.others, (series, change)))
                        break
                else:
                    events.append(HistoryEvent(series, change, first, last))
        order = list(METRICS)
        return tuple(
            sorted(
                chain.from_iterable(by_name.values()),
                key=lambda event: (
                    not event.series.metric.is_worse(event.change.change_pct),
                    order.index(event.series.metric.name),
                    -abs(event.change.change_pct),
                ),
            )
        )


def known(value: Any) -> str | None:
    """The value as text; None for what is unknown."""
    if value is None or value != value:
        return None
    return str(value)


def metrics_named(names: Sequence[str]) -> tuple[HistoryMetric, ...]:
    """All without names. Raises TrexError for one that does not exist."""
    for name in names:
        if name not in METRICS:
            hint = did_you_mean(name, METRICS, f"metrics: {', '.join(METRICS)}")
            raise TrexError(f"there is no metric {name!r}", hint)
    return tuple(METRICS[name] for name in (names or METRICS))


def history_of(
    store: RunStore, model: str, axis: str = "made_at", metrics: Sequence[str] = (), repository: str = "."
) -> History:
    """The history of a model: its word, the name of an engine, or the beginning of the model's hash.

    Runs of one series share GPU, provenance, backend, precision, batch, shapes, build options and labels; along commits
    also TensorRT and driver, along versions the model. Raises TrexError for an unknown model, metric or axis.
    """
    chosen = metrics_named(metrics)
    runs = runs_of_model(store, model)
    check_axis(runs, axis)
    word = str(runs["model"].iloc[0])
    runs[_KERNELS] = runs["id"].map(dict(store.queries.rows(_KERNELS_SQL, [word])))
    notes = clock_notes(runs) + doubt_notes(runs, store.storage.where)
    order = ordered(runs, axis, repository)
    notes += (*order.notes, *runs_without_rows(store), *doubted_times(store, set(order.runs["id"])))
    parts = configurations(order.runs, axis)
    names = configuration_names([key for key, _ in parts])
    machines = Machines(order.runs)
    copies = (
        (with_other_queries(store, order.runs), "times"),
        (with_other_profile(store, order.runs), "layer times"),
    )
    behind = [note for note in order.notes if note.code in (OTHER_ORDER, OTHER_BRANCH) and note.severity == "warning"]
    behind += [
        note
        for (_, rows), name in zip(parts, names, strict=True)
        for check in (unshared_growth, *((alternating_networks,) if axis in (TIME, COMMIT) else ()))
        for note in check(order.runs.iloc[rows], name)
    ]
    if METRICS["layer-sum"] in chosen:  # after what the medians show
        notes += tuple(by_one_statistic(store, word, order.runs, [rows for _, rows in parts], names))
    known_rows = {metric: order.runs[metric.column].notna().to_numpy() for metric in chosen}
    series: list[HistorySeries] = []
    for (configuration, rows), name in zip(parts, names, strict=True):
        notes += machines.notes(rows, name)
        for metric, is_known in known_rows.items():
            if is_known[rows].any():
                series.append(HistorySeries(metric, configuration, name, order, rows[is_known[rows]]))
        behind += _without_values(name, rows, known_rows)
        ids = [str(run_id) for run_id in order.runs["id"].iloc[rows]]
        copied = (noted for part in copies if (noted := _copied_times(store, name, ids, *part)))
        for of_copies, is_newest in sorted(copied, key=lambda one: not one[1])[:1]:
            (behind if is_newest else notes).append(of_copies)
    for note, count in _ended(parts, names):
        notes.append(note)
        behind += [note] if count < _FEW_RUNS else []
    behind += _without_facts(parts, names)
    return History(
        word, axis, tuple(series), len(runs), tuple(merged((*notes, *behind))), store.storage.where, bool(behind)
    )


def _without_values(name: str, rows: np.ndarray, known_rows: Mapping[HistoryMetric, np.ndarray]) -> Iterator[Note]:
    """A Note if the newest runs of a configuration have no value of a metric that is known of earlier ones."""
    without: dict[str, int] = {}
    for metric, is_known in known_rows.items():
        own = rows[is_known[rows]]
        known = own if len(own) else np.flatnonzero(is_known)
        if len(known) and (count := int((rows > known.max()).sum())):
            without[metric.name] = count
    if without:
        words = counted(max(without.values()), "run has", "runs have")
        message = f"{name}: the newest {words} no {', '.join(without)}, which are known of earlier ones"
        yield Note("newest-runs-without-value", message, "look at them: trex store list")


def _copied_times(
    store: RunStore, name: str, ids: Sequence[str], copies: Mapping[str, str], what: str
) -> tuple[Note, bool] | None:
    """(a Note, whether they are the newest) if runs of a configuration have the times of other runs: their files were
    not written again. None if there are none.

    ids: of the configuration, in order. copies: {run: the first one with its times}, of the whole model.
    """
    seen: set[str] = set()  # what the runs before each one measured
    copied: list[str] = []
    for run_id in ids:
        first = copies.get(run_id, run_id)
        if first != run_id and (first in seen or not _has_same_files(store, run_id, first)):
            copied.append(run_id)
        seen.add(first)
    newest = list(takewhile(set(copied).__contains__, reversed(ids)))[::-1]
    if not copied:
        return None
    others = list(dict.fromkeys(copies[run_id][:8] for run_id in newest or copied))
    listed = ", ".join(others[:4]) + (f" and {len(others) - 4} more" if len(others) > 4 else "")
    words = "the newest run has" if len(newest) == 1 else f"the newest {len(newest)} runs have"
    if not newest:
        words = f"{counted(len(copied), 'run has', 'runs have')}"
    message = f"{name}: {words} the {what} of {listed} to the last digit"
    hint = "keep the files of one run together, and measure again"
    return Note("times-of-other-run", message if newest else f"{message}, and count as if measured", hint), bool(newest)


def _has_same_files(store: RunStore, *ids: str) -> bool:
    """Whether one run was added to two configurations, as with other labels."""
    one, other = ({(item.name, item.sha256) for item in store.run(run_id).artifacts} for run_id in ids)
    return one == other


def _without_facts(parts: Sequence[tuple[dict[str, str], np.ndarray]], names: Sequence[str]) -> Iterator[Note]:
    """A Note for each configuration that begins after the last run of another one, and may be the same without some of
    its facts: nothing compares the two.
    """
    every = [(set(configuration.items()), rows, name) for (configuration, rows), name in zip(parts, names, strict=True)]
    having: dict[tuple[str, str], list[tuple[set[tuple[str, str]], np.ndarray, str]]] = {}
    for one in every:
        for fact in one[0]:
            having.setdefault(fact, []).append(one)
    for own, rows, name in every:
        for fuller, earlier, other in min((having[fact] for fact in own), key=len, default=every):
            if earlier[-1] < rows[0] and _may_be_same(own, fuller):
                missing = ", ".join(sorted(key.removeprefix("option ") for key, _ in fuller - own)[:4])
                message = f"{name}: {missing} not known since its first run: it may be {other}, and no change is judged"
                yield Note("newest-runs-without-facts", message, "keep the metadata and logs of a run with its times")
                break


def _may_be_same(own: set[tuple[str, str]], fuller: set[tuple[str, str]]) -> bool:
    """Whether a configuration is another one without some of its facts. A lost file takes all options of the build, or
    of the run, with it; a label that a run lacks was not given.
    """
    missing = {name for name, _ in fuller - own}
    options = {name for name, _ in fuller if name.startswith("option ")}
    of_run = options.intersection(_MEASURED_AS)
    is_whole = all(not missing & part or part <= missing for part in (of_run, options - of_run))
    return own < fuller and is_whole and missing <= {*NAMED, *_FACTS, *options}


def _ended(parts: Sequence[tuple[dict[str, str], np.ndarray]], names: Sequence[str]) -> Iterator[tuple[Note, int]]:
    """(a Note, number of its runs) where the newest runs have a precision, way to measure, or value of a build option
    whose runs are the first to begin after the last of another one: that one came to an end, and nothing compares the
    two.
    """
    by_rest: dict[tuple[tuple[str, str], ...], dict[str, list[tuple[np.ndarray, str]]]] = {}
    every = [configuration for configuration, _ in parts]
    options = dict.fromkeys(name for one in every for name in sorted(one) if name.startswith(_OPTION))
    varied = [name for name in dict.fromkeys((*_MEASURED_AS, *options)) if _distinguishes(name, every)]
    for (configuration, rows), name in zip(parts, names, strict=True):
        key = tuple(
            sorted(
                (fact, "" if fact.startswith(_OPTION) else value)  # with the same options, of any values
                for fact, value in configuration.items()
                if not _is_of_variant(fact)
            )
        )
        by_rest.setdefault(key, {}).setdefault(_variant(configuration, varied), []).append((rows, name))
    for by_variant in by_rest.values():
        last = {variant: max(int(rows[-1]) for rows, _ in own) for variant, own in by_variant.items()}
        newest = np.sort(np.concatenate([rows for own in by_variant.values() for rows, _ in own]))[-len(by_variant) :]
        for new, own in sorted(by_variant.items(), key=lambda item: min(int(rows[0]) for rows, _ in item[1])):
            first, name = min((int(rows[0]), name) for rows, name in own)
            ended = [old for old, row in last.items() if row < first]
            if ended and last[new] >= newest[0]:  # not followed by more runs than there are others
                words = clipped(f"since its first run it is {new} and no longer {' or '.join(ended)}", _LONGEST_WORDS)
                hint = "compare a run before with one after: trex store list"
                note = Note("newest-runs-differ", f"{name}: {words}: no change of times is judged", hint)
                yield note, sum(len(rows) for rows, _ in own)
            for old in ended:
                del last[old]


def _is_of_variant(name: str) -> bool:
    return plain_key(name.removeprefix("option ")) == "precision" or name in _MEASURED_AS


def _distinguishes(name: str, every: Sequence[Mapping[str, str]]) -> bool:
    """Whether configurations differ in an option; the precision of their layers says more than that of the build, where
    it differs, too.
    """
    pairs = {(value, one.get("precision")) for one in every if (value := one.get(name)) or name in _MEASURED_AS}
    if name in _MEASURED_AS or not _is_of_variant(name):
        return len({value for value, _ in pairs}) > 1
    return len(pairs) > len({precision for _, precision in pairs})


def _variant(configuration: Mapping[str, str], varied: Sequence[str]) -> str:
    """``FP16``, ``INT8 with data transfers on``."""
    precision = configuration.get("precision", "of unknown precision")
    words = [" ".join(part_words(configuration, (name,), ())) for name in varied]
    return f"{precision} with {', '.join(words)}" if words else precision


def runs_of_model(store: RunStore, model: str) -> pd.DataFrame:
    """Of the model with this word; if there is none, of the only one with an engine of this name, or such a hash."""
    from trex.core.baseline_key import model_word

    # All columns: a query that names the column "layers" would open the table of that name, too.
    word, query = model_word(model), "SELECT * FROM runs WHERE"
    runs = store.queries.frame(f"{query} model = ?", [word])
    if not len(runs):
        meant = "name = ? OR (length(?) >= 8 AND starts_with(model_hash, ?))"
        runs = store.queries.frame(f"{query} {meant}", [model, model, model.lower()])
    names = sorted({str(name) for name in runs["model"]})
    if len(names) > 1:
        hint = f"one of {', '.join(names[:8])}"
        raise TrexError(f"{len(names)} models have an engine or hash {model!r}", hint, store.storage.where)
    if not names:
        names = [row[0] for row in store.queries.rows("SELECT DISTINCT model FROM runs ORDER BY model LIMIT 1000")]
        listed = ", ".join(names[:8])
        hint = did_you_mean(model, names, f"models here: {listed}" if names else "trex store add FOLDER")
        raise TrexError(f"the store has no runs of {model!r}", with_missing_runs(store, hint), store.storage.where)
    return runs


def check_axis(runs: pd.DataFrame, axis: str) -> None:
    """Raises TrexError if no run has a position on the axis."""
    if axis in HELD:
        return
    labels = sorted({name for labels in runs["labels"] for name in (labels or {})})
    if axis not in labels:
        names = (*HELD, *labels)
        hint = did_you_mean(axis, names, f"axes: {', '.join(names)}")
        raise TrexError(f"no run has the label {axis!r}", hint)

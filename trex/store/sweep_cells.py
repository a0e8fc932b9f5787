"""Runs of a sweep → SweepCells: one row per configuration, with its axes, its metrics and columns of the user."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from trex.compare.run_settings import MEASURED_AS
from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.core.note import Note
from trex.core.printable import printable, shell_word
from trex.ingest.signature import signature_of
from trex.ingest.source import read_binary
from trex.ingest.text import decode
from trex.store.commits import full_commit
from trex.store.contradicted_labels import FACTS, label_notes
from trex.store.doubted_times import doubted_times, measured_differently, shared_times
from trex.store.machines import machine_notes
from trex.store.run import MEASURED
from trex.store.sweep_record import SweepRecord, configuration_of, sweep_records

if TYPE_CHECKING:
    import os

    from trex.store.run_store import RunStore

SWEEP = "sweep"
MAIN, ITEM_TIME, RATE = "main_ms", "ms_per_item", "items_per_s"
TIMES = ("gpu_compute_ms", "latency_ms", "layer_sum_ms")
METRIC_COLUMNS = (
    *TIMES, "p99_ms", "gpu_compute_p99_ms", "throughput_qps", "enqueue_ms", "device_memory_bytes",
    "activation_peak_bytes", "weights_bytes", "engine_bytes", "build_seconds", "layers", "findings",
    "likely_savings_ms", "clock_mhz",
)  # fmt: skip
"""Columns of ``runs`` that a configuration has: the median over its repetitions."""

_FACTS = ("model", "gpu", "tensorrt", "precision", "batch", "backend", "provenance", "trex")
_MACHINE = ("gpu", "tensorrt")
_ENGINE = ("model", "precision", "batch", "shapes", *MEASURED_AS)
"""Facts that the runs of one configuration share: with others, they are no repetitions."""
_TAKEN = (
    *METRIC_COLUMNS,
    MAIN,
    ITEM_TIME,
    RATE,
    "id",
    "run_id",
    "runs",
    "provenance",
    "is_on_front",
    "_number",
    "_main",
)
"""Columns that no label of a run replaces."""
_VERSIONS = ("tensorrt", "driver", "trex", "commit")
"""Axes that are no numbers: 10.10 is not 10.1."""

_LARGEST_CSV = 1 << 26
_MOST_COLUMNS = 100
_MOST_ROWS = 100_000
"""As many as a sweep may have jobs."""
_ROW_HINT = "one row per configuration"
_UNKNOWN = frozenset(("", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "None"))


@dataclass(frozen=True)
class SweepCells:
    """cells: one row per configuration. axes: labels with more than one value, columns of ``cells``. constant: the
    others. main: the column that ``main_ms`` is from. columns: of the user. values: {index of a row: main times of its
    repetitions}. store: where the runs are. runs: their number; run_ids: their ids.
    """

    name: str
    cells: pd.DataFrame
    axes: tuple[str, ...]
    constant: Mapping[str, str]
    main: str
    columns: tuple[str, ...] = ()
    values: Mapping[int, tuple[float, ...]] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    store: str = ""
    runs: int = 0
    run_ids: tuple[str, ...] = ()

    @property
    def is_measured(self) -> bool:
        return bool((self.cells["provenance"] == MEASURED).all())

    @property
    def option_axes(self) -> tuple[str, ...]:
        """Axes without the model, which is no choice between equal results."""
        return tuple(axis for axis in self.axes if axis != "model")

    def named(self, row: Mapping[str, Any], without: str = "") -> str:
        """``resnet18 · batch 8 · fp16``: the values of the axes. without: an axis to leave out."""
        words = []
        for axis in self.axes:
            if axis == without:
                continue
            value = row[axis]
            text = axis_text(value)
            words.append(f"{axis} {text}" if axis in ("batch", *MEASURED_AS) else text.removeprefix("example:"))
        return " · ".join(words) or self.name


def sweep_cells(
    store: RunStore,
    name: str,
    columns: str | os.PathLike[str] = "",
    job_keys: Collection[str] = (),
    commit: str = "",
) -> SweepCells:
    """name: of the sweep, as runs have it in the label ``sweep``. job_keys: instead, the jobs of a sweep's file: runs
    that another sweep had made before belong to them, too. columns: a CSV file of the user, see ``with_columns``.
    commit: what the sweep had at it; by default what it has now: the runs of its last session, as its record has them,
    else those of each configuration's newest job.

    Raises TrexError if the store has no run of it.
    """
    runs = _runs(store, name, job_keys)
    everything = len(runs)
    record = None if job_keys else _record(store, name, commit)
    if commit:
        runs = _at_commit(store, runs, name, commit, record)
    runs, earlier = _recorded(store, runs, record)
    of_runs = runs
    by_axis, constant = _axes(runs)
    labels = tuple(by_axis)
    measured_as = {
        name: runs["options"].map(lambda options, name=name: (options or {}).get(name)) for name in MEASURED_AS
    }
    runs = runs.assign(**measured_as)
    runs = runs.rename(columns={name: _fact(name, labels) for name in (*_FACTS, "shapes", *MEASURED_AS)})
    texts = {
        axis: runs["labels"].map(lambda labels, name=name: (labels or {}).get(name)) for axis, name in by_axis.items()
    }
    runs = runs.assign(**texts)
    # Runs of several machines, releases or engines that no label names.
    axes = (*labels, *(name for name in _MACHINE if name not in labels and runs[name].nunique(dropna=False) > 1))
    together = runs.groupby([*axes, "provenance"], dropna=False, sort=False)
    unnamed = [name for name in _ENGINE if (together[_fact(name, labels)].nunique(dropna=False) > 1).any()]
    axes += tuple(_fact(name, labels) for name in unnamed)
    main = next((column for column in TIMES if runs[column].notna().all()), None)
    notes = [*_notes_on_missing_runs(runs, job_keys, earlier), *_note_on_failed(of_runs, record)]
    if unnamed:
        message = f"runs with equal labels differ in {' and '.join(unnamed)}: they are no repetitions"
        notes.append(Note("unnamed-axis", message, "name it: trex store add --label", "", "info"))
    if (older := everything - len(runs)) > 0:
        message = f"{counted(older, 'run')} of earlier models, versions or commits left out"
        notes.append(Note("older-runs", message, "trex history MODEL shows all; --commit chooses", "", "info"))
    if main is None:
        main = max(TIMES, key=lambda column: int(runs[column].notna().sum()))
        missing = int(runs[main].isna().sum())
        notes.append(Note("no-main-time", f"{counted(missing, 'run has', 'runs have')} no {main}", "", "", "warning"))
    cells, values = _cells(runs, labels, axes, main)
    origins = sorted(set(cells["provenance"].dropna()))
    has_rate = cells[cells["provenance"] == MEASURED]["throughput_qps"].notna()
    if has_rate.nunique() > 1:
        words = counted(int((~has_rate).sum()), "configuration has", "configurations have")
        message = f"items/s are batch over {main}: {words}"
        notes.append(Note("no-throughput", f"{message} no throughput", "", "", "info"))
    if len(origins) > 1:
        message = f"the sweep mixes {' and '.join(origins)} times: only those of one origin are compared"
        notes.append(Note("mixed-origins", message))
    apart = [name for name in unnamed if name == "model"]
    notes += label_notes(of_runs[[*FACTS, *apart]].to_dict("records"), apart)
    notes += machine_notes(of_runs, store.storage.where)
    notes += (*doubted_times(store, set(of_runs["id"])), *shared_times(of_runs, store.storage.where))
    notes += measured_differently(of_runs, axes, store.storage.where)
    sweep = SweepCells(
        name, cells, axes, constant, main, (), values, tuple(notes), store.storage.where, len(runs), tuple(runs["id"])
    )
    return with_columns(sweep, columns) if columns else sweep


def newest_jobs(runs: pd.DataFrame, axis: str = "") -> pd.DataFrame:
    """Of every configuration the runs of its newest job; without jobs, of its newest commit. axis: a column, for the
    newest job at each of its values.
    """
    jobs = runs["job_key"].fillna(runs["commit"]).fillna("")
    facts = [*_MACHINE, "provenance", *([axis] if axis in runs and axis != "labels" else [])]
    keys = [
        str((*of_run, sorted((name, text) for name, text in (labels or {}).items() if name != SWEEP)))
        for labels, *of_run in zip(runs["labels"], *(runs[name] for name in facts), strict=True)
    ]
    order = runs.assign(_key=keys, _job=jobs).sort_values("made_at", kind="stable", na_position="first")
    newest = order.groupby("_key")["_job"].last()
    is_newest = [newest[key] == job for key, job in zip(keys, jobs, strict=True)]
    result: pd.DataFrame = runs[np.array(is_newest, dtype=bool)]
    return result


def _record(store: RunStore, name: str, commit: str) -> SweepRecord | None:
    """Of the commit; without one, of the last session."""
    records = sweep_records(store.storage, name, of_no_commit=not commit)
    wanted = full_commit(store, commit, [record.commit for record in records]) if commit else ""
    return next((record for record in reversed(records) if not commit or record.commit == wanted), None)


def _at_commit(store: RunStore, runs: pd.DataFrame, name: str, commit: str, record: SweepRecord | None) -> pd.DataFrame:
    chosen: pd.DataFrame = runs[runs["commit"] == (full_commit(store, commit) if record is None else record.commit)]
    if not len(chosen) and record is None:
        hint = "trex store list shows the commits of all runs"
        raise TrexError(f"the sweep {name!r} has no run at commit {commit}", hint, store.storage.where)
    return chosen


def present_runs(store: RunStore, runs: pd.DataFrame, name: str) -> pd.DataFrame:
    """Of these runs of a sweep those that it has now."""
    present, _ = _recorded(store, runs, _record(store, name, ""))
    return present


def _recorded(store: RunStore, runs: pd.DataFrame, record: SweepRecord | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The runs of the record, also of before or of another sweep, and of configurations without any there, the newest;
    and these alone. Without a record the newest, and those of them that are not of the last commit.
    """
    if record is None:
        newest = newest_jobs(runs)
        commits = newest["commit"].fillna("")
        last = newest.assign(_commit=commits).sort_values("made_at", kind="stable", na_position="first")["_commit"]
        return newest, newest[commits != last.iloc[-1]] if len(newest) else newest
    ids = sorted({run_id for outcome in record.outcomes.values() for run_id in outcome.runs})
    kept = store.queries.frame("SELECT * FROM runs WHERE list_contains(?, id) ORDER BY id", [ids])
    has = {configuration_of(labels, gpu) for labels, gpu in zip(kept["labels"], kept["gpu"], strict=True)}
    configurations = map(configuration_of, runs["labels"], runs["gpu"])
    is_other = np.array([configuration not in has for configuration in configurations], dtype=bool)
    others = newest_jobs(runs[is_other])
    return (pd.concat([kept, others], ignore_index=True) if len(others) else kept), others


def _notes_on_missing_runs(runs: pd.DataFrame, job_keys: Collection[str], earlier: pd.DataFrame) -> Iterator[Note]:
    """earlier: runs of configurations that have none of the last session or commit."""
    if missing := len(set(job_keys) - set(runs["job_key"])):
        message = f"{missing:,} of {counted(len(set(job_keys)), 'job')} of the file have no run"
        yield Note("job-without-run", message, "trex sweep FILE.toml runs them")
    if len(earlier) and not job_keys:  # a job's key is that of its model
        number = len(set(map(configuration_of, earlier["labels"], earlier["gpu"])))
        commits = ", ".join(sorted({commit[:12] or "none" for commit in earlier["commit"].fillna("")})[:4])
        words = counted(number, "configuration has", "configurations have")
        message = f"{words} no run of the last session or commit: the times are of an earlier one (commit {commits})"
        yield Note("run-of-earlier-session", message, "the model may be another; trex sweep FILE.toml runs what failed")


def _note_on_failed(runs: pd.DataFrame, record: SweepRecord | None) -> Iterator[Note]:
    """On configurations that have no run at all, since their jobs failed."""
    pairs = list(zip(runs["labels"], runs["gpu"], strict=True))
    present = {configuration_of(labels, known) for labels, gpu in pairs for known in (gpu, None)}
    outcomes = {} if record is None else record.outcomes
    without = ((key, one) for key, one in outcomes.items() if one.failed and not one.runs)
    failed = [(key, one.failed[0]) for key, one in without if key not in present]
    if failed:
        first = ", ".join(f"{name} {text}" for name, text in failed[0][0]) or "the only one"
        words = counted(len(failed), "configuration has", "configurations have")
        message = f"{words} no run, as all jobs failed: {printable(first)[:200]} ({failed[0][1]})"
        yield Note("configuration-failed", message, "trex sweep FILE.toml runs them again")


def _runs(store: RunStore, name: str, job_keys: Collection[str]) -> pd.DataFrame:
    query = "SELECT * FROM runs WHERE"  # naming the column "layers" would open the table of that name, too
    which, value = ("list_contains(?, job_key)", sorted(job_keys)) if job_keys else (f"labels['{SWEEP}'] = ?", name)
    runs = store.queries.frame(f"{query} {which} ORDER BY id", [value])
    if len(runs):
        return runs
    if job_keys:
        hint = f"trex sweep FILE.toml runs them; trex sweep report {shell_word(name)} shows those of before"
        message = "the store has no run of the file's jobs, with this trex and TensorRT"
        raise TrexError(message, hint, store.storage.where)
    rows = store.queries.rows(f"SELECT DISTINCT labels['{SWEEP}'] FROM runs LIMIT 1000")
    names = sorted(str(row[0]) for row in rows if row[0])
    hint = did_you_mean(name, names, f"sweeps here: {', '.join(names[:8])}" if names else "trex sweep FILE.toml")
    raise TrexError(f"the store has no run of the sweep {name!r}", hint, store.storage.where)


def _axes(runs: pd.DataFrame) -> tuple[dict[str, str], dict[str, str]]:
    """({axis: label} of the labels that vary, {label: value} of the others), in the order of the labels."""
    names = dict.fromkeys(name for labels in runs["labels"] for name in (labels or {}) if name != SWEEP)
    values = {name: {(labels or {}).get(name) for labels in runs["labels"]} for name in names}
    axes = {f"label {name}" if name in _TAKEN else name: name for name, texts in values.items() if len(texts) > 1}
    return axes, {name: str(next(iter(texts))) for name, texts in values.items() if len(texts) == 1}


def _cells(
    runs: pd.DataFrame, labels: Sequence[str], axes: Sequence[str], main: str
) -> tuple[pd.DataFrame, dict[int, tuple[float, ...]]]:
    keys = {axis: runs[axis].map(lambda value: "" if value is None or value != value else str(value)) for axis in axes}
    keys["provenance"] = runs["provenance"].fillna("")
    number = pd.DataFrame(keys).groupby(list(keys), sort=False).ngroup()
    runs = runs.assign(_number=number, _main=pd.to_numeric(runs[main], errors="coerce").astype(float))
    ordered = runs.sort_values(["_number", "_main"], kind="stable", na_position="last")
    first = ordered.drop_duplicates("_number").set_index("_number")
    facts = list(dict.fromkeys([*axes, *(_fact(name, labels) for name in _FACTS)]))
    metrics = runs[list(METRIC_COLUMNS)].apply(pd.to_numeric, errors="coerce").astype(float)
    frame = first[facts].join(metrics.groupby(runs["_number"]).median())
    known = ordered[ordered["_main"].notna()].groupby("_number")
    middle = known["id"].agg(lambda ids: ids.iloc[(len(ids) - 1) // 2])
    frame = frame.assign(
        run_id=middle.reindex(frame.index).fillna(first["id"]),
        runs=runs.groupby("_number").size(),
        **{MAIN: frame[main]},
    )
    batch = pd.to_numeric(frame[_fact("batch", labels)], errors="coerce").astype(float)
    batch = batch.where(batch > 0.0)
    frame[ITEM_TIME] = frame[MAIN] / batch
    rate = frame["throughput_qps"].where(frame["throughput_qps"] > 0.0) * batch
    has_rates = rate.notna().groupby(frame["provenance"].fillna("")).transform("all")
    frame[RATE] = rate.where(has_rates, 1000.0 / frame[ITEM_TIME].where(frame[ITEM_TIME] > 0.0))
    for axis in axes:
        frame[axis] = frame[axis] if axis in _VERSIONS else _numbers(frame[axis])
    frame = frame.sort_values(list(axes), kind="stable") if axes else frame
    times = {key: tuple(map(float, part)) for key, part in known["_main"]}
    values = {row: times.get(key, ()) for row, key in enumerate(frame.index)}
    return frame.reset_index(drop=True), values


def axis_text(value: Any) -> str:
    """``8``, ``fp16``, ``none``."""
    if value is None or value != value:
        return "none"
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _fact(name: str, labels: Sequence[str]) -> str:
    """The column of a fact: an axis of the same name has its label there."""
    return f"{name}_of_run" if name in labels else name


def _numbers(column: pd.Series[Any]) -> pd.Series[Any]:
    """As numbers if all are, and are written like them: 007 is a name."""
    numbers = pd.to_numeric(column, errors="coerce").astype(float)
    return numbers if [axis_text(number) for number in numbers] == list(column) else column


def with_columns(sweep: SweepCells, path: str | os.PathLike[str]) -> SweepCells:
    """The sweep with columns of a CSV file, such as an accuracy. Its columns with the name of an axis, of another label
    or ``run`` say which configurations a row is for; the others are the new columns.

    Raises TrexError if it names no axis, has no other column, or two of one name, or is too large or no CSV.
    """
    table, file_notes = _csv(path)
    cells = sweep.cells
    by_name = {name.lower(): name for name in table}
    known = {**{axis.lower(): axis for axis in (*sweep.axes, *sweep.constant)}, "run": "run_id"}
    keys = [
        name for name in by_name if name in known and (known[name] in cells.columns or known[name] in sweep.constant)
    ]
    new = [by_name[name] for name in by_name if name not in keys]
    if not keys or not new:
        hint = f"columns that choose: {', '.join((*sweep.axes, 'run'))}; and at least one other"
        raise TrexError("the file has no column that chooses configurations, or no other one", hint, str(path))
    taken = [name for name in new if name in cells.columns]
    if taken:
        raise TrexError(f"configurations have a column {taken[0]!r}", "rename it in the file", str(path))
    rows: dict[tuple[str, ...], int] = {}
    for index, values in enumerate(zip(*(table[by_name[key]] for key in keys), strict=True)):
        key = tuple(_key_text(value, name) for value, name in zip(values, keys, strict=True))
        if rows.setdefault(key, index) != index:
            words = " · ".join(filter(None, key)) or "the same"
            raise TrexError(f"two rows are for {printable(words)[:80]}", "one row per configuration", str(path))
    rows_of = []
    for row in cells.to_dict("records"):
        own = (row.get(known[key], sweep.constant.get(known[key])) for key in keys)
        rows_of.append(rows.get(tuple(_key_text(value, name) for value, name in zip(own, keys, strict=True))))
    added = {name: _numbers_or_unknown([None if row is None else table[name][row] for row in rows_of]) for name in new}
    frame = pd.concat((cells, pd.DataFrame(added, index=cells.index)), axis=1)
    missing = sum(row is None for row in rows_of)
    notes = [*sweep.notes, *file_notes, *_text_notes({name: frame[name] for name in new}, str(path))]
    if missing:
        message = f"{counted(missing, 'configuration is', 'configurations are')} not in the file: unknown there"
        notes.append(Note("column-not-given", message, "", str(path)))
    if unused := len(rows) - len({row for row in rows_of if row is not None}):
        notes.append(Note("row-not-used", f"{counted(unused, 'row fits', 'rows fit')} no configuration", "", str(path)))
    return SweepCells(
        sweep.name, frame, sweep.axes, sweep.constant, sweep.main, tuple(new), sweep.values, tuple(notes), sweep.store,
        sweep.runs, sweep.run_ids,
    )  # fmt: skip


def _csv(path: str | os.PathLike[str]) -> tuple[dict[str, list[str | None]], tuple[Note, ...]]:
    """{column: values, None for unknown}, and Notes on the file."""
    source = read_binary(path, _LARGEST_CSV, _too_large)
    if signature := signature_of(source.data):
        raise TrexError(f"this is {signature.description}, not CSV", f"a header and {_ROW_HINT}", source.path)
    text, notes = decode(source.data, source.path)
    reader = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)
    lines = ([value.strip() for value in line] for line in reader if line)
    rows: list[list[str]] = []
    try:
        names = [name or f"column {number}" for number, name in enumerate(next(lines, []), 1)]
        if len(names) > _MOST_COLUMNS:
            message = f"the file has {len(names):,} columns, and at most {_MOST_COLUMNS} are read"
            raise TrexError(message, "keep those that choose configurations, and the new ones", source.path)
        for line in lines:
            if len(line) > len(names):
                message = f"{counted(len(line), 'value')} for {counted(len(names), 'column')}"
                raise TrexError(message, "quote values that contain a comma", f"{source.path}:{reader.line_num}")
            if len(rows) == _MOST_ROWS:
                raise TrexError(f"the file has more than {_MOST_ROWS:,} rows", _ROW_HINT, source.path)
            rows.append([*line, *[""] * (len(names) - len(line))])
    except csv.Error as error:
        message = f"this is no CSV file: {error}"
        raise TrexError(message, f"a header and {_ROW_HINT}", f"{source.path}:{reader.line_num}") from error
    counts = Counter(map(str.lower, names))
    if name := next((name for name in names if counts[name.lower()] > 1), ""):
        message = f"two columns are named {printable(name)[:80]!r}"
        raise TrexError(message, "upper and lower case are the same; rename one", source.path)
    table = {
        name: [None if row[number] in _UNKNOWN else row[number] for row in rows] for number, name in enumerate(names)
    }
    return table, (*source.notes, *notes)


def _text_notes(columns: Mapping[str, pd.Series[Any]], where: str) -> Iterator[Note]:
    """On columns that seem to be meant as numbers: a value begins with a digit."""
    for name, column in columns.items():
        texts = [str(value) for value in column if value is not None] if column.dtype.kind == "O" else []
        if any(text.lstrip("+-.")[:1].isdigit() for text in texts):
            text = next(text for text in texts if not math.isfinite(pd.to_numeric(text, errors="coerce")))
            message = f"{printable(name)[:80]} is text, no objective: {printable(text)[:80]!r} is no number"
            yield Note("column-is-text", message, "write plain numbers, such as 0.76", where)


def _too_large(_: int, where: str) -> TrexError:
    return TrexError("the file is larger than 64 MiB", _ROW_HINT, where)


def _key_text(value: Any, axis: str) -> str:
    """Equal for 8, 8.0 and "8" of an axis that is no version."""
    if value is None or value != value:
        return ""
    text = str(value).strip()
    if axis not in _VERSIONS:
        with suppress(ValueError):
            return axis_text(float(text))
    return text.removeprefix("example:").lower()


def _numbers_or_unknown(values: Sequence[Any]) -> pd.Series[Any]:
    column = pd.Series(values, dtype=object)
    numbers = pd.to_numeric(column, errors="coerce").astype(float)
    is_whole = numbers.notna().sum() == column.notna().sum() and not numbers.isin((math.inf, -math.inf)).any()
    result: pd.Series[Any] = numbers if is_whole else column
    return result

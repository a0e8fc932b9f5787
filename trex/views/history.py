"""History → Document: what changed, when, by how much and why; trends of every configuration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from trex.core.counted import counted
from trex.core.signed import signed
from trex.store.change_causes import ChangeCauses
from trex.store.change_points import ALPHA, HistoryChange
from trex.store.commits import short_commit
from trex.store.history import History, HistoryEvent, HistorySeries, known
from trex.store.run_order import COMMIT, TIME, axis_values
from trex.views.compare.sections.causes import without_times
from trex.views.compare.sections.layers import largest_changes, name_of
from trex.views.document import Block, Document, Fact, Facts, PlotBlock, Section, TableBlock, Text
from trex.views.plot import Axis, Empty, Points
from trex.views.sparkline import sparkline
from trex.views.store import compare_command
from trex.views.table import Table, TableColumn

COMMAND = "history"
_MOST_PLOTS = 24
_MOST_ROWS = 15
_LEAST_MS = 5e-7
_FACT_WORDS = {"tensorrt": "TensorRT", "driver": "driver", "trex": "trex", "commit": "commit", "model_hash": "model"}
_SERIES_COLUMNS = (
    TableColumn("configuration", "name", readable=20, meaning="what distinguishes it from the others"),
    TableColumn("metric"),
    TableColumn("runs", "count"),
    TableColumn("level", meaning="mean of the runs since the last change", identifier="latest_words"),
    TableColumn("all", "rate", "%", meaning="last level over the first, minus one", identifier="change_pct"),
    TableColumn(
        "noise", "rate", "%", if_known=True, meaning="standard deviation within levels", identifier="noise_pct"
    ),
    TableColumn("changes", "count"),
    TableColumn("trend", meaning="in the order of the runs; the lowest value is the lowest block"),
)
_SHORT = ("configuration", "metric", "level", "changes", "trend")
"""Columns for a terminal; without the first if there is one configuration."""
_CHANGE_COLUMNS = (
    TableColumn("at", readable=12, meaning="first run of the new level"),
    TableColumn("configuration", "name", readable=14),
    TableColumn("metric"),
    TableColumn("change", "rate", "%", identifier="change_pct"),
    TableColumn("from", "rate", "%", if_known=True, meaning="lower end of the 95 % interval", identifier="low_pct"),
    TableColumn("to", "rate", "%", if_known=True, meaning="upper end", identifier="high_pct"),
    TableColumn("confidence", "rate", "%", identifier="confidence_pct"),
    TableColumn("earliest", meaning="first run that may be the first of the new level"),
    TableColumn("latest", meaning="last run that may be"),
    TableColumn("before", "number", identifier="before"),
    TableColumn("after", "number", identifier="after"),
    TableColumn("run", identifier="run_id"),
    TableColumn("with it", readable=12, meaning="what else changed there", identifier="changed_with_it"),
)


def history_document(
    history: History, causes: Sequence[ChangeCauses] = (), top: int = 3, *, is_short: bool = False, store: str = ""
) -> Document:
    """top: how many changes are described. is_short: for a terminal, the series that changed and the main ones. store:
    where runs are, unless in the usual one.
    """
    sections = [
        Section("answer", "", tuple(_answer(history, causes, top)), data=_data(history)),
        Section("series", "Trends" if not is_short else "", (_series_table(history, is_short),)),
    ]
    if plots := tuple(_plots(history)):
        sections.append(Section("charts", "Charts", plots))
    sections += [_why(number, cause, store) for number, cause in enumerate(causes, 1)]
    if history.events:
        sections.append(Section("changes", "All changes", (_changes_table(history),), is_folded=True))
    block = TableBlock("runs", "", partial(_runs_table, history), "runs", shown=8)
    sections.append(Section("runs", "All runs", (block,), is_folded=True))
    by = {TIME: "time", COMMIT: "commit"}.get(history.axis, history.axis)
    names = list(dict.fromkeys(series.name for series in history.series))
    of = f", {names[0]}" if len(names) == 1 else f", {len(names)} configurations"
    subtitle = f"{counted(history.count, 'run')} by {by}{of if names else ''}"
    return Document(
        COMMAND, history.model, _statement(history), tuple(sections), history.notes, source=history, subtitle=subtitle
    )


def _statement(history: History) -> str:
    """Whether times are predictions."""
    origins = {series.configuration.get("provenance", "") for series in history.series}
    unmeasured = sorted(origins - {"measured", ""})
    if not unmeasured:
        return ""
    which = "all times are" if len(origins) == 1 else "some times are"
    return f"{', '.join(unmeasured)}: {which} not measured"


def _data(history: History) -> dict[str, Any]:
    return {
        "axis": history.axis,
        "runs": history.count,
        "events": len(history.events),
        "false_alarm_pct_per_series": 100.0 * ALPHA,
    }


def _answer(history: History, causes: Sequence[ChangeCauses], top: int) -> Iterator[Block]:
    events = history.events
    if not history.series:
        yield Text(("No run has a value of these metrics.",))
        return
    if not events:
        testable = sum(not series.levels.reason for series in history.series)
        reasons = sorted({series.levels.reason for series in history.series if series.levels.reason})
        if not testable:
            yield Text((f"Can't tell whether anything changed: {'; '.join(reasons[:2])}.",))
        else:
            others = len(history.series) - testable
            unjudged = f" {others} more can't be judged: {'; '.join(reasons[:2])}." if others else ""
            doubt = ", as far as the notes leave it certain" if history.is_behind else ""
            yield Text((f"No change in {counted(testable, 'series', 'series')}{doubt}.{unjudged}",))
    tested = sum(not series.levels.reason and series.levels.noise_pct is not None for series in history.series)
    if events and ALPHA * tested >= 1.0:
        yield Text((f"Of {tested:,} noisy series about {ALPHA * tested:.0f} show a change by chance.",))
    for number, event in enumerate(events[:top]):
        lines = list(event_lines(event, history.axis, is_alone=len(_main_series(history)) == 1))
        cause = next((cause for cause in causes if cause.event is event), None)
        if cause is not None:
            lines += _cause_lines(cause)
        yield Text(tuple(lines if not number else ("", *lines)))
    if len(events) > top:
        yield Text((f"{counted(len(events) - top, 'more change')}: --top {len(events)}",), "hint")
    if late := tuple(_unconfirmed(history)):
        yield Text(late)


def event_lines(event: HistoryEvent, axis: str, *, is_alone: bool = False) -> Iterator[str]:
    """What changed, where, with which confidence; then the other metrics, and what changed with it."""
    series, change = event.series, event.change
    metric = series.metric
    before, after = _value(series, change.before), _value(series, change.after)
    unit = f" {metric.unit}" if metric.unit else ""
    words = f"{metric.label} {before.removesuffix(unit)} → {after}"
    direction = "worse" if metric.is_worse(change.change_pct) else "better"
    if metric.kind == "ms":
        direction = "slower" if change.change_pct > 0.0 else "faster"
    size = f" ({_percent(change)}{_interval(change)})" if change.before else ""
    of = "" if is_alone else f", {event.name}"
    yield (
        f"{direction.capitalize()} since {position_words(series, change.index, axis)}: {words}{size}{of}."
        + ("" if not change.chance else f" Confidence {_confidence(change)}.")
    )
    if event.others:
        parts = (f"{other.metric.label} {_percent(one)}" for other, one in event.others)
        yield f"Also {', '.join(parts)}."
    if change.earliest != change.latest:
        first, last = (position_words(series, index, axis) for index in (change.earliest, change.latest))
        yield f"It may lie anywhere from {first} to {last}."
    if together := _together(series, change):
        yield f"Changed with it: {together}."


def _together(series: HistorySeries, change: HistoryChange) -> str:
    return ", ".join(
        f"{_FACT_WORDS[name]} {_short(name, before)} → {_short(name, after)}"
        for name, (before, after) in series.change_of(change).items()
    )


def _short(fact: str, value: str | None) -> str:
    if value is None:
        return "unknown"
    return short_commit(value) if fact in ("commit", "model_hash") else value


def _percent(change: HistoryChange) -> str:
    return f"{signed(change.change_pct)} %" if change.before else "from 0"


def _interval(change: HistoryChange) -> str:
    if change.low_pct is None or change.high_pct is None:
        return ""
    return f"; 95 % interval {signed(change.low_pct)} to {signed(change.high_pct)}"


def _confidence(change: HistoryChange) -> str:
    return "above 99.9 %" if change.chance < 1e-3 else f"{change.confidence_pct:.1f} %"


def _cause_lines(cause: ChangeCauses) -> list[str]:
    if cause.diff is None or cause.reason:
        return [f"Layers can't be compared: {cause.reason}."]
    if cause.diff.withheld:
        return [cause.diff.withheld]
    steps = sorted(cause.diff.waterfall.steps, key=lambda step: -abs(step.difference_ms))
    words = [
        f"{step.name} {signed(step.difference_ms, 4)} ms" for step in steps[:3] if abs(step.difference_ms) > _LEAST_MS
    ]
    layers = [
        f"{name_of(*cause.diff.layers_of(change))} {signed(change.difference_ms, 4)} ms"
        for change in largest_changes(cause.diff)[:2]
        if change.is_known
    ]
    lines = [f"Why: {', '.join(words)}."] if words else []
    lines += [f"Layers: {'; '.join(layers)}."] if layers else []
    return [*lines, *without_times(cause.diff)]


def _unconfirmed(history: History) -> Iterator[str]:
    """What a single last run may show, and drifts."""
    for series in history.series:
        levels = series.levels
        if levels.latest_pct is not None and not any(
            change.index == len(series.values) - 1 for change in series.changes
        ):
            yield (
                f"Not confirmed: the last run's {series.metric.label} is {signed(levels.latest_pct)} % from the level "
                f"before ({series.name}). Repeat it: one run is no level yet."
            )
        if levels.drift:
            yield f"{series.metric.label} drifts ({series.name}): its steps are as likely slow noise as changes."


def _why(number: int, cause: ChangeCauses, store: str) -> Section:
    title = f"Why {cause.event.series.metric.label} {_percent(cause.event.change)} ({cause.event.name})"
    command = Text((compare_command(cause.base[:8], cause.new[:8], store),), "command")
    diff = cause.diff
    if diff is None or cause.reason or diff.withheld:
        notes = () if diff is None else diff.notes
        return Section(f"why_{number}", title, (command,), notes, is_folded=True)
    steps = tuple(
        (step.name, step.difference_ms, step.difference_ms) for step in diff.waterfall.steps
        if abs(step.difference_ms) > _LEAST_MS
    )  # fmt: skip
    columns = (TableColumn("cause"), TableColumn("difference", "ms", "ms"), TableColumn("change", "bar"))
    layers = tuple(
        (
            name_of(*diff.layers_of(change)),
            change.left_ms if change.is_known else None,
            change.right_ms if change.is_known else None,
            change.difference_ms if change.is_known else None,
            change.cause.value,
        )
        for change in largest_changes(diff)
    )
    layer_columns = (
        TableColumn("layers", "name", readable=18),
        TableColumn("before", "ms", "ms"),
        TableColumn("after", "ms", "ms"),
        TableColumn("difference", "ms", "ms"),
        TableColumn("cause", readable=20),
    )
    tables = (
        Table("", columns, steps, f"causes_{number}"),
        Table("Layers that changed", layer_columns, layers, f"layers_{number}").first(10),
    )
    facts = Facts((Fact("Verdict", diff.verdict, None, "verdict"),))
    remarks = [Text((words,)) for words in without_times(diff)]
    blocks: tuple[Block, ...] = (facts, *(table for table in tables if table.rows), *remarks, command)
    data = {"base": cause.base, "new": cause.new, "verdict": diff.verdict}
    return Section(f"why_{number}", title, blocks, diff.notes, data, is_folded=True)


def _series_table(history: History, is_short: bool) -> Table:
    main = set(_main_series(history))
    rows = []
    for series in history.series:
        if is_short and series not in main and not series.changes:
            continue
        levels = series.levels.levels
        first, last = levels[0].value, levels[-1].value
        all_pct = 100.0 * (last / first - 1.0) if first > 0.0 else None
        rows.append((
            series.name, series.metric.label, len(series.values), _value(series, last), all_pct,
            series.levels.noise_pct, len(series.changes) if not series.levels.reason else None,
            sparkline(series.values),
        ))  # fmt: skip
    table = Table("", _SERIES_COLUMNS, tuple(rows), "series", left_out=len(history.series) - len(rows), more="-v")
    if not is_short:
        return table
    changed = [row for row in table.rows if row[6]]
    others = [row for row in table.rows if not row[6]]
    table = replace(table, rows=(*changed, *others)).first(_MOST_ROWS)
    hidden = ("configuration",) if len(main) == 1 else ()
    names = [column.name for column in _SERIES_COLUMNS]
    return table.with_columns([names.index(name) for name in _SHORT if name not in hidden])


def _main_series(history: History) -> list[HistorySeries]:
    """The first metric of each configuration."""
    by_name: dict[str, HistorySeries] = {}
    for series in history.series:
        by_name.setdefault(series.name, series)
    return list(by_name.values())


def _changes_table(history: History) -> Table:
    rows = []
    for event in history.events:
        for series, change in ((event.series, event.change), *event.others):
            at, earliest, latest = (
                position_words(series, index, history.axis) for index in (change.index, change.earliest, change.latest)
            )
            rows.append((
                at, series.name, series.metric.label, change.change_pct if change.before else None,
                change.low_pct, change.high_pct,
                change.confidence_pct, earliest, latest, change.before, change.after,
                series.runs["id"].iloc[change.index], _together(series, change),
            ))  # fmt: skip
    return Table("", _CHANGE_COLUMNS, tuple(rows), "changes")


def _plots(history: History) -> Iterator[PlotBlock | Text]:
    """Of series that changed first; how many more there are is said at the end."""
    main = _main_series(history)
    chosen = set(main)
    worth = [series for series in history.series if series in chosen or series.changes]
    worth.sort(key=lambda series: not series.changes)
    for number, series in enumerate(worth[:_MOST_PLOTS], 1):
        title = f"{series.metric.label}: {series.name}"
        yield PlotBlock(f"trend-{number}", title, partial(_plot, series, history.axis), repeats=True)
    if len(worth) > _MOST_PLOTS:
        yield Text((f"{counted(len(worth) - _MOST_PLOTS, 'more chart')} left out.",))


def _plot(series: HistorySeries, axis: str) -> Points | Empty:
    if len(series.values) < 2:
        return Empty("There is one run.", "trex store add FOLDER")
    xs: list[float] = []
    ys: list[float] = []
    for level in series.levels.levels:
        xs += [level.first + 0.5, level.behind + 0.5]
        ys += [level.value, level.value]
    unit = series.metric.unit or ("bytes" if series.metric.kind == "bytes" else "")
    positions = [position_words(series, index, axis) for index in range(len(series.values))]
    return Points(
        [float(index) for index in range(1, len(series.values) + 1)],
        series.values,
        Axis("run, oldest first"),
        Axis(series.metric.label, unit),
        texts=positions,
        keys=[series.metric.label] * len(series.values),
        lines=[("level", xs, ys)],
        hover={"run": series.runs["id"].tolist()},
    )


def _runs_table(history: History) -> Table:
    """One row per run; a column per metric."""
    metrics = {series.metric.column: series.metric for series in history.series}
    columns = [
        TableColumn("run", identifier="id"),
        TableColumn("configuration", "name"),
        TableColumn(history.axis, identifier="position"),
        *(
            TableColumn(metric.label, metric.kind, metric.unit, if_known=True, identifier=column)
            for column, metric in metrics.items()
        ),
        *(TableColumn(name, if_known=True) for name in ("made_at", "commit", "tensorrt", "driver", "trex")),
    ]
    rows: dict[str, tuple[Any, ...]] = {}
    for series in history.series:
        positions = axis_values(series.runs, history.axis)
        for position, row in zip(positions, series.runs.to_dict("records"), strict=True):
            if row["id"] not in rows:
                values = (_plain(row[column]) for column in metrics)
                facts = (known(row[name]) for name in ("made_at", "commit", "tensorrt", "driver", "trex"))
                rows[row["id"]] = (row["id"], series.name, str(position), *values, *facts)
    return Table("", tuple(columns), tuple(rows.values()), "runs")


def _plain(value: Any) -> float | None:
    return None if value is None or value != value else float(value)


def _value(series: HistorySeries, value: float) -> str:
    column = TableColumn("", series.metric.kind)
    if series.metric.kind == "count":
        return f"{value:,.0f}"
    text = column.cell(value)
    return f"{text} {series.metric.unit}".rstrip()


def position_words(series: HistorySeries, index: int, axis: str) -> str:
    """Where a run is on the axis: ``2026-11-03 (3f2c1ab90d)``, a commit, a version."""
    row = series.runs.iloc[index]
    if axis == TIME:
        day = f"{row['made_at']:%Y-%m-%d}"
        text = f"{row['made_at']:%Y-%m-%d %H:%M}" if series.days[row["made_at"].date()] > 1 else day
        commit = known(row["commit"])
        return f"{text} ({short_commit(commit)})" if commit else text
    value = known(axis_values(series.runs.iloc[index : index + 1], axis).iloc[0]) or "unknown"
    return short_commit(value) if axis == COMMIT else f"{_FACT_WORDS.get(axis, axis)} {value}"

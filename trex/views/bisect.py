"""Bisection → Document: where the change lies, with which confidence, why, and which run comes next."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from trex.compare.plan_diff import PlanDiff
from trex.core.counted import counted
from trex.core.printable import shell_line
from trex.core.signed import signed
from trex.store.bisect import Bisection, BisectValue
from trex.store.bisect_runs import BisectRuns
from trex.store.commits import short_commit
from trex.store.run_order import COMMIT, OTHER_ORDER
from trex.views.compare.sections.layers import largest_changes, name_of
from trex.views.document import Block, Document, Section, Text
from trex.views.table import Table, TableColumn

COMMAND = "bisect"
_LEAST_MS = 5e-7
_SHOWN = 12
_COLUMNS = (
    TableColumn("value", "name", readable=12),
    TableColumn("state", meaning="by its runs and those of its neighbors"),
    TableColumn("runs", "count"),
    TableColumn("metric", "number", identifier="value_of_metric"),
    TableColumn("chance", "pct", "%", meaning="that the change begins here", identifier="chance_pct"),
    TableColumn("chance", "bar"),
    TableColumn("why skipped", readable=16, if_known=True, identifier="skipped_because"),
)
_CAUSE_COLUMNS = (TableColumn("cause"), TableColumn("difference", "ms", "ms"), TableColumn("change", "bar"))
_LAYER_COLUMNS = (
    TableColumn("layers", "name", readable=18),
    TableColumn("good", "ms", "ms"),
    TableColumn("bad", "ms", "ms"),
    TableColumn("difference", "ms", "ms"),
    TableColumn("cause", readable=20),
)


def bisect_document(
    runs: BisectRuns,
    bisection: Bisection,
    diff: PlanDiff | None,
    subject: str = "",
    new_runs: int = 0,
    *,
    is_short: bool = False,
    store: str = "",
) -> Document:
    """diff: the runs on both sides of the change. subject: of the culprit's commit. new_runs: made just now. store:
    where runs are, unless in the usual one.
    """
    sections = [
        Section(
            "answer",
            "",
            tuple(_answer(runs, bisection, diff, subject, new_runs, store)),
            data=_data(runs, bisection, diff),
        )
    ]
    rows = bisection.rows()
    shown = _near(rows) if is_short else list(rows)
    table = _table(runs, shown, len(rows) - len(shown))
    sections.append(Section("values", "" if is_short else "Values", (table,)))
    if diff is not None and not diff.withheld:
        sections.append(_causes(diff))
    title = f"{runs.good.model}: {runs.axis} {_value(runs, runs.values[0])} to {_value(runs, runs.values[-1])}"
    subtitle = " · ".join(
        filter(None, (runs.good.gpu, runs.good.provenance if runs.good.provenance != "measured" else ""))
    )
    notes = (*runs.notes, *runs.machine_notes)
    return Document(COMMAND, title, sections=tuple(sections), notes=notes, source=bisection, subtitle=subtitle)


def _value(runs: BisectRuns, value: str) -> str:
    return short_commit(value) if runs.axis == COMMIT else value


def has_other_order(runs: BisectRuns) -> bool:
    """Whether the order of the values may be another than the one that was searched."""
    return any(note.code == OTHER_ORDER for note in runs.notes)


def is_answered(bisection: Bisection, diff: PlanDiff | None) -> bool:
    """Whether the change is found, and is not that of a machine or its clock."""
    return bisection.is_found and not (diff is not None and diff.withheld)


def _data(runs: BisectRuns, bisection: Bisection, diff: PlanDiff | None) -> dict[str, object]:
    culprits = [runs.values[index] for index in bisection.culprits]
    following = bisection.next
    return {
        "metric": runs.metric.name,
        "axis": runs.axis,
        "is_found": is_answered(bisection, diff),
        "culprits": culprits if is_answered(bisection, diff) else [],
        "confidence_pct": 100.0 * bisection.confidence,
        "change_pct": bisection.change_pct,
        "spread_pct": 100.0 * bisection.spread,
        "next": None if following is None else runs.values[following],
        "runs_left": bisection.runs_left,
    }


def _answer(
    runs: BisectRuns, bisection: Bisection, diff: PlanDiff | None, subject: str, new_runs: int, store: str
) -> Iterator[Block]:
    good, bad = map(math.exp, bisection.levels)
    figures = f"{runs.metric.label} {good:.4g} → {bad:.4g}{' ' * bool(runs.metric.unit)}{runs.metric.unit}"
    size = f"{figures} ({signed(bisection.change_pct)} %)"
    names = [_value(runs, runs.values[index]) for index in bisection.culprits]
    count = sum(len(ids) for ids in bisection.run_ids.values())
    if bisection.is_found:
        names = names if runs.axis == COMMIT else [f"{runs.axis} {name}" for name in names]
        where = names[0] if len(names) == 1 else f"one of {', '.join(names)} (the others between can't be run)"
        message = f": {subject}" if subject else ""
        if diff is not None and diff.withheld:
            yield Text((f"Times change at {where}{message}, but not by it alone. {size}. {diff.withheld}",))
        else:
            sure = _percent(bisection.confidence)
            doubt = ", if the order of the values is right" if has_other_order(runs) else ""
            yield Text((f"It begins at {where}{message}{doubt}. {size}. Confidence {sure}.", *_why(diff)))
    elif bisection.next is None:
        yield Text((f"Not found: all values between both ends are skipped. {size}.",))
    else:
        following = _value(runs, runs.values[bisection.next])
        left = counted(len(runs.values) - 1, "value")
        yield Text((
            f"Not found yet: {size} among {left}; likeliest {', '.join(names[:3])} ({_percent(bisection.confidence)}).",
            f"Run {following} next, about {counted(bisection.runs_left, 'more run')} in all.",
        ))  # fmt: skip
        yield Text((_next_command(runs, runs.values[bisection.next], store),), "command")
    lines = [f"{counted(count, 'run')} in the store{f', {new_runs} made now' if new_runs else ''}."]
    if bisection.is_noisy:
        lines.append(
            f"The change is less than three times the spread of the runs ({100.0 * bisection.spread:.1f} %): runs are "
            "repeated, and the confidence is too high by a few percent."
        )
    if bisection.neither:
        odd = ", ".join(_value(runs, runs.values[index]) for index in bisection.neither[:5])
        lines.append(f"Near neither level: {odd}. Perhaps there are several changes: bisect each part.")
    yield Text(tuple(lines))


def _percent(share: float) -> str:
    return "above 99.9 %" if share > 0.999 else f"{100.0 * share:.1f} %"


def _next_command(runs: BisectRuns, value: str, store: str) -> str:
    flag = ("--commit", value) if runs.axis == COMMIT else ("--label", f"{runs.axis}={value}")
    words = ("--model", runs.good.model, *flag, *(("--store", store) if store else ()))
    return f"trex store add FOLDER {shell_line(words)}"


def _why(diff: PlanDiff | None) -> list[str]:
    if diff is None:
        return []
    steps = sorted(diff.waterfall.steps, key=lambda step: -abs(step.difference_ms))
    words = [
        f"{step.name} {signed(step.difference_ms, 4)} ms" for step in steps[:3] if abs(step.difference_ms) > _LEAST_MS
    ]
    return [f"Why: {', '.join(words)}."] if words else []


def _near(rows: Sequence[BisectValue]) -> list[BisectValue]:
    """The values with runs, skips or a chance, the likeliest if these are many."""
    known = [index for index, row in enumerate(rows) if row.state != "not run" or row.chance >= 0.01]
    likeliest = sorted(known, key=lambda index: -rows[index].chance)[:_SHOWN]
    return [rows[index] for index in sorted({0, len(rows) - 1, *likeliest})]


def _table(runs: BisectRuns, rows: Sequence[BisectValue], left_out: int) -> Table:
    cells = []
    for row in rows:
        middle = sorted(row.measured)[len(row.measured) // 2] if row.measured else None
        why = "; ".join(runs.skips(row.value)[-1:]) if row.state == "skipped" else None
        chance = 100.0 * row.chance
        name = _value(runs, row.value)
        cells.append((name, row.state, len(row.measured), middle, chance, chance if chance >= 0.05 else None, why))
    unit = f"{runs.metric.label}"
    columns = tuple(
        TableColumn(unit, runs.metric.kind, runs.metric.unit, identifier="value_of_metric")
        if item.name == "metric"
        else item
        for item in _COLUMNS
    )
    return Table("", columns, tuple(cells), "values", left_out=left_out, more="-v")


def _causes(diff: PlanDiff) -> Section:
    steps = tuple(
        (step.name, step.difference_ms, step.difference_ms)
        for step in diff.waterfall.steps
        if abs(step.difference_ms) > _LEAST_MS
    )
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
    tables = (Table("", _CAUSE_COLUMNS, steps, "causes"), Table("Layers", _LAYER_COLUMNS, layers, "layers").first(5))
    return Section("why", "Why", tuple(table for table in tables if table.rows), diff.notes, {"verdict": diff.verdict})

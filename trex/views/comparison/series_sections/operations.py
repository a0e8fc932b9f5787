"""Operations: what each operation of the ONNX model and each module costs in every engine, charged by one rule."""

from __future__ import annotations

from typing import Any

from trex.compare.operation_times import RULE
from trex.compare.series import EngineSeries, OperationRow, SeriesKind
from trex.views.comparison.sections.operations import SUMS
from trex.views.document import Detail, Section, SectionPlug, section
from trex.views.table import Table, TableColumn

_LEAST_MS = 5e-7


def make(series: EngineSeries, detail: Detail) -> Section | None:
    if len(series.comparisons) < 2:
        return None  # two engines have their own sections
    if not any(operation_time.layers_ms > 0.0 for operation_time in series.operation_times):
        return section(statements=("What each operation costs is unknown: no layer has a time.",))
    engines = tuple(TableColumn(name, "ms", "ms") for name in series.labels)
    rows = sorted(
        (operation for operation in series.operations if _spread(operation.ms) > _LEAST_MS),
        key=lambda operation: -_spread(operation.ms),
    )
    tables = [Table("Layers' time by what it went to", (TableColumn("went to"), *engines), tuple(_sums(series)))]
    if rows:
        columns = (TableColumn("operation"), TableColumn("module", if_known=True), *engines)
        best = (
            () if SeriesKind.BATCH in series.varying else (TableColumn("fastest in"),)
        )  # of less work less time is no win
        shown = tuple(_row(series, row)[: len(columns) + len(best)] for row in rows[: detail.top])
        tables.append(Table("Operations of the model", (*columns, *best), shown))
    modules = sorted(series.module_ms.items(), key=lambda entry: -_spread(entry[1]))
    if modules:
        columns = (TableColumn("module"), *engines)
        shown = tuple((name, *times) for name, times in modules[: detail.top])
        tables.append(Table("Modules, with the conversions around them", columns, shown))
    return section(
        statements=(_statement(rows),),
        tables=tuple(tables),
        derivations=(("attributed", RULE),),
    )


def _statement(rows: list[OperationRow]) -> str:
    if not rows:
        return "No operation whose time is known in several engines takes another time in one of them."
    most = [f"{row.name} ({_span(row.ms)} ms)" for row in rows[:3]]
    return f"Operations that differ most among the engines: {', '.join(most)}."


def _span(times: tuple[float | None, ...]) -> str:
    known = [ms for ms in times if ms is not None]
    return f"{min(known):.4f} to {max(known):.4f}"


def _spread(times: tuple[float | None, ...]) -> float:
    known = [ms for ms in times if ms is not None]
    return max(known) - min(known) if len(known) > 1 else 0.0


def _sums(series: EngineSeries) -> list[tuple[Any, ...]]:
    rows = [
        (
            words,
            *(
                getattr(operation_time, name) if operation_time.is_timed else None
                for operation_time in series.operation_times
            ),
        )
        for words, name in SUMS
    ]
    total = (
        "sum of layer times",
        *(operation_time.layers_ms if operation_time.is_timed else None for operation_time in series.operation_times),
    )
    return [*(row for row in rows if any(row[1:])), total]


def _row(series: EngineSeries, row: OperationRow) -> tuple[Any, ...]:
    known = [(ms, index) for index, ms in enumerate(row.ms) if ms is not None]
    return (row.name, row.module.strip("/") or None, *row.ms, series.labels[min(known)[1]])


SECTION = SectionPlug("Operations", 40, make, is_folded=True)

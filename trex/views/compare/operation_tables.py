"""Operations and modules of several engines → Section: what each costs in every engine, charged by one rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from trex.compare.operation_times import RULE, OperationTimes
from trex.compare.operations import NO_MODULE, NOT_ATTRIBUTED
from trex.compare.series import OperationRow
from trex.core.counted import counted
from trex.views.document import Section, section
from trex.views.table import Table, TableColumn

_LEAST_MS = 5e-7
_SUMS = (
    ("operations", "operations_ms"),
    ("reformats inserted by TensorRT", "inserted_ms"),
    ("quantizers and casts of the model", "converting_ms"),
    ("not attributed: no operation named", "unattributed_ms"),
)
Times = Sequence[float | None]


def operations_section(
    labels: Sequence[str],
    times: Sequence[OperationTimes],
    operations: Sequence[OperationRow],
    modules: Mapping[str, Times],
    top: int,
    remarks: Sequence[str] = (),
) -> Section:
    """labels, times: one per engine. Of two engines every row has the difference, new minus base, too. remarks: further
    statements.
    """
    if not any(item.is_timed for item in times):
        return section(statements=("What each operation costs is unknown: no layer has a time.",))
    columns = tuple(TableColumn(label, "ms", "ms") for label in labels)
    if len(labels) == 2:
        columns += (TableColumn("difference", "ms", "ms"), TableColumn("speed-up", "rate"))
    changed = sorted((row for row in operations if _spread(row.ms) > _LEAST_MS), key=lambda row: -_spread(row.ms))
    tables = [Table("Layers' time by what it went to", (TableColumn("went to"), *columns), tuple(_sums(times)))]
    if changed:
        heads = (TableColumn("operation", "name"), TableColumn("module", "name", if_known=True), *columns)
        rows = tuple((row.name, row.module.strip("/") or None, *_with_change(row.ms)) for row in changed)
        tables.append(Table("Operations of the model", heads, rows, more="--top N").first(top))
    if set(modules) - {NO_MODULE, NOT_ATTRIBUTED}:
        largest = sorted(modules.items(), key=lambda entry: -_spread(entry[1]))
        rows = tuple((name, *_with_change(ms)) for name, ms in largest)
        heads = (TableColumn("module", "name"), *columns)
        table = Table("Modules, with the conversions around them", heads, rows, more="--top N")
        tables.append(table.first(top))
    return section(
        statements=(*_statements(labels, times, operations, changed), *remarks),
        tables=tuple(tables),
        derivations=(("attributed", RULE),),
    )


def _statements(
    labels: Sequence[str],
    times: Sequence[OperationTimes],
    operations: Sequence[OperationRow],
    changed: Sequence[OperationRow],
) -> Iterator[str]:
    if changed:
        most = [f"{row.name} ({_span(row.ms)} ms)" for row in changed[:3]]
        yield f"Operations that differ most among the engines: {', '.join(most)}."
    else:
        yield "No operation whose time is known in several engines takes another time in one of them."
    for label, item in zip(labels, times, strict=True):
        if item.untimed:
            timed = "figures are of the others alone" if item.is_timed else "nothing is known of it"
            yield f"In {label} {counted(item.untimed, 'layer')} without a time: {timed}."
    for index, label in enumerate(labels):
        missing = sum(row.times[index] is None for row in operations)
        if missing:
            yield (
                f"In {label} {counted(missing, 'operation')} that only others name may be fused without being named: "
                "their times there are unknown, not zero."
            )


def _sums(times: Sequence[OperationTimes]) -> Iterator[tuple[Any, ...]]:
    """Differences only where every layer has a time."""
    is_whole = not any(item.untimed for item in times)
    for words, name in (*_SUMS, ("sum of layer times", "layers_ms")):
        known = [getattr(item, name) if item.is_timed else None for item in times]
        if any(known) or name == "layers_ms":
            row = _with_change(known)
            yield (words, *(row if is_whole else (*known, *[None] * (len(row) - len(known)))))


def _with_change(ms: Times) -> tuple[float | None, ...]:
    """The times; of two engines also new minus base, and base over new."""
    if len(ms) != 2:
        return tuple(ms)
    base, new = ms
    if base is None or new is None:
        return base, new, None, None
    return base, new, new - base, base / new if base > 0.0 and new > 0.0 else None


def _span(times: Times) -> str:
    known = [ms for ms in times if ms is not None]
    if len(times) == 2:
        return f"{known[0]:.4f} → {known[1]:.4f}"
    return f"{min(known):.4f} to {max(known):.4f}"


def _spread(times: Times) -> float:
    known = [ms for ms in times if ms is not None]
    return max(known) - min(known) if len(known) > 1 else 0.0

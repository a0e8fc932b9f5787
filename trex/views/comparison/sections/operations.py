"""Operations: what each operation of the ONNX model and each module costs on both sides, charged by a rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trex.compare.operation_times import RULE, OperationTimes
from trex.compare.operations import NO_MODULE, NOT_ATTRIBUTED, ModuleChange, OperationChange
from trex.compare.plan_diff import PlanDiff
from trex.core.counted import counted
from trex.core.signed import signed
from trex.views.document import Detail, Section, SectionPlug, section
from trex.views.table import Table, TableColumn

_LEAST_MS = 5e-7
_TIMES = (TableColumn("base", "ms", "ms"), TableColumn("new", "ms", "ms"), TableColumn("difference", "ms", "ms"))
_OPERATIONS = (
    TableColumn("operation"),
    TableColumn("in the new engine", if_known=True),
    TableColumn("module", if_known=True),
    *_TIMES,
    TableColumn("speed-up", "rate"),
    TableColumn("attributed"),
)
_MODULES = (
    TableColumn("module"),
    *_TIMES,
    TableColumn("speed-up", "rate"),
    TableColumn("conversions in the base", "ms", "ms"),
    TableColumn("conversions in the new", "ms", "ms"),
    TableColumn("operations", "count"),
)
SUMS = (
    ("operations", "operations_ms"),
    ("reformats inserted by TensorRT", "inserted_ms"),
    ("quantizers and casts of the model", "converting_ms"),
    ("not attributed: no operation named", "unattributed_ms"),
)


def make(comparison: PlanDiff, detail: Detail) -> Section | None:
    left, right = comparison.left_operation_times, comparison.right_operation_times
    operations = [operation for operation in comparison.operations if not operation.is_view]
    if not operations:
        return None
    if not left.layers_ms > 0.0 and not right.layers_ms > 0.0:
        return section(statements=("What each operation costs is unknown: no layer has a time.",))
    known = [item for item in operations if item.difference_ms is not None and abs(item.difference_ms) > _LEAST_MS]
    known.sort(key=lambda item: -abs(item.difference_ms or 0.0))
    tables = [Table("Layers' time by what it went to", (TableColumn("went to"), *_TIMES), tuple(_sums(left, right)))]
    if known:
        tables.append(Table("Operations of the model", _OPERATIONS, tuple(map(_row, known[: detail.top]))))
    modules = comparison.modules
    if {module.name for module in modules} - {NO_MODULE, NOT_ATTRIBUTED}:
        rows = tuple(map(_module_row, modules[: detail.top]))
        tables.append(Table("Modules, with the conversions around them", _MODULES, rows))
    return section(
        statements=tuple(_statements(comparison, operations, known)),
        tables=tuple(tables),
        derivations=(("attributed", RULE),),
    )


def _statements(comparison: PlanDiff, operations: list[OperationChange], known: list[OperationChange]) -> Iterator[str]:
    sides = (("base", comparison.left_operation_times), ("new engine", comparison.right_operation_times))
    shares = [
        f"{100.0 * item.operations_ms / item.layers_ms:.0f} % in the {name}"
        for name, item in sides
        if item.layers_ms > 0.0
    ]
    first = f"Of the layers' time, {' and '.join(shares)} is attributed to operations"
    if known:
        most = [f"{item.name} {signed(item.difference_ms or 0.0, 4)} ms" for item in known[:3]]
        yield f"{first}; most changed {', '.join(most)}."
    elif any(item.difference_ms is not None for item in operations):
        yield f"{first}; none takes another time."
    else:
        yield f"{first}; of none is the time known on both sides."
    for name, charges in sides:
        if charges.untimed:
            timed = "figures are of the others alone" if charges.layers_ms > 0.0 else "nothing is known of it"
            yield f"In the {name} {counted(charges.untimed, 'layer')} without a time: {timed}."
    for side, (name, _) in enumerate(sides):
        missing = sum((item.left, item.right)[side] is None for item in operations)
        if missing:
            yield (
                f"In the {name} {counted(missing, 'operation')} that only the other side names may be fused without "
                "being named: their times there are unknown, not zero."
            )


def _sums(left: OperationTimes, right: OperationTimes) -> Iterator[tuple[Any, ...]]:
    for words, name in SUMS:
        if getattr(left, name) or getattr(right, name):
            yield _three(words, name, left, right)
    yield _three("sum of layer times", "layers_ms", left, right)


def _three(words: str, name: str, left: OperationTimes, right: OperationTimes) -> tuple[Any, ...]:
    """Of layers without times no difference is known, and of a side that has nothing else nothing."""
    left_ms, right_ms = _known(left, name), _known(right, name)
    if left_ms is None or right_ms is None or left.untimed or right.untimed:
        return words, left_ms, right_ms, None
    return words, left_ms, right_ms, right_ms - left_ms


def _known(charges: OperationTimes, name: str) -> float | None:
    known: float = getattr(charges, name)
    return known if charges.is_timed else None


def _row(change: OperationChange) -> tuple[Any, ...]:
    other = change.right.name if change.left is not None and change.right is not None else None
    rules = dict.fromkeys(side.rule for side in (change.left, change.right) if side is not None)
    return (
        change.name,
        None if other == change.name else other,
        change.module.strip("/") or None,
        change.left_ms,
        change.right_ms,
        change.difference_ms,
        change.speedup,
        "; ".join(rules),
    )


def _module_row(change: ModuleChange) -> tuple[Any, ...]:
    times = (change.left_ms, change.right_ms, change.difference_ms) if change.is_known else (None, None, None)
    return (
        change.name,
        *times,
        change.speedup,
        change.left_conversions_ms if change.is_known else None,
        change.right_conversions_ms if change.is_known else None,
        change.operations,
    )


SECTION = SectionPlug("Operations", 50, make, is_folded=True)

"""Causes: the whole difference as steps that add up to it."""

from __future__ import annotations

from trex.compare.plan_diff import PlanDiff
from trex.compare.waterfall import COMPUTE, LAUNCHES, Waterfall, WaterfallStep
from trex.core.signed import signed
from trex.views.document import Detail, Section, SectionPlug, Text, section
from trex.views.table import Table, TableColumn

_COLUMNS = (
    TableColumn("cause"),
    TableColumn("difference", "ms", "ms"),
    TableColumn("of base", "pct", "%"),
    TableColumn("groups", "count", meaning="groups of matched layers"),
    TableColumn("change", "bar"),
)
_LEAST = 5e-7


def make(comparison: PlanDiff, detail: Detail) -> Section | None:
    fall = comparison.waterfall
    if comparison.withheld:
        return None
    if not fall.is_known:
        return section(
            statements=(f"Can't tell where the difference comes from: {fall.reason}.",), data={"is_known": False}
        )
    rows = [_row(step, fall.left_ms) for step in fall.steps]
    total = fall.difference_ms
    rows.append(("total", total, _share(total, fall.left_ms), None, None))
    return section(
        tables=(Table("", _COLUMNS, tuple(rows), "causes"),),
        blocks=(Text(remarks),) if (remarks := tuple(_statements(comparison))) else (),
        derivations=tuple((step.name, step.words) for step in fall.steps if step.words) if detail.explain else (),
        data={
            "is_known": True,
            "summary": _summary(fall),
            "basis": fall.basis,
            "base_ms": fall.left_ms,
            "new_ms": fall.right_ms,
            "difference_ms": fall.difference_ms,
        },
    )


def _summary(fall: Waterfall) -> str:
    """The difference and its largest causes in one sentence, for formats without tables."""
    parts = sorted(fall.steps, key=lambda step: -abs(step.difference_ms))
    largest = [
        f"{step.name} {signed(step.difference_ms, 4)} ms" for step in parts[:3] if abs(step.difference_ms) > _LEAST
    ]
    return (
        f"{signed(fall.difference_ms, 4)} ms ({fall.basis}; minus is faster): {', '.join(largest)}."
        if largest
        else "No layer time changes."
    )


def _statements(comparison: PlanDiff) -> list[str]:
    fall = comparison.waterfall
    sentences = [] if any(abs(step.difference_ms) > _LEAST for step in fall.steps) else ["No layer time changes."]
    sentences += [f"{_upper(step.name)}: {step.words}." for step in fall.steps if _is_profiling_overhead(step)]
    if fall.basis != COMPUTE and fall.reason:
        sentences.append(f"Compares sums of layer times: {fall.reason}.")
    return [*sentences, *without_times(comparison)]


def without_times(comparison: PlanDiff) -> list[str]:
    """A sentence on layers that are in no cause; none without such."""
    unknown, count = comparison.waterfall.unknown, len(comparison.changes)
    return [f"Not included: {unknown} of {count} layer groups, whose times are unknown."] if unknown else []


def _is_profiling_overhead(step: WaterfallStep) -> bool:
    """Whether more layers seem to save time, or fewer to cost some: then it is what measuring each of them costs."""
    return step.name == LAUNCHES and step.count * step.difference_ms < 0.0


def _upper(name: str) -> str:
    return name[:1].upper() + name[1:]


def _row(step: WaterfallStep, left_ms: float) -> tuple[object, ...]:
    count = step.count if step.left_ms is not None else None
    difference = step.difference_ms
    bar = difference if abs(difference) > _LEAST else None
    return (step.name, difference, _share(difference, left_ms), count, bar)


def _share(difference_ms: float, left_ms: float) -> float | None:
    return 100.0 * difference_ms / left_ms if left_ms > 0.0 else None


SECTION = SectionPlug("Why", 30, make)

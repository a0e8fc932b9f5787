"""Inventory: layers by type and precision in both engines, and where those went that are no more."""

from __future__ import annotations

from trex.compare.inventory import LayerCategory, layer_categories
from trex.compare.plan_diff import PlanDiff
from trex.core.counted import counted
from trex.core.layer import Layer
from trex.core.signed import signed
from trex.plan.engine_plan import EnginePlan
from trex.views.document import Detail, Section, SectionPlug, section
from trex.views.table import Table, TableColumn

_COLUMNS = (
    TableColumn("layers, base", "count"),
    TableColumn("layers, new", "count"),
    TableColumn("base", "ms", "ms"),
    TableColumn("new", "ms", "ms"),
    TableColumn("difference", "ms", "ms"),
    TableColumn("most of it"),
)
_REASONS = 2


def applies(comparison: PlanDiff) -> bool:
    return bool(comparison.changes)


def make(comparison: PlanDiff, detail: Detail) -> Section | None:
    if not applies(comparison):
        return None
    sides = comparison.left, comparison.right
    types = layer_categories(*sides, comparison.changes, _type)
    precisions = layer_categories(*sides, comparison.changes, _precision)
    untold = [word for word, plan in zip(("base", "new engine"), sides, strict=True) if not tells_precisions(plan)]
    changed = [kind for kind in precisions if kind.left_count != kind.right_count and not untold]
    changes = [
        f"{kind.name}: {counted(kind.left_count, 'layer')} → {kind.right_count}"
        for kind in sorted(changed, key=lambda kind: -abs(kind.left_count - kind.right_count))
    ] or [f"precisions of the {side} are unknown" for side in untold]
    counts = f"{counted(len(sides[0].working_layers), 'layer')} → {len(sides[1].working_layers)}"
    total = f"{counts}{'; ' if changes else ''}{', '.join(changes)}."
    if comparison.withheld:
        return section(statements=(total,))
    return section(
        statements=(total,),
        tables=(
            Table("Layers by type", (TableColumn("type"), *_COLUMNS), tuple(map(_row, types))),
            Table("Layers by precision", (TableColumn("precision"), *_COLUMNS), tuple(map(_row, precisions))),
        ),
    )


def tells_precisions(plan: EnginePlan) -> bool:
    """Whether at least one layer has a tensor with a known type."""
    return not plan.working_layers or any(layer.compute.data_type.is_known for layer in plan.working_layers)


def _type(layer: Layer) -> str:
    return layer.type


def _precision(layer: Layer) -> str:
    return layer.precision


def _row(kind: LayerCategory) -> tuple[object, ...]:
    words = "; ".join(f"{reason.words} ({signed(reason.difference_ms, 4)} ms)" for reason in kind.reasons[:_REASONS])
    rest = len(kind.reasons) - _REASONS
    more = f"; {counted(rest, 'more group')}" if rest > 0 else ""
    times = kind.left_ms, kind.right_ms, kind.difference_ms
    return (kind.name, kind.left_count, kind.right_count, *times, f"{words}{more}")


SECTION = SectionPlug("Types and precisions", 35, make, is_folded=True, applies=applies)

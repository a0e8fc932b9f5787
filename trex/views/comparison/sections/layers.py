"""Layers: the groups of layers that changed most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from trex.compare.causes import Change
from trex.compare.layer_words import io_formats, io_types
from trex.compare.plan_diff import PlanDiff
from trex.core.layer import Layer
from trex.core.tactic import NO_TACTIC
from trex.plan.kernels import kernel_of
from trex.views.document import Detail, Section, SectionPlug, section
from trex.views.table import Table, TableColumn
from trex.views.tactic_words import tactic_summary

_LEAST_MS = 5e-7
_SIDES = ("base", "new")
_COLUMNS = (
    TableColumn("layers", readable=18),
    TableColumn("base", "ms", "ms"),
    TableColumn("new", "ms", "ms"),
    TableColumn("difference", "ms", "ms"),
    TableColumn("cause", readable=26),
)


def make(comparison: PlanDiff, detail: Detail) -> Section | None:
    if not comparison.changes:
        return None
    changed = largest_changes(comparison)
    rows = tuple(_row(comparison, item) for item in changed)
    table = Table("", _COLUMNS, rows, "largest_changes", more="--top N").first(detail.top)
    return section(
        tables=(table,) if rows else (),
        notes=comparison.notes,
        data={
            "summary": comparison.alignment.sentence,
            "matched_share": comparison.alignment.matched_share,
            "changes": [_data(comparison, change) for change in comparison.changes],
        },
    )


def largest_changes(comparison: PlanDiff) -> list[Change]:
    """The changes that differ, unknown times first, then the largest difference."""
    changed = [change for change in comparison.changes if abs(change.difference_ms) > _LEAST_MS or not change.is_known]
    return sorted(
        changed, key=lambda item: (not item.is_known, not item.is_known and item.is_unchanged, -abs(item.difference_ms))
    )


def _row(comparison: PlanDiff, change: Change) -> tuple[Any, ...]:
    left, right = comparison.layers_of(change)
    return (
        name_of(left, right),
        change.left_ms if left and change.is_known else None,
        change.right_ms if right and change.is_known else None,
        change.difference_ms if change.is_known else None,
        change.cause.value,
    )


def name_of(left: Sequence[Layer], right: Sequence[Layer]) -> str:
    """The layers of a match in few words: the first of the new engine, else of the base, and how many more."""
    layers = right or left
    rest = len(layers) - 1
    return layers[0].name + (f" (+{rest})" if rest else "")


def first_of(layers: Sequence[Layer], words: Callable[[Layer], str]) -> str:
    """Of the first layer, "" without layers."""
    return words(layers[0]) if layers else ""


def _data(comparison: PlanDiff, change: Change) -> dict[str, Any]:
    left, right = comparison.layers_of(change)
    return {
        "base_layers": [layer.name for layer in left],
        "new_layers": [layer.name for layer in right],
        "origins": list(change.match.origins),
        "matched_by": change.match.why,
        "confidence": change.match.confidence,
        "cause": change.cause.value,
        "words": change.words,
        "base_ms": change.left_ms if change.is_known else None,
        "new_ms": change.right_ms if change.is_known else None,
        "difference_ms": change.difference_ms if change.is_known else None,
        "speedup": change.speedup,
        "base_tactics": [layer.tactic for layer in left],
        "new_tactics": [layer.tactic for layer in right],
        "base_kernels": [kernel_words(layer) for layer in left],
        "new_kernels": [kernel_words(layer) for layer in right],
        "base_precisions": first_of(left, io_types),
        "new_precisions": first_of(right, io_types),
        "base_formats": first_of(left, io_formats),
        "new_formats": first_of(right, io_formats),
        **{
            f"{side}_{name}": amount
            for name, column in (("macs", "macs"), ("bytes", "bytes_moved"))
            for side, amount in zip(_SIDES, comparison.summed(change, column), strict=True)
        },
        **dict(zip(("base_at_roofline_pct", "new_at_roofline_pct"), comparison.roofline_pct(change), strict=True)),
    }


def kernel_words(layer: Layer) -> str:
    """The kernel's name read by its grammar, "" where nothing is known of it."""
    tactic = kernel_of(layer)
    return "" if tactic is NO_TACTIC else tactic_summary(tactic)


SECTION = SectionPlug("Largest changes", 40, make)

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
from trex.views.document import Detail, Fact, Facts, Section, SectionPlug, section
from trex.views.table import Table, TableColumn
from trex.views.tactic_words import tactic_summary

_LEAST_MS = 5e-7
_COLUMNS = (
    TableColumn("layers", "name", readable=18),
    TableColumn("base", "ms", "ms"),
    TableColumn("new", "ms", "ms"),
    TableColumn("difference", "ms", "ms"),
    TableColumn("cause", readable=26),
)


def make(comparison: PlanDiff, detail: Detail) -> Section | None:
    if not applies(comparison):
        return None
    changed = largest_changes(comparison)
    rows = tuple(_row(comparison, item) for item in changed)
    table = Table("", _COLUMNS, rows, "largest_changes", more="--top N").first(detail.top)
    if comparison.withheld:
        table = table.with_columns([*range(len(_COLUMNS) - 1)])
    return section(
        tables=(table,) if rows else (),
        blocks=(_details(comparison, changed[: detail.top]),) if rows and not comparison.withheld else (),
        notes=comparison.notes,
        data={"summary": comparison.alignment.sentence, "matched_share": comparison.alignment.matched_share},
    )


def applies(comparison: PlanDiff) -> bool:
    """Whether there are layers to compare. Else the comparison's Notes are the verdict's."""
    return bool(comparison.changes) and not comparison.is_other_model


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


def _details(comparison: PlanDiff, changes: Sequence[Change]) -> Facts:
    """What changed in each group of layers, a line each."""
    facts = []
    for change in changes:
        left, right = comparison.layers_of(change)
        types, formats = (_both(_of_first(left, words), _of_first(right, words)) for words in (io_types, io_formats))
        known = change.words.startswith(f"{types}, ")
        lines = dict.fromkeys(filter(None, (change.words, "" if known else types, formats)))
        facts.append(Fact(name_of(left, right), "\n".join(lines)))
    return Facts(tuple(facts), "What changed in the layers", is_folded=True)


def _of_first(layers: Sequence[Layer], words: Callable[[Layer], str]) -> str:
    return words(layers[0]) if layers else ""


def _both(left: str, right: str) -> str:
    if not left and not right:
        return ""
    return left if left == right else f"{left or '–'} → {right or '–'}"


def kernel_words(layer: Layer) -> str:
    """The kernel's name read by its grammar, "" where nothing is known of it."""
    tactic = kernel_of(layer)
    return "" if tactic is NO_TACTIC else tactic_summary(tactic)


SECTION = SectionPlug("Largest changes", 40, make)

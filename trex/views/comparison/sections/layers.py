"""Layers: the groups of layers that changed most, by group and type, and how they were matched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from trex.compare.causes import Change
from trex.compare.layer_words import io_formats, io_types
from trex.compare.plan_diff import PlanDiff
from trex.compare.waterfall import ChangeGroup
from trex.core.counted import counted
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
    TableColumn("speed-up", "rate"),
    TableColumn("cause", readable=16),
    TableColumn("base at roofline", "pct", "%", if_known=True),
    TableColumn("new at roofline", "pct", "%", if_known=True),
)
_DETAILS = (
    TableColumn("layers"),
    TableColumn("what changed"),
    TableColumn("precision", if_known=True),
    TableColumn("formats", if_known=True),
)
_GROUP_COLUMNS = (
    TableColumn("base", "ms", "ms"),
    TableColumn("new", "ms", "ms"),
    TableColumn("difference", "ms", "ms"),
    TableColumn("speed-up", "rate"),
    TableColumn("layer groups", "count"),
)


def make(comparison: PlanDiff, detail: Detail) -> Section | None:
    if not comparison.changes:
        return None
    alignment = comparison.alignment
    changed = [change for change in comparison.changes if abs(change.difference_ms) > _LEAST_MS or not change.is_known]
    changed.sort(
        key=lambda item: (not item.is_known, not item.is_known and item.is_unchanged, -abs(item.difference_ms))
    )
    tables = []
    if changed:
        first = changed[: detail.top]
        rows = tuple(_row(comparison, item) for item in first)
        tables.append(Table("Layer groups by difference", _COLUMNS, rows))
        rows = tuple(_detail(comparison, item) for item in first)
        tables.append(Table("What changed in them", _DETAILS, rows, is_folded=True))
    tables.append(_groups("By type", "type", comparison.by_type, detail.top))
    witnesses = Counter(change.match.why for change in comparison.changes)
    return section(
        statements=(alignment.sentence,),
        tables=tuple(tables),
        derivations=tuple((why, counted(count, "group")) for why, count in witnesses.most_common())
        if detail.explain
        else (),
        notes=comparison.notes,
        data={
            "matched_share": alignment.matched_share,
            "changes": [_data(comparison, change) for change in comparison.changes],
        },
    )


def _row(comparison: PlanDiff, change: Change) -> tuple[Any, ...]:
    left, right = comparison.layers_of(change)
    shares = comparison.roofline_pct(change)
    return (
        name_of(left, right),
        change.left_ms if left and change.is_known else None,
        change.right_ms if right and change.is_known else None,
        change.difference_ms if change.is_known else None,
        change.speedup,
        change.cause.value,
        *shares,
    )


def _detail(comparison: PlanDiff, change: Change) -> tuple[Any, ...]:
    left, right = comparison.layers_of(change)
    types, formats = (
        _both(_first(left, io_types), _first(right, io_types)),
        _both(_first(left, io_formats), _first(right, io_formats)),
    )
    return name_of(left, right), change.words, types, formats


def _groups(title: str, key: str, groups: Sequence[ChangeGroup], top: int) -> Table:
    rows = tuple(
        (
            group.key,
            group.left_ms if group.is_known else None,
            group.right_ms if group.is_known else None,
            group.difference_ms if group.is_known else None,
            group.speedup,
            len(group.changes),
        )
        for group in groups[:top]
    )
    return Table(title, (TableColumn(key), *_GROUP_COLUMNS), rows, is_folded=True)


def name_of(left: Sequence[Layer], right: Sequence[Layer]) -> str:
    """The layers of a match in few words: the first of the new engine, else of the base, and how many more."""
    layers = right or left
    rest = len(layers) - 1
    return layers[0].name + (f" (+{rest})" if rest else "")


def _both(left: str, right: str) -> str | None:
    if not left and not right:
        return None
    return left if left == right else f"{left or '–'} → {right or '–'}"


def _first(layers: Sequence[Layer], words: Callable[[Layer], str]) -> str:
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
        "base_precisions": _first(left, io_types),
        "new_precisions": _first(right, io_types),
        "base_formats": _first(left, io_formats),
        "new_formats": _first(right, io_formats),
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


SECTION = SectionPlug("Layers", 40, make)

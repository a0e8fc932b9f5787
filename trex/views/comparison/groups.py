"""PlanDiff → table of all groups of matched layers: base, new, and why, to sort and filter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from trex.compare.causes import Change
from trex.compare.layer_noise import LayerTrend, layer_trends
from trex.compare.layer_words import io_formats, io_types
from trex.compare.plan_diff import PlanDiff
from trex.core.layer import Layer
from trex.views.comparison.sections.layers import kernel_words, name_of
from trex.views.table import Table, TableColumn

Sides = tuple[tuple[Layer, ...], tuple[Layer, ...]]


@dataclass(frozen=True, slots=True)
class GroupColumn:
    """name: one word, base before new. values: one per change, None where it is not known."""

    name: str
    unit: str
    meaning: str
    values: Sequence[Any]


def group_columns(comparison: PlanDiff) -> list[GroupColumn]:
    """The telling ones first; texts of several layers have a line each."""
    changes = comparison.changes
    sides = [comparison.layers_of(change) for change in changes]
    trends = layer_trends(changes).of
    columns = [
        GroupColumn("Name", "", "the first of its layers, and how many more", [name_of(*each) for each in sides]),
        GroupColumn("change", "", "slower or faster by more than unchanged layers scatter", _words(trends)),
        *(
            GroupColumn(name, unit, meaning, [read(change) for change in changes])
            for name, unit, meaning, read in _OF_CHANGE
        ),
    ]
    for name, meaning, read_layer in _OF_LAYER:
        for which, side in (("base", 0), ("new", 1)):
            values = ["\n".join(_told(each[side], read_layer)) for each in sides]
            columns.append(GroupColumn(f"{which}_{name}", "", f"{meaning} of the {which} engine", values))
    for name, unit, meaning, read_change in _OF_WORK:
        amounts = [read_change(comparison, change) for change in changes]
        for which, side in (("base", 0), ("new", 1)):
            told = f"{meaning} of the {which} engine"
            columns.append(GroupColumn(f"{which}_{name}", unit, told, [each[side] for each in amounts]))
    columns.append(GroupColumn("origins", "", "ONNX nodes that both sides hold", _origins(changes)))
    return columns


def groups_table(comparison: PlanDiff) -> Table:
    """One row per group, with every column."""
    columns = group_columns(comparison)
    names = tuple(TableColumn(column.name, unit=column.unit, meaning=column.meaning) for column in columns)
    rows = tuple(zip(*(column.values for column in columns), strict=True))
    return Table("All matched layers", names, rows, "matched_layers")


FIRST = 9
"""How many columns say the most: name, change, cause, times, words."""


def _words(trends: Sequence[LayerTrend]) -> list[str]:
    return [each.value for each in trends]


def _origins(changes: Sequence[Change]) -> list[str]:
    return ["\n".join(change.match.origins) for change in changes]


def _told(layers: Sequence[Layer], read: Callable[[Layer], str]) -> list[str]:
    return [read(layer) for layer in layers]


def _left_ms(change: Change) -> float | None:
    return change.left_ms if change.is_known and change.match.left else None


def _right_ms(change: Change) -> float | None:
    return change.right_ms if change.is_known and change.match.right else None


_OF_CHANGE: tuple[tuple[str, str, str, Callable[[Change], Any]], ...] = (
    ("base", "ms", "time of its layers in the base", _left_ms),
    ("new", "ms", "time of its layers in the new engine", _right_ms),
    (
        "difference",
        "ms",
        "new less base: minus is faster",
        lambda each: each.difference_ms if each.is_known else None,
    ),
    ("speedup", "", "base over new: above 1, the new engine is faster", lambda each: each.speedup),
    ("cause", "", "why its time changed", lambda each: each.cause.value),
    ("words", "", "what changed", lambda each: each.words),
    ("matched_by", "", "what tells that these layers correspond", lambda each: each.match.why),
    ("confidence", "", "how sure it is that they correspond, 0 to 1", lambda each: each.match.confidence),
)
_OF_LAYER: tuple[tuple[str, str, Callable[[Layer], str]], ...] = (
    ("layers", "names of the layers", lambda layer: layer.name),
    ("types", "types of the layers", lambda layer: layer.type),
    ("precisions", "types read and written", io_types),
    ("formats", "formats read and written", io_formats),
    ("tactics", "kernels", lambda layer: layer.tactic),
    ("kernels", "kernels in words", kernel_words),
)
_OF_WORK: tuple[tuple[str, str, str, Callable[[PlanDiff, Change], Sequence[float | None]]], ...] = (
    ("macs", "", "multiply-adds", lambda found, change: found.summed(change, "macs")),
    ("bytes", "bytes", "bytes read and written", lambda found, change: found.summed(change, "bytes_moved")),
    ("roofline", "%", "time at the roofline over the time taken", PlanDiff.roofline_pct),
)

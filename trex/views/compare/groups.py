"""PlanDiff → Table of all groups of matched layers: base, new and cause, to sort and filter."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from trex.compare.causes import Change
from trex.compare.layer_noise import layer_trends
from trex.compare.layer_words import io_formats, io_types
from trex.compare.plan_diff import PlanDiff
from trex.core.layer import Layer
from trex.views.compare.sections.layers import kernel_words, name_of
from trex.views.table import Table, TableColumn


def groups_table(comparison: PlanDiff) -> Table:
    """One row per group of matched layers, the most useful columns first; names of several layers have a line each."""
    columns = [*_columns(comparison)]
    heads = tuple(
        TableColumn(name, _KINDS.get(unit, "number" if name in _NUMBERS else "text"), unit, meaning=meaning)
        for name, unit, meaning, _ in columns
    )
    rows = tuple(zip(*(values for *_, values in columns), strict=True))
    return Table("All matched layers", heads, rows, "matched_layers")


def _columns(comparison: PlanDiff) -> Iterator[tuple[str, str, str, Sequence[Any]]]:
    """(name, unit, meaning, one value per change), base before new."""
    changes = comparison.changes
    sides = [comparison.layers_of(change) for change in changes]
    trends = layer_trends(changes, comparison.machine).of
    yield "Name", "", "the first of its layers, and how many more", [name_of(*pair) for pair in sides]
    yield "change", "", "slower or faster by more than unchanged layers scatter", [trend.value for trend in trends]
    for name, unit, meaning, read in _OF_CHANGE:
        yield name, unit, meaning, [read(change) for change in changes]
    for name, meaning, read_layer in _OF_LAYER:
        for side, engine in enumerate(("base", "new")):
            names = ["\n".join(read_layer(layer) for layer in pair[side]) for pair in sides]
            yield f"{engine}_{name}", "", f"{meaning} of the {engine} engine", names
    for name, unit, meaning, read_change in _OF_WORK:
        amounts = [read_change(comparison, change) for change in changes]
        for side, engine in enumerate(("base", "new")):
            yield f"{engine}_{name}", unit, f"{meaning} of the {engine} engine", [pair[side] for pair in amounts]
    yield "origins", "", "ONNX nodes in both", ["\n".join(change.match.origins) for change in changes]


SHOWN = 9
"""How many columns a page shows at first: name, change, times, speed-up, cause, what changed, how it was matched."""
_KINDS = {"ms": "ms", "bytes": "bytes", "%": "pct"}
_NUMBERS = frozenset(("speedup", "confidence", "base_macs", "new_macs"))


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
        lambda change: change.difference_ms if change.is_known else None,
    ),
    ("speedup", "", "base over new: above 1, the new engine is faster", lambda change: change.speedup),
    ("cause", "", "why its time changed", lambda change: change.cause.value),
    ("words", "", "what changed", lambda change: change.words),
    ("matched_by", "", "the evidence that these layers match", lambda change: change.match.why),
    ("confidence", "", "confidence that they match, 0 to 1", lambda change: change.match.confidence),
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
    ("macs", "", "MACs", lambda comparison, change: comparison.summed(change, "macs")),
    ("bytes", "bytes", "bytes read and written", lambda comparison, change: comparison.summed(change, "bytes_moved")),
    ("roofline", "%", "time at the roofline over the time taken", PlanDiff.roofline_pct),
)

"""How many layers of each type or precision both engines have, their times, and where layers went."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trex.compare.causes import Change
from trex.compare.layer_times import layer_ms
from trex.core.layer import Layer
from trex.core.printable import clipped
from trex.plan.engine_plan import EnginePlan

_LEAST_MS = 5e-7
# Characters of a name, and of what changed: each category of a match repeats them.
_MOST_WORDS = 1000


@dataclass(frozen=True, slots=True)
class CategoryChange:
    """What one match changed in a category. difference_ms: of the category's layers only. words: why."""

    difference_ms: float
    words: str


@dataclass(frozen=True, slots=True)
class LayerCategory:
    """Layers of one type or precision. left_ms, right_ms: sum of their times, None if one is unknown; unknown: how many
    are. reasons: the matches that changed the category's time, the largest first.
    """

    name: str
    left_count: int
    right_count: int
    left_ms: float | None
    right_ms: float | None
    unknown: int
    reasons: tuple[CategoryChange, ...]

    @property
    def difference_ms(self) -> float | None:
        """Right minus left: negative is faster. None if a side is unknown."""
        return None if self.left_ms is None or self.right_ms is None else self.right_ms - self.left_ms


class _Tally:
    """What is counted for one category, per side."""

    def __init__(self) -> None:
        self.times: tuple[list[float | None], list[float | None]] = ([], [])
        self.reasons: list[CategoryChange] = []

    def category(self, name: str) -> LayerCategory:
        left, right = self.times
        unknown = left.count(None) + right.count(None)
        reasons = tuple(sorted(self.reasons, key=lambda reason: -abs(reason.difference_ms)))
        return LayerCategory(name, len(left), len(right), _sum(left), _sum(right), unknown, reasons)


def layer_categories(
    left: EnginePlan, right: EnginePlan, changes: Sequence[Change], category_of: Callable[[Layer], str]
) -> tuple[LayerCategory, ...]:
    """Every category that a layer of either side has, the largest difference first.

    A layer fused into one of another category counts as lost: a pooling that became part of a convolution is not a
    faster pooling, and its reason says so.
    """
    tallies: dict[str, _Tally] = {}
    for change in changes:
        sides = ((left, change.match.left), (right, change.match.right))
        layers = [[plan.working_layers[index] for index in indexes] for plan, indexes in sides]
        times_of: dict[str, tuple[list[float | None], list[float | None]]] = {}
        layers_of: dict[str, tuple[list[Layer], list[Layer]]] = {}
        for side, (plan, indexes) in enumerate(sides):
            for layer, index in zip(layers[side], indexes, strict=True):
                name = category_of(layer)
                times_of.setdefault(name, ([], []))[side].append(layer_ms(plan, index))
                layers_of.setdefault(name, ([], []))[side].append(layer)
        for name, (left_times, right_times) in times_of.items():
            tally = tallies.setdefault(name, _Tally())
            tally.times[0].extend(left_times)
            tally.times[1].extend(right_times)
            before, after = _sum(left_times), _sum(right_times)
            if before is not None and after is not None and abs(after - before) > _LEAST_MS:
                words = _words(layers_of[name], layers, change, category_of)
                tally.reasons.append(CategoryChange(after - before, words))
    categories = [tally.category(name) for name, tally in tallies.items()]
    return tuple(sorted(categories, key=lambda category: -abs(category.difference_ms or 0.0)))


def _sum(times: Sequence[float | None]) -> float | None:
    known = [ms for ms in times if ms is not None]
    return math.fsum(known) if len(known) == len(times) else None


def _words(
    inside: Sequence[Sequence[Layer]],
    layers: Sequence[Sequence[Layer]],
    change: Change,
    category_of: Callable[[Layer], str],
) -> str:
    """Why the time of a category changed. inside: its layers of both sides. layers: all of the match."""
    (before, after), (left, right) = inside, layers
    name, what = clipped((after or before)[0].name, _MOST_WORDS), clipped(change.words, _MOST_WORDS)
    others = () if before and after else right if before else left
    if not others:
        return f"{name}: {what}"
    other, other_category = (clipped(text, _MOST_WORDS) for text in (others[0].name, category_of(others[0])))
    if len(before) + len(after) == 1 and len(left) == len(right) == 1:
        return f"{name}: {'now' if before else 'was'} {other_category}, {what}"
    if len(right) < len(left):
        return f"{name}: {'fused into' if before else 'absorbed'} {other} ({other_category})"
    return f"{name}: {'split into' if before else 'split off from'} {other} ({other_category})"

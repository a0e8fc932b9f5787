"""Changes → Kinds: how many layers of each type both engines have, what they take, and where they went."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trex.compare.causes import Change
from trex.core.layer import Layer
from trex.plan.engine_plan import EnginePlan

_LEAST_MS = 5e-7


@dataclass(frozen=True, slots=True)
class Reason:
    """What one match does to a kind. difference_ms: of the layers of that kind alone. words: why, for people."""

    difference_ms: float
    words: str


@dataclass(frozen=True, slots=True)
class Kind:
    """Layers of one type or precision. left_ms, right_ms: what they take together, None where one has no time; unknown:
    how many have none. reasons: the matches that changed what the kind takes, the largest first.
    """

    name: str
    left_count: int
    right_count: int
    left_ms: float | None
    right_ms: float | None
    unknown: int
    reasons: tuple[Reason, ...]

    @property
    def difference_ms(self) -> float | None:
        """Right less left: negative is faster; None where a side is unknown."""
        return None if self.left_ms is None or self.right_ms is None else self.right_ms - self.left_ms


def kinds_of(
    left: EnginePlan, right: EnginePlan, changes: Sequence[Change], kind_of: Callable[[Layer], str]
) -> tuple[Kind, ...]:
    """Every kind that a layer of either side has, the largest difference first.

    A layer that went into one of another kind is a loss of its own kind: a pooling that became part of a convolution is
    no pooling that became faster, and its reason says so.
    """
    counts: dict[str, list[int]] = {}
    sums: dict[str, tuple[list[float | None], list[float | None]]] = {}
    reasons: dict[str, list[Reason]] = {}
    for change in changes:
        sides = [[plan.layers[place] for place in places] for plan, places in _sides(left, right, change)]
        times = [[_ms(plan, place) for place in places] for plan, places in _sides(left, right, change)]
        spent: dict[str, list[list[float | None]]] = {}
        for side, layers in enumerate(sides):
            for layer, ms in zip(layers, times[side], strict=True):
                kind = kind_of(layer)
                count = counts.setdefault(kind, [0, 0, 0])
                count[side] += 1
                count[2] += ms is None
                spent.setdefault(kind, [[], []])[side].append(ms)
        for kind, (mine, theirs) in spent.items():
            both = sums.setdefault(kind, ([], []))
            both[0].extend(mine)
            both[1].extend(theirs)
            before, after = _sum(mine), _sum(theirs)
            if before is not None and after is not None and abs(after - before) > _LEAST_MS:
                words = _words(kind, sides[0], sides[1], change, kind_of)
                reasons.setdefault(kind, []).append(Reason(after - before, words))
    found = [
        Kind(
            kind,
            count[0],
            count[1],
            _sum(sums[kind][0]),
            _sum(sums[kind][1]),
            count[2],
            tuple(sorted(reasons.get(kind, ()), key=lambda reason: -abs(reason.difference_ms))),
        )
        for kind, count in counts.items()
    ]
    return tuple(sorted(found, key=lambda kind: -abs(kind.difference_ms or 0.0)))


def _sum(times: Sequence[float | None]) -> float | None:
    known = [ms for ms in times if ms is not None]
    return math.fsum(known) if len(known) == len(times) else None


def _words(
    kind: str, left: Sequence[Layer], right: Sequence[Layer], change: Change, kind_of: Callable[[Layer], str]
) -> str:
    mine, theirs = ([layer for layer in side if kind_of(layer) == kind] for side in (left, right))
    name = (theirs or mine)[0].name
    if mine and theirs:
        return f"{name}: {change.words}"
    others = right if mine else left
    if not others:
        return f"{name}: {change.words}"
    what = f"{others[0].name} ({kind_of(others[0])})"
    if len(mine) + len(theirs) == 1 and len(left) == len(right) == 1:
        return f"{name}: {'now' if mine else 'was'} {kind_of(others[0])}, {change.words}"
    if len(right) < len(left):
        return f"{name}: {'went into' if mine else 'took in'} {what}"
    return f"{name}: {'was divided into' if mine else 'came out of'} {what}"


def _sides(left: EnginePlan, right: EnginePlan, change: Change) -> tuple[tuple[EnginePlan, tuple[int, ...]], ...]:
    return (left, change.match.left), (right, change.match.right)


def _ms(plan: EnginePlan, place: int) -> float | None:
    time = plan.times[place]
    ms = None if time is None else time.average_ms
    return ms if ms is not None and math.isfinite(ms) and ms >= 0.0 else None

"""Changes → Waterfall: the whole difference of two engines as steps that add up to it; groups of layers beside it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from trex.compare.causes import Cause, Change
from trex.perf.measures import Measure

LAUNCHES, BETWEEN = "number of launches", "between the layers"


@dataclass(frozen=True, slots=True)
class Step:
    """name: the cause. difference_ms: right less left, negative is faster. count: matches, or layers more or fewer.

    left_ms, right_ms: times of the layers of those matches; None for what is no layer's time. words: what it means.
    """

    name: str
    difference_ms: float
    count: int
    left_ms: float | None = None
    right_ms: float | None = None
    cause: Cause | None = None
    words: str = ""


@dataclass(frozen=True, slots=True)
class Waterfall:
    """From left_ms over the steps to right_ms: their differences add up to right_ms − left_ms.

    basis: what the two ends are: ``GPU compute`` or ``sum of the layers``. layers_left_ms, layers_right_ms: sums of the
    layers' known times. unknown: matches of which a time is not known; they are in no step and in neither end, as half
    of a match would look like time saved or lost. reason: why the ends are not measured times, or nothing is known.
    """

    left_ms: float
    right_ms: float
    steps: tuple[Step, ...]
    basis: str
    layers_left_ms: float
    layers_right_ms: float
    unknown: int = 0
    reason: str = ""

    @property
    def difference_ms(self) -> float:
        return self.right_ms - self.left_ms

    @property
    def is_known(self) -> bool:
        """False when a side has no layer with a time above 0, so that no difference can be told."""
        return self.layers_left_ms > 0.0 and self.layers_right_ms > 0.0

    def of(self, cause: Cause) -> float:
        """The difference of one cause in ms, 0.0 for one that did not occur."""
        return math.fsum(step.difference_ms for step in self.steps if step.cause is cause)


@dataclass(frozen=True, slots=True)
class Group:
    """Matches together by module, type or cause. changes: the matches, the largest difference first."""

    key: str
    left_ms: float
    right_ms: float
    changes: tuple[Change, ...]
    is_known: bool = True

    @property
    def difference_ms(self) -> float:
        """Right less left: negative is faster."""
        return self.right_ms - self.left_ms

    @property
    def speedup(self) -> float | None:
        """left_ms over right_ms, above 1 when the right is faster; None where one is unknown or zero."""
        if not self.is_known or self.left_ms <= 0.0 or self.right_ms <= 0.0:
            return None
        return self.left_ms / self.right_ms


def waterfall_of(changes: Iterable[Change], left: Measure, right: Measure, layers: tuple[int, int]) -> Waterfall:
    """left, right: the GPU's computing time as measured; layers: how many layers each side launches.

    Layers are timed one by one, so their sum is not what was measured: the rest, r = measured − sum, lies between them.
    Its change is split at the number of layers n: with g = r / n, the change of n·g is (n₂ − n₁)·(g₁ + g₂)/2 by the
    number of launches and (n₁ + n₂)/2·(g₂ − g₁) between the layers (launch gaps, overlap, the profiler's own cost). g
    is negative where timing each layer costs more than the gaps. Without both measured times, and where a layer has no
    time, the ends are the sums of what is known on both sides.
    """
    changes = tuple(changes)
    sums = math.fsum(each.left_ms for each in changes), math.fsum(each.right_ms for each in changes)
    known = [each for each in changes if each.is_known]
    steps = [
        Step(group.key, group.difference_ms, len(group.changes), group.left_ms, group.right_ms, Cause(group.key))
        for group in groups_of(known, lambda each: each.cause.value)
    ]
    unknown = len(changes) - len(known)
    ends = left.ms, right.ms
    told = min(sums) > 0.0 and not unknown
    if ends[0] is None or ends[1] is None or not told or min(ends[0], ends[1]) <= 0.0:
        reason = _untimed(*sums) or left.reason or right.reason or "some layers have no time"
        both = math.fsum(each.left_ms for each in known), math.fsum(each.right_ms for each in known)
        return Waterfall(*both, tuple(steps), "sum of the layers", *sums, unknown, reason)
    rest = ends[0] - sums[0], ends[1] - sums[1]
    if layers[0] != layers[1] and min(layers) > 0:
        gap = (rest[0] / layers[0] + rest[1] / layers[1]) / 2.0
        words = f"between two layers pass {1000 * gap:.2g} µs that no layer's time holds"
        if gap < 0:
            words = f"each layer's time holds {-1000 * gap:.2g} µs of measuring it, which the whole run does not pay"
        steps.append(Step(LAUNCHES, (layers[1] - layers[0]) * gap, layers[1] - layers[0], words=words))
    done = math.fsum((*(step.difference_ms for step in steps), ends[0] - ends[1]))
    words = "launch gaps, overlap of streams and what the profiler costs: measured time less the sum of the layers"
    steps.append(Step(BETWEEN, -done, 0, words=words))
    return Waterfall(ends[0], ends[1], tuple(steps), "GPU compute", *sums, unknown)


def _untimed(left_ms: float, right_ms: float) -> str:
    """Which side has no layer with a time above 0, in words; "" when both have."""
    if left_ms > 0.0 and right_ms > 0.0:
        return ""
    if left_ms <= 0.0 and right_ms <= 0.0:
        return "no layer of either engine has a time"
    return f"no layer of the {'new engine' if left_ms > 0.0 else 'base'} has a time"


def groups_of(changes: Iterable[Change], key_of: Callable[[Change], str]) -> tuple[Group, ...]:
    """Changes of one key together, the largest difference first."""
    found: dict[str, list[Change]] = {}
    for each in changes:
        found.setdefault(key_of(each), []).append(each)
    groups = [
        Group(
            key,
            math.fsum(each.left_ms for each in here),
            math.fsum(each.right_ms for each in here),
            tuple(sorted(here, key=lambda each: -abs(each.difference_ms))),
            all(each.is_known for each in here),
        )
        for key, here in found.items()
    ]
    return tuple(sorted(groups, key=lambda group: -abs(group.difference_ms)))

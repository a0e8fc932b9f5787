"""The whole difference of two engines as steps that add up to it, one per cause."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trex.compare.causes import Cause, Change
from trex.compare.machine_shift import MachineShift
from trex.perf.measures import Measure

LAUNCHES, BETWEEN = "number of launches", "between the layers"
MACHINE = "machine or clock"
COMPUTE, LAYER_SUM = "GPU compute", "sum of layer times"


@dataclass(frozen=True, slots=True)
class WaterfallStep:
    """name: the cause. difference_ms: right minus left, negative is faster. count: matches, or added layers.

    left_ms, right_ms: times of the matches' layers, the right ones without the machine's part; None for a step that is
    not the layers' own. words: an explanation.
    """

    name: str
    difference_ms: float
    count: int
    left_ms: float | None = None
    right_ms: float | None = None
    words: str = ""


@dataclass(frozen=True, slots=True)
class Waterfall:
    """The steps' differences add up to right_ms − left_ms.

    basis: what left_ms and right_ms are: COMPUTE or LAYER_SUM. layers_left_ms, layers_right_ms: sums of the known layer
    times. unknown: matches with an unknown time. These are in no step and in neither sum, since half a match would look
    like time saved or lost. reason: why the basis is not a measured time, or why nothing is known.
    """

    left_ms: float
    right_ms: float
    steps: tuple[WaterfallStep, ...]
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
        """False if a side has no layer with a time above 0, so that no difference is known."""
        return self.layers_left_ms > 0.0 and self.layers_right_ms > 0.0


def waterfall_of(
    changes: Iterable[Change],
    left: Measure,
    right: Measure,
    layers: tuple[int, int],
    machine: MachineShift | None = None,
) -> Waterfall:
    """left, right: GPU compute as measured. layers: how many layers each side launches. machine: the shift common to
    unchanged kernels.

    With a shift by the factor f, a layer of the new engine would take t / f on the base's machine: t − t / f is the
    machine's part, and only the rest, t / f minus the base's time, has a cause in the engine.

    The profiler times layers one by one, so their sum is not GPU compute. The rest, r = measured − sum, lies between
    the layers. Its change is split by the number of layers n: with g = r / n, the change of n·g is
    (n₂ − n₁)·(g₁ + g₂)/2 by the number of launches plus (n₁ + n₂)/2·(g₂ − g₁) between the layers (launch gaps,
    overlap, profiling overhead). g is negative if profiling a layer costs more than its gap. If GPU compute or a layer
    time is missing, the steps add up to the difference of the known layer times instead.
    """
    changes = tuple(changes)
    sums = math.fsum(change.left_ms for change in changes), math.fsum(change.right_ms for change in changes)
    known = [change for change in changes if change.is_known]
    steps = _layer_steps(known, machine)
    unknown = len(changes) - len(known)
    ends = left.ms, right.ms
    is_complete = min(sums) > 0.0 and not unknown
    if ends[0] is None or ends[1] is None or not is_complete or min(ends[0], ends[1]) <= 0.0:
        reason = _untimed_side(*sums) or left.reason or right.reason or "some layers have no time"
        known_sums = math.fsum(change.left_ms for change in known), math.fsum(change.right_ms for change in known)
        return Waterfall(*known_sums, tuple(steps), LAYER_SUM, *sums, unknown, reason)
    rest = ends[0] - sums[0], ends[1] - sums[1]
    if layers[0] != layers[1] and min(layers) > 0:
        gap = (rest[0] / layers[0] + rest[1] / layers[1]) / 2.0
        words = f"{1000 * gap:.2g} µs between two layers, outside all layer times"
        if gap < 0:
            words = f"profiling adds {-1000 * gap:.2g} µs to each layer time, which GPU compute does not contain"
        steps.append(WaterfallStep(LAUNCHES, (layers[1] - layers[0]) * gap, layers[1] - layers[0], words=words))
    done = math.fsum((*(step.difference_ms for step in steps), ends[0] - ends[1]))
    words = "GPU compute minus the sum of layer times: launch gaps, overlapping streams and profiling overhead"
    steps.append(WaterfallStep(BETWEEN, -done, 0, words=words))
    return Waterfall(ends[0], ends[1], tuple(steps), COMPUTE, *sums, unknown)


def _untimed_side(left_ms: float, right_ms: float) -> str:
    """Which side has no layer with a time above 0, in words; "" if both have."""
    if left_ms > 0.0 and right_ms > 0.0:
        return ""
    side = "either engine" if left_ms <= 0.0 and right_ms <= 0.0 else "new" if left_ms > 0.0 else "base"
    return f"no layer times in {side}"


def _layer_steps(changes: Sequence[Change], machine: MachineShift | None) -> list[WaterfallStep]:
    """The machine's part, if unchanged kernels shifted, and the causes, the largest first."""
    correction = 1.0 if machine is None else machine.correction
    if machine is None or correction == 1.0:
        return _by_cause(changes, 1.0)
    right_ms = math.fsum(change.right_ms for change in changes)
    part_ms = right_ms - right_ms / correction
    shift = WaterfallStep(MACHINE, part_ms, machine.kernels, words=machine.words)
    return sorted([shift, *_by_cause(changes, correction)], key=lambda step: -abs(step.difference_ms))


def _by_cause(changes: Sequence[Change], correction: float) -> list[WaterfallStep]:
    members: dict[Cause, list[Change]] = {cause: [] for cause in Cause}
    for change in changes:
        members[change.cause].append(change)
    steps = (_step(cause.value, own, correction) for cause, own in members.items() if own)
    return sorted(steps, key=lambda step: -abs(step.difference_ms))


def _step(name: str, changes: Sequence[Change], correction: float) -> WaterfallStep:
    """All changes of one cause, the new engine's times as on the base's machine."""
    left_ms = math.fsum(change.left_ms for change in changes)
    right_ms = math.fsum(change.right_ms for change in changes) / correction
    return WaterfallStep(name, right_ms - left_ms, len(changes), left_ms, right_ms)

"""Pick the fastest engine per operation of the model, including the reformats between engines.

1. Matched layers come from one engine together: layers fused in one engine and separate in another form one **group**
   (``fusion_groups``). Layers that only some engines have belong to the group before them.
2. A group costs the time of its layers in each engine. A reformat inside an engine counts between its groups if both
   come from that engine (split equally if several layers read its result).
3. If two neighbors come from different engines, their tensor is reformatted unless type and format match. This costs
   what one of the two took for the same reformat, else the bytes read and written at the rate of the reformats measured
   in these engines, at least the shortest of them (``reformat_cost``).
4. A gain over the fastest engine counts if it exceeds the profiler's step of 1.024 µs per layer.
5. The sum of 2 and 3 is minimized in linear time, exactly on chains and trees (``assignment``). It is never worse than
   the best single engine.

An operation is **included** if it comes from another engine than the base, **excluded** if the base keeps it, and
**undecided** if its layers have no time in the base or match none elsewhere. The sum is an estimate: the builder may
fuse a reformat into a neighbor or choose other kernels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from trex.compare.assignment import AssignmentProblem, GroupBorder
from trex.compare.estimated_reformats import ReformatCost, has_same_layout, reformat_cost
from trex.compare.fusion_groups import CrossingTensor, FusionGroups, fusion_groups
from trex.compare.layer_times import STEP_MS
from trex.compare.operation_times import VIEW
from trex.compare.prediction import origin_of
from trex.compare.series import EngineSeries, OperationRow, SeriesKind
from trex.core.collector import collector_paused
from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.printable import clipped

RULE = (
    "matched layers come from one engine together; neighbors from different engines need a reformat unless type and "
    "format match; gains below the profiler's step (1 µs per layer) over the fastest engine don't count; the result is "
    "never slower than the best single engine"
)
_NO_GAIN_MS = 1e-9
_MOST_LOST = 0.05
"""Of the operations with weights: one of the 54 of a real ResNet-50 has another name after quantization."""


class OperationDecision(Enum):
    """INCLUDE: take the operation from another engine than the base. EXCLUDE: keep the base's. UNDECIDED: its layers
    match none in the base, or none elsewhere.
    """

    INCLUDE = "include"
    EXCLUDE = "exclude"
    UNDECIDED = "undecided"

    __hash__ = object.__hash__


@dataclass(frozen=True, slots=True)
class OperationChoice:
    """The engine for one operation, an index in ``series.plans``.

    chosen: the engine to take it from. group: number of its fusion group. saving_ms: what the layers of the group save
    over the base; None if undecided. If another engine than the fastest one is chosen: gain_ms: what they save over
    that; saved_ms: what the reformats around the group save, negative if they cost more.
    """

    row: OperationRow
    decision: OperationDecision
    chosen: int
    group: int
    saving_ms: float | None = None
    gain_ms: float | None = None
    saved_ms: float | None = None


@dataclass(frozen=True)
class BestOfEach:
    """mixed_ms: estimated sum of layer times of the combination; alone_ms: of each engine by itself. conversions: how
    many reformats the combination adds; border_ms: their time. cost: the estimate of one reformat.
    """

    series: EngineSeries
    choices: tuple[OperationChoice, ...]
    mixed_ms: float
    alone_ms: tuple[float, ...]
    conversions: int
    border_ms: float
    cost: ReformatCost

    @property
    def best_alone(self) -> int:
        """Index of the fastest single engine."""
        return min(range(len(self.alone_ms)), key=self.alone_ms.__getitem__)

    @property
    def origin(self) -> str:
        """``predicted, not measured`` or similar; "" if all times are measured."""
        return origin_of(self.series.plans)

    def taken_from(self, engine: int) -> tuple[str, ...]:
        """Operations taken from one engine."""
        decided = (choice for choice in self.choices if choice.decision is not OperationDecision.UNDECIDED)
        return tuple(choice.row.name for choice in decided if choice.chosen == engine)


def best_of_each(series: EngineSeries) -> BestOfEach:
    """Raises TrexError if the engines cannot be combined: other shapes, GPUs or models, and layers or layer times that
    are missing or in doubt.
    """
    _check(series)
    with collector_paused():
        groups = fusion_groups(series)
        cost = reformat_cost(groups.measured, series.comparisons[0].left_performance.device)
        problem = AssignmentProblem([_costs(own) for own in groups.ms], list(_borders(groups, cost, len(series.plans))))
        fastest = min(range(len(series.plans)), key=lambda engine: series.operation_times[engine].layers_ms)
        alone = [fastest if own[fastest] < math.inf else 0 for own in problem.groups]
        engines = _assigned(problem, groups, alone, fastest)
        mixed = [border for border in problem.borders if engines[border.first] != engines[border.second]]
        added = [ms for border in mixed if (ms := border.ms(engines)) > 0.0]
        saved_ms = [0.0] * len(groups.ms)
        for border in problem.borders:
            moved = [group for group in (border.first, border.second) if engines[group] != alone[group]]
            for group in moved:
                saved_ms[group] += (border.ms(alone) - border.ms(engines)) / len(moved)
        choices = (_choice(row, groups, engines, fastest, saved_ms) for row in series.operations if _is_choosable(row))
        return BestOfEach(
            series,
            tuple(choices),
            problem.cost(engines),
            tuple(times.layers_ms for times in series.operation_times),
            len(added),
            math.fsum(added),
            cost,
        )


def _choice(
    row: OperationRow, groups: FusionGroups, engines: Sequence[int], fastest: int, saved_ms: Sequence[float]
) -> OperationChoice:
    """From its group's engine. saved_ms: per group, what the reformats around it save over the fastest engine."""
    engine, time = next((engine, time) for engine, time in enumerate(row.times) if time is not None)
    group = groups.group_of[engine][time.indexes[0]]
    own = groups.ms[group]
    if own[0] is None or sum(ms is not None for ms in own) < 2:
        return OperationChoice(row, OperationDecision.UNDECIDED, 0, group)
    chosen = engines[group]
    decision = OperationDecision.INCLUDE if chosen else OperationDecision.EXCLUDE
    own_ms, fastest_ms = own[chosen] or 0.0, own[fastest]
    if chosen == fastest or fastest_ms is None:
        return OperationChoice(row, decision, chosen, group, own[0] - own_ms)
    return OperationChoice(row, decision, chosen, group, own[0] - own_ms, fastest_ms - own_ms, saved_ms[group])


def _assigned(problem: AssignmentProblem, groups: FusionGroups, alone: Sequence[int], fastest: int) -> Sequence[int]:
    """The cheapest assignment, ignoring gains over the fastest engine below the profiler's step."""
    rounded = []
    for own, counts in zip(problem.groups, groups.layers, strict=True):
        best, least = own[fastest], STEP_MS * max(counts)
        is_near = [engine != fastest and abs(ms - best) <= least for engine, ms in enumerate(own)]
        rounded.append([best + _NO_GAIN_MS if near else ms for ms, near in zip(own, is_near, strict=True)])
    solved = AssignmentProblem(rounded, problem.borders).solve()
    return min((alone, solved), key=problem.cost)


def _check(series: EngineSeries) -> None:
    hint = "compare engines of one model, built and measured equally except for what you want to choose"
    for kind in (SeriesKind.BATCH, SeriesKind.SHAPES, SeriesKind.GPU):
        if kind in series.varying:
            raise TrexError(f"can't combine engines that differ in {kind.value}", hint)
    if series.other_models:
        raise TrexError(f"few layers match the base: {', '.join(series.other_models)}", hint)
    if withheld := next((diff.withheld for diff in series.comparisons if diff.withheld), ""):
        raise TrexError(withheld.removesuffix("."), hint)
    for name, diff in zip(series.names[1:], series.comparisons, strict=True):
        for note in diff.layer_doubts:
            side, _, what = note.message.partition(": ")
            wrong = series.names[0] if side == "base" else name
            raise TrexError(f"the layer times of {wrong} can't be trusted: {what} ({note.code})", note.hint)
    pairs = zip(series.names, series.operation_times, strict=True)
    untimed = [name for name, times in pairs if not times.layers_ms > 0.0]
    if untimed:
        raise TrexError(f"no layer times: {', '.join(untimed)}", "profile them with --exportProfile")
    for name, plan in zip(series.names, series.plans, strict=True):
        if missing := sum(ms is None for ms in plan.layer_ms):
            message = f"{missing:,} of {counted(len(plan.layer_ms), 'layer')} of {name} have no time"
            raise TrexError(message, "profile it again with --exportProfile: an unknown time would count as 0")
    for name, plan in zip(series.names, series.plans, strict=True):
        if plan.lacks_layers:
            raise TrexError(f"the graph of {name} lacks layers", f"{hint}: what it lacks would count as 0")
    weighted = [row for row in series.operations if any(time is not None and time.weight_count for time in row.times)]
    for engine, (name, times) in enumerate(zip(series.names, series.operation_times, strict=True)):
        lost = [row.name for row in weighted if row.times[engine] is None]
        has_all_names = not times.unattributed  # else a layer without names may contain them
        if has_all_names and len(lost) > _MOST_LOST * len(weighted):
            message = f"{name} lacks {counted(len(lost), 'operation')} with weights, first {clipped(lost[0], 80)!r}"
            raise TrexError(message, f"{hint}: what it lacks would count as 0")


def _is_choosable(row: OperationRow) -> bool:
    """False for a view that is fused everywhere."""
    return any(time is not None and time.rule != VIEW for time in row.times)


def _costs(own: Sequence[float | None]) -> list[float]:
    """Infinite for an engine with an unknown time; if the base's is unknown, the group stays in the base."""
    if own[0] is None:
        return [0.0] + [math.inf] * (len(own) - 1)
    return [math.inf if ms is None else ms for ms in own]


def _borders(groups: FusionGroups, cost: ReformatCost, count: int) -> Iterator[GroupBorder]:
    for (first, second), tensors in groups.crossings.items():
        by_name: list[dict[str, CrossingTensor]] = [{} for _ in range(count)]
        for tensor in tensors:
            same = by_name[tensor.engine].get(tensor.written.name)
            merged = tensor if same is None else replace(same, ms=same.ms + tensor.ms)
            by_name[tensor.engine][tensor.written.name] = merged
        crossing = [list(names.values()) for names in by_name]
        rows = (tuple(_border_ms(one, other, cost) for other in crossing) for one in crossing)
        yield GroupBorder(first, second, tuple(rows))


def _border_ms(writers: Sequence[CrossingTensor], readers: Sequence[CrossingTensor], cost: ReformatCost) -> float:
    """Reformats of the tensors between two groups, as one engine writes and the other reads them."""
    if writers is readers:
        return math.fsum(tensor.ms for tensor in writers)
    if not writers or not readers:
        return cost.floor_ms
    return math.fsum(_reformat_ms(one, other, cost) for one, other in zip(writers, readers, strict=False))


def _reformat_ms(one: CrossingTensor, other: CrossingTensor, cost: ReformatCost) -> float:
    """The measured time if one of the two engines runs the same reformat."""
    if has_same_layout(one.written, other.written):
        return other.ms
    return one.ms if has_same_layout(one.read, other.read) else cost.between(one.written, other.read)

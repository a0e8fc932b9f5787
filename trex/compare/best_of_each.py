"""Pick the fastest engine per operation of the model, including the reformats between engines.

1. Matched layers come from one engine together: layers fused in one engine and separate in another form one **group**
   (``fusion_groups``). Layers that only some engines have belong to the group before them.
2. A group costs the time of its layers in each engine. A reformat inside an engine counts between its groups if both
   come from that engine (split equally if several layers read its result).
3. If two neighbors come from different engines, their tensor is reformatted unless type and format match. This costs
   what one of the two took for the same reformat, else the bytes read and written at the rate of the reformats measured
   in these engines, at least the shortest of them (``reformat_cost``).
4. A gain over the fastest engine counts if it exceeds the profiler's step of 1.024 µs per layer.
5. The sum of 2 and 3 is minimized in linear time: exactly on chains and trees, else until no change of a single group
   helps (``assignment``). It is never worse than the best single engine.

An operation is **included** if it comes from another engine than the base, **excluded** if the base keeps it, and
**undecided** if its layers have no time in the base or match none elsewhere. The sum is an estimate: the builder may
fuse a reformat into a neighbor or choose other kernels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from trex.compare.assignment import AssignmentProblem, Gain, GroupBorder
from trex.compare.estimated_reformats import ReformatCost, has_same_layout, reformat_cost
from trex.compare.fusion_groups import CrossingTensor, FusionGroups, fusion_groups
from trex.compare.layer_times import STEP_MS
from trex.compare.operation_times import VIEW
from trex.compare.prediction import origin_of
from trex.compare.series import EngineSeries, OperationRow, SeriesKind
from trex.core.collector import collector_paused
from trex.core.errors import TrexError

RULE = (
    "matched layers come from one engine together; neighbors from different engines need a reformat unless type and "
    "format match; gains below the profiler's step (1 µs per layer) over the fastest engine don't count; the result is "
    "never slower than the best single engine"
)
_NO_GAIN_MS = 1e-9


class OperationDecision(Enum):
    """INCLUDE: take the operation from another engine than the base. EXCLUDE: keep the base's. UNDECIDED: its layers
    have no time in the base or match none elsewhere.
    """

    INCLUDE = "include"
    EXCLUDE = "exclude"
    UNDECIDED = "undecided"

    __hash__ = object.__hash__


@dataclass(frozen=True, slots=True)
class OperationChoice:
    """The engine for one operation, an index in ``series.plans``.

    chosen: the engine to take it from. alone: the engine in which its group is fastest, reformats ignored. group:
    number of its fusion group. saving_ms: what its group saves over the base, without reformats; border_ms: half of the
    reformats at the group's borders; None if undecided. is_close: the gain is below the profiler's step. reason: in
    words. If another engine than the fastest one is chosen: gain_ms: what the group saves over that; saved_ms: what the
    reformats around it and its connected groups save; negative if they cost more.
    """

    row: OperationRow
    decision: OperationDecision
    chosen: int
    alone: int
    group: int
    saving_ms: float | None
    border_ms: float | None
    is_close: bool
    reason: str
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
    """Raises TrexError if the engines cannot be combined: other shapes, GPUs or models, or no layer profile."""
    _check(series)
    with collector_paused():
        groups = fusion_groups(series)
        cost = reformat_cost(groups.measured, series.comparisons[0].left_performance.device)
        problem = AssignmentProblem([_costs(own) for own in groups.ms], list(_borders(groups, cost, len(series.plans))))
        fastest = min(range(len(series.plans)), key=lambda engine: series.operation_times[engine].layers_ms)
        engines = _assigned(problem, groups, fastest)
        added = [(border, border.costs[engines[border.first]][engines[border.second]]) for border in problem.borders]
        added = [(border, ms) for border, ms in added if engines[border.first] != engines[border.second] and ms > 0.0]
        border_ms = [0.0] * len(groups.ms)
        for border, ms in added:
            border_ms[border.first] += ms / 2.0
            border_ms[border.second] += ms / 2.0
        chooser = _Chooser(series, groups, problem, engines, fastest, border_ms)
        return BestOfEach(
            series,
            tuple(chooser.choice(row) for row in series.operations if _is_choosable(row)),
            problem.cost(engines),
            tuple(times.layers_ms for times in series.operation_times),
            len(added),
            math.fsum(ms for _, ms in added),
            cost,
        )


def _assigned(problem: AssignmentProblem, groups: FusionGroups, fastest: int) -> Sequence[int]:
    """The cheapest assignment, ignoring gains over the fastest engine below the profiler's step."""
    rounded = []
    for own, counts in zip(problem.groups, groups.layers, strict=True):
        best, least = own[fastest], STEP_MS * max(counts)
        is_near = [engine != fastest and abs(ms - best) <= least for engine, ms in enumerate(own)]
        rounded.append([best + _NO_GAIN_MS if near else ms for ms, near in zip(own, is_near, strict=True)])
    solved = AssignmentProblem(rounded, problem.borders).solve()
    alone = [fastest if own[fastest] < math.inf else 0 for own in problem.groups]
    return min((alone, solved), key=problem.cost)


def _check(series: EngineSeries) -> None:
    hint = "compare engines of one model, built and measured equally except for what you want to choose"
    for kind in (SeriesKind.BATCH, SeriesKind.SHAPES, SeriesKind.GPU):
        if kind in series.varying:
            raise TrexError(f"can't combine engines that differ in {kind.value}", hint)
    if series.other_models:
        raise TrexError(f"few layers match the base: {', '.join(series.other_models)}", hint)
    pairs = zip(series.names, series.operation_times, strict=True)
    untimed = [name for name, times in pairs if not times.layers_ms > 0.0]
    if untimed:
        raise TrexError(f"no layer times: {', '.join(untimed)}", "profile them with --exportProfile")


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


@dataclass(frozen=True)
class _Chooser:
    """Each operation's choice from its group's engine. border_ms: half of the reformats at each group's borders."""

    series: EngineSeries
    groups: FusionGroups
    problem: AssignmentProblem
    engines: Sequence[int]
    fastest: int
    border_ms: Sequence[float]

    @cached_property
    def first_operations(self) -> dict[int, str]:
        """The first operation of each group."""
        names: dict[int, str] = {}
        for row in self.series.operations:
            if _is_choosable(row):
                names.setdefault(self.group_of(row), row.name)
        return names

    @cached_property
    def _gains(self) -> dict[int, Gain]:
        return {}

    def group_of(self, row: OperationRow) -> int:
        engine, time = next((engine, time) for engine, time in enumerate(row.times) if time is not None)
        return self.groups.group_of[engine][time.indexes[0]]

    def gain_of(self, group: int) -> Gain:
        """What the group and its connected groups of the same engine gain over the fastest engine."""
        if group not in self._gains:
            connected = self.problem.connected(self.engines, group)
            gain = self.problem.gain(self.engines, connected, self.fastest)
            self._gains.update(dict.fromkeys(connected, gain))
        return self._gains[group]

    def choice(self, row: OperationRow) -> OperationChoice:
        group = self.group_of(row)
        own = self.groups.ms[group]
        known = [engine for engine, ms in enumerate(own) if ms is not None]
        if own[0] is None or len(known) < 2:
            reason = "no layer time in the base" if own[0] is None else "no layer time in any other engine"
            return OperationChoice(row, OperationDecision.UNDECIDED, 0, 0, group, None, None, False, reason)
        alone = min(known, key=lambda engine: (own[engine], engine))
        chosen = self.engines[group]
        reason, is_close = self._reason(group, chosen, alone, known)
        if origin_of(self.series.plans):
            reason = f"predicted: {reason}"
        decision = OperationDecision.INCLUDE if chosen else OperationDecision.EXCLUDE
        saving = own[0] - (own[chosen] or 0.0)
        border_ms = self.border_ms[group]
        choice = OperationChoice(row, decision, chosen, alone, group, saving, border_ms, is_close, reason)
        fastest_ms = own[self.fastest]
        if chosen == self.fastest or fastest_ms is None:
            return choice
        return replace(choice, gain_ms=fastest_ms - (own[chosen] or 0.0), saved_ms=self.gain_of(group).border_ms)

    def _reason(self, group: int, chosen: int, alone: int, known: Sequence[int]) -> tuple[str, bool]:
        """(the reason, whether the gain is below the profiler's step)."""
        if chosen != self.fastest:
            return self._reason_against_fastest(group, chosen)
        labels, own = self.series.labels, self.groups.ms[group]
        if chosen == alone:
            if chosen:
                border = self.border_ms[group]
                added = f", plus {border:.4f} ms of reformats" if border else ""
                return f"{labels[chosen]}: {own[0]:.4f} → {own[chosen]:.4f} ms{added}", self._is_close(group, 0, chosen)
            second = min((engine for engine in known if engine), key=lambda engine: (own[engine], engine))
            reason = f"the base is the fastest ({own[0]:.4f} ms; {labels[second]}: {own[second]:.4f} ms)"
            return reason, self._is_close(group, 0, second)
        times = f"({own[chosen]:.4f} → {own[alone]:.4f} ms)"
        if self._is_close(group, chosen, alone):
            return f"{labels[alone]} is not measurably faster {times}", True
        added_ms = self.problem.gain(self.engines, (group,), alone).border_ms
        faster = f"{labels[alone]} is faster {times}, but not"
        if added_ms > _NO_GAIN_MS:
            return f"{faster} including reformats at its borders ({added_ms:.4f} ms)", False
        return f"{faster} in any combination", False

    def _reason_against_fastest(self, group: int, chosen: int) -> tuple[str, bool]:
        """Why a group does not come from the fastest single engine."""
        gain = self.gain_of(group)
        name = self.series.labels[gain.engine]
        own_ms, other_ms = self.groups.ms[group][chosen], self.groups.ms[group][gain.engine]
        if own_ms is None or other_ms is None or not math.isfinite(gain.own_ms):
            return f"not all of its layers are timed in {name}", False
        reason = f"{_than(other_ms - own_ms, self._is_close(group, chosen, gain.engine))} in {name}"
        least_ms = STEP_MS * sum(self._layer_count(other, chosen, gain.engine) for other in gain.groups)
        first = self.first_operations
        names = [first[other] for other in gain.groups if other != group and other in first]
        if names:
            more = f" and {len(names) - 1} more" if len(names) > 1 else ""
            together = _than(gain.own_ms, abs(gain.own_ms) <= least_ms).rpartition(" ")[0]
            reason += f"; with {names[0]}{more} {together}"
        if gain.border_ms > _NO_GAIN_MS:
            reason += f", saving {gain.border_ms:.4f} ms of reformats"
        elif gain.border_ms < -_NO_GAIN_MS:
            reason += f", for {-gain.border_ms:.4f} ms more of reformats"
        return reason, abs(gain.own_ms + gain.border_ms) <= least_ms

    def _is_close(self, group: int, one: int, other: int) -> bool:
        """Whether the layer times of two engines differ by less than the profiler's step."""
        own = self.groups.ms[group]
        return abs((own[one] or 0.0) - (own[other] or 0.0)) <= STEP_MS * self._layer_count(group, one, other)

    def _layer_count(self, group: int, *engines: int) -> int:
        return max(self.groups.layers[group][engine] for engine in engines)


def _than(gain_ms: float, is_close: bool) -> str:
    return "as fast as" if is_close else f"{abs(gain_ms):.4f} ms {'faster' if gain_ms > 0.0 else 'slower'} than"

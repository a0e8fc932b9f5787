"""Series → BestOfEach: for each operation of the model the engine to take it from, so that the whole is fastest.

The rule, which the outputs tell:

1. Layers that correspond are taken from one engine together: what is fused here and not there is one **unit**. Layers
   that only some engines have belong to the unit before them.
2. A unit costs in each engine what its layers took there. A conversion inside an engine costs between the units around
   it when both are taken from that engine (its time in equal parts, where several read its result).
3. Where two neighbors are taken from different engines, their tensor must be converted unless both have it in the same
   type and format: for as long as one of the two took for the same conversion there, else for bytes read and written at
   the rate of the conversions that were measured in these engines, at least the shortest of them (ConversionCost).
4. What a unit gains on the fastest engine counts when it is more than the profiler's step of 1.024 µs for each layer.
5. The sum of 2 and 3 is made as small as linear time allows: exactly on chains and trees, else improved until no single
   unit is better elsewhere. It is never worse than the best engine alone.

An operation is **included** when it is taken from another engine than the base, **excluded** when the base keeps it,
and **undecided** when its layers have no time in the base or correspond to none elsewhere. The sum is an estimate: a
builder may fuse a conversion into a neighbor, or choose other kernels.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from trex.compare.charge import FREE
from trex.compare.conversion_cost import ConversionCost, conversion_cost, is_alike
from trex.compare.mixing import Border, Mixture
from trex.compare.prediction import origin_of
from trex.compare.series import Kind, OperationRow, Series
from trex.compare.stretches import Stretches
from trex.compare.units import Link, Units, units_of
from trex.core.collector import collector_paused
from trex.core.errors import TrexError

RULE = (
    "layers that correspond are one unit and come from one engine; a unit costs what its layers took; where neighbors "
    "come from different engines, a conversion is added unless type and format agree; gains below the profiler's step "
    "(1 µs a layer) on the fastest engine are none; the sum is made as small as "
    "linear time allows and is never worse than the best engine alone"
)
STEP_MS = 0.0011
"""TensorRT's profiler counts in steps of 1.024 µs: what a layer gains below that is no gain that was measured."""


NO_GAIN_MS = 1e-9


class Decision(Enum):
    """What to do with an operation. INCLUDE: take it from another engine than the base. EXCLUDE: keep the base's.
    UNDECIDED: its layers have no time in the base, or correspond to none elsewhere.
    """

    INCLUDE = "include"
    EXCLUDE = "exclude"
    UNDECIDED = "undecided"

    __hash__ = object.__hash__


@dataclass(frozen=True, slots=True)
class Choice:
    """One operation. chosen: place of its engine in ``series.plans``. alone: of the engine in which its unit is fastest
    by itself. unit: number of what must be taken together. saving_ms: what its unit takes less than in the base, at
    its borders not counted; border_ms: half of the conversions that its unit's borders need now, None when undecided.
    is_close: what this engine gains over the one that the reason names, conversions counted, is below what a profiler
    can tell. reason: why it was chosen, in words: of what the fastest engine alone would not have, against that.
    gain_ms: of such, what its unit takes less than there; saved_ms: what conversions around it and what is taken along
    beside it take less; both negative for more, None of all others.
    """

    row: OperationRow
    decision: Decision
    chosen: int
    alone: int
    unit: int
    saving_ms: float | None
    border_ms: float | None
    is_close: bool
    reason: str
    gain_ms: float | None = None
    saved_ms: float | None = None


@dataclass(frozen=True)
class BestOfEach:
    """mixed_ms: the estimate of the mixture; alone_ms: of each engine by itself, its sum of layers. conversions: the
    borders at which the mixture converts. cost: of a conversion, and where that comes from.
    """

    series: Series
    choices: tuple[Choice, ...]
    mixed_ms: float
    alone_ms: tuple[float, ...]
    conversions: int
    border_ms: float
    cost: ConversionCost

    @property
    def best_alone(self) -> int:
        """Place of the fastest single engine."""
        return min(range(len(self.alone_ms)), key=self.alone_ms.__getitem__)

    @property
    def origin(self) -> str:
        """Where the times are from when any were predicted, in words; "" when all were measured."""
        return origin_of(self.series.plans)

    def names(self, decision: Decision) -> tuple[str, ...]:
        """Operations so decided, by their names in the base's model, else in the engine that names them."""
        return tuple(each.row.name for each in self.choices if each.decision is decision)

    def taken_from(self, place: int) -> tuple[str, ...]:
        """Operations that are taken from one engine."""
        return tuple(
            each.row.name for each in self.choices if each.chosen == place and each.decision is not Decision.UNDECIDED
        )


def best_of_each(series: Series) -> BestOfEach:
    """Raises TrexError where engines cannot be mixed: other shapes or GPUs, other models, no layer profile."""
    _refuse(series)
    with collector_paused():
        return _best(series)


def _best(series: Series) -> BestOfEach:
    units = units_of(series)
    cost = conversion_cost(units.measured, series.comparisons[0].left_performance.device)
    costs = [_costs(own) for own in units.ms]
    mixture = Mixture(costs, list(_borders(units, cost, len(series.plans))))
    favorite = min(range(len(series.plans)), key=lambda place: series.charges[place].layers_ms)
    labels = _labels(mixture, units, favorite)
    mixed = [(each, each.costs[labels[each.first]][labels[each.second]]) for each in mixture.borders]
    mixed = [(each, ms) for each, ms in mixed if labels[each.first] != labels[each.second] and ms > 0.0]
    at_borders = [0.0] * len(units.ms)
    for border, ms in mixed:
        at_borders[border.first] += ms / 2.0
        at_borders[border.second] += ms / 2.0
    chooser = _Chooser(series, units, Stretches(mixture, labels, favorite), at_borders)
    return BestOfEach(
        series,
        tuple(chooser.choice(row) for row in series.operations if _counts(row)),
        mixture.cost(labels),
        tuple(each.layers_ms for each in series.charges),
        len(mixed),
        math.fsum(ms for _, ms in mixed),
        cost,
    )


def _labels(mixture: Mixture, units: Units, favorite: int) -> Sequence[int]:
    """Of the least cost, where what is gained on the favorite is more than the profiler can tell."""
    told = []
    for own, counts in zip(mixture.units, units.layers, strict=True):
        best, least = own[favorite], STEP_MS * max(counts)
        is_near = [place != favorite and abs(ms - best) <= least for place, ms in enumerate(own)]
        told.append([best + NO_GAIN_MS if near else ms for ms, near in zip(own, is_near, strict=True)])
    labels = Mixture(told, mixture.borders).solve()
    alone = [favorite if own[favorite] < math.inf else 0 for own in mixture.units]
    return min((alone, labels), key=mixture.cost)


def _refuse(series: Series) -> None:
    hint = "give engines of one model, built and measured alike but for what is to be chosen"
    for kind in (Kind.BATCH, Kind.SHAPES, Kind.GPU):
        if kind in series.varying:
            raise TrexError(f"operations of engines that differ in {kind.value} cannot be mixed", hint)
    if series.unlike:
        raise TrexError(f"the engines hardly correspond to the base: {', '.join(series.unlike)}", hint)
    bare = [name for name, each in zip(series.names, series.charges, strict=True) if not each.layers_ms > 0.0]
    if bare:
        raise TrexError(f"no times of layers: {', '.join(bare)}", "profile them with --exportProfile")


def _counts(row: OperationRow) -> bool:
    """Views that are fused everywhere are nothing that can be chosen."""
    return any(time is not None and time.rule != FREE for time in row.times)


def _costs(own: Sequence[float | None]) -> list[float]:
    """Infinite for an engine of which a unit's time is not known; the base keeps what no other can be compared with."""
    if own[0] is None:
        return [0.0] + [math.inf] * (len(own) - 1)
    return [math.inf if ms is None else ms for ms in own]


def _borders(units: Units, cost: ConversionCost, count: int) -> Iterator[Border]:
    for (first, second), links in units.links.items():
        ends: list[dict[str, Link]] = [{} for _ in range(count)]
        for link in links:
            same = ends[link.engine].get(link.written.name)
            ends[link.engine][link.written.name] = link if same is None else replace(same, ms=same.ms + link.ms)
        crossing = [list(each.values()) for each in ends]
        rows = (tuple(_between(one, other, cost) for other in crossing) for one in crossing)
        yield Border(first, second, tuple(rows))


def _between(mine: Sequence[Link], theirs: Sequence[Link], cost: ConversionCost) -> float:
    """Of the tensors between two units, as one engine writes and the other reads them; one where only one has any."""
    if mine is theirs:
        return math.fsum(link.ms for link in mine)
    if not mine or not theirs:
        return cost.floor_ms
    return math.fsum(_conversion(one, other, cost) for one, other in zip(mine, theirs, strict=False))


def _conversion(one: Link, other: Link, cost: ConversionCost) -> float:
    """What one of the two engines does itself costs what it took there."""
    if is_alike(one.written, other.written):
        return other.ms
    return one.ms if is_alike(one.read, other.read) else cost.between(one.written, other.read)


@dataclass(frozen=True)
class _Chooser:
    """Each operation's choice from its unit's."""

    series: Series
    units: Units
    stretches: Stretches
    at_borders: Sequence[float]

    @cached_property
    def named(self) -> dict[int, str]:
        """The first operation of each unit."""
        found: dict[int, str] = {}
        for row in self.series.operations:
            if _counts(row):
                found.setdefault(self.unit_of(row), row.name)
        return found

    def unit_of(self, row: OperationRow) -> int:
        engine, time = next((place, time) for place, time in enumerate(row.times) if time is not None)
        return self.units.of[engine][time.places[0]]

    def choice(self, row: OperationRow) -> Choice:
        unit = self.unit_of(row)
        own = self.units.ms[unit]
        known = [place for place, ms in enumerate(own) if ms is not None]
        if own[0] is None or len(known) < 2:
            reason = "its layers have no time in the base" if own[0] is None else "no other engine has its layers timed"
            return Choice(row, Decision.UNDECIDED, 0, 0, unit, None, None, False, reason)
        alone = min(known, key=lambda place: (own[place], place))
        chosen = self.stretches.labels[unit]
        reason, is_close = self._reason(unit, chosen, alone, known)
        if origin_of(self.series.plans):
            reason = f"predicted: {reason}"
        decision = Decision.INCLUDE if chosen else Decision.EXCLUDE
        saving = own[0] - (own[chosen] or 0.0)
        found = Choice(row, decision, chosen, alone, unit, saving, self.at_borders[unit], is_close, reason)
        there = own[self.stretches.favorite]
        if chosen == self.stretches.favorite or there is None:
            return found
        return replace(found, gain_ms=there - (own[chosen] or 0.0), saved_ms=self.stretches.of(unit).border_ms)

    def _reason(self, unit: int, chosen: int, alone: int, known: Sequence[int]) -> tuple[str, bool]:
        """(why, whether it gains less than a profiler can tell)."""
        if chosen != self.stretches.favorite:
            return self._apart(unit, chosen)
        names, own = self.series.labels, self.units.ms[unit]
        if chosen == alone:
            if chosen:
                border = self.at_borders[unit]
                added = f", and {border:.4f} ms at its borders" if border else ""
                is_close = self._is_close(unit, 0, chosen)
                return f"{names[chosen]}: {own[0]:.4f} → {own[chosen]:.4f} ms{added}", is_close
            second = min((place for place in known if place), key=lambda place: (own[place], place))
            told = f"the base is the fastest ({own[0]:.4f} ms; {names[second]}: {own[second]:.4f} ms)"
            return told, self._is_close(unit, 0, second)
        times = f"({own[chosen]:.4f} → {own[alone]:.4f} ms)"
        if self._is_close(unit, chosen, alone):
            return f"{names[alone]} is no faster by itself than a profiler can tell {times}", True
        added_ms = self.stretches.moved((unit,), alone).border_ms
        faster = f"{names[alone]} is faster by itself {times}, but "
        if added_ms > NO_GAIN_MS:
            return f"{faster}not with the conversions at its borders ({added_ms:.4f} ms)", False
        return f"{faster}no mixture with it was found to take less", False

    def _apart(self, unit: int, chosen: int) -> tuple[str, bool]:
        """Why a unit is not taken from the engine that is the fastest alone."""
        stretch = self.stretches.of(unit)
        name = self.series.labels[stretch.against]
        own = self.units.ms[unit]
        mine, theirs = own[chosen], own[stretch.against]
        if mine is None or theirs is None or not math.isfinite(stretch.own_ms):
            return f"not all of its layers are timed in {name}", False
        told = f"{_than(theirs - mine, self._is_close(unit, chosen, stretch.against))} in {name}"
        counts = [self._layers(each, chosen, stretch.against) for each in stretch.units]
        beside = [self.named[each] for each in stretch.units if each != unit and each in self.named]
        if beside:
            more = f" and {len(beside) - 1} more" if len(beside) > 1 else ""
            together = _than(stretch.own_ms, abs(stretch.own_ms) <= STEP_MS * sum(counts)).rpartition(" ")[0]
            told += f"; with {beside[0]}{more} {together}"
        if stretch.border_ms > NO_GAIN_MS:
            told += f", saving {stretch.border_ms:.4f} ms of conversions"
        elif stretch.border_ms < -NO_GAIN_MS:
            told += f", for {-stretch.border_ms:.4f} ms more of conversions"
        return told, abs(stretch.own_ms + stretch.border_ms) <= STEP_MS * sum(counts)

    def _is_close(self, unit: int, one: int, other: int) -> bool:
        """Whether its layers' times in two engines differ by less than a profiler can tell."""
        own = self.units.ms[unit]
        return abs((own[one] or 0.0) - (own[other] or 0.0)) <= STEP_MS * self._layers(unit, one, other)

    def _layers(self, unit: int, *places: int) -> int:
        return max(self.units.layers[unit][place] for place in places)


def _than(gain_ms: float, is_close: bool) -> str:
    return "as fast as" if is_close else f"{abs(gain_ms):.4f} ms {'faster' if gain_ms > 0.0 else 'slower'} than"

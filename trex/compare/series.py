"""Several plans → Series: one base and the engines compared with it; what varies, and every time side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from trex.compare.aligning.alignment import LEAST_SHARE
from trex.compare.charge import Charges, OperationTime, charges_of, tells_work
from trex.compare.comparison import Comparison
from trex.compare.engine_facts import EngineFacts, facts_of, short_names, unique_names
from trex.compare.operations import NOT_CHARGED, module_among, module_key
from trex.compare.scaling import ScalingCurve, curves_of
from trex.compare.significance import Outcome
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.perf.device import Device
from trex.plan.engine_plan import EnginePlan

WHOLE = "(whole engine)"


class Kind(Enum):
    """What tells the engines of a series apart; the value is what people read."""

    BATCH = "batch size"
    SHAPES = "input shapes"
    PRECISION = "precision"
    VERSION = "TensorRT version"
    GPU = "GPU"
    SEVERAL = "several engines"

    __hash__ = object.__hash__


_FACTS = {
    Kind.BATCH: frozenset({"input shapes"}),
    Kind.SHAPES: frozenset({"input shapes"}),
    Kind.VERSION: frozenset({"TensorRT"}),
    Kind.GPU: frozenset({"GPU", "SMs", "highest clock (GHz)", "memory clock (GHz)", "clock during the run (MHz)"}),
}


@dataclass(frozen=True, slots=True)
class OperationRow:
    """One operation of the original model in every engine. name: that of the first engine that names it, the base
    before all. times: one per engine, None where it names no such operation.
    """

    name: str
    kind: str
    module: str
    times: tuple[OperationTime | None, ...]

    @property
    def ms(self) -> tuple[float | None, ...]:
        return tuple(None if each is None or not each.is_known else each.ms for each in self.times)


class Series:
    """base and others: the plans. Speed-ups are base over other, above 1 when the other is faster.

    device: for all, else what each engine's files name. names: of the engines, each once; labels: shorter, for people.
    Raises TrexError without any other engine.
    """

    def __init__(self, base: EnginePlan, others: Sequence[EnginePlan], device: Device | None = None) -> None:
        if not others:
            raise TrexError("there is only one engine: nothing to compare it with", "name at least two")
        self.plans: tuple[EnginePlan, ...] = (base, *others)
        self.names = unique_names(self.plans)
        self.labels = short_names(self.names)
        first = Comparison(base, others[0], device)
        more = [Comparison(base, other, device, first.left_performance) for other in others[1:]]
        self.comparisons: tuple[Comparison, ...] = (first, *more)

    @cached_property
    def facts(self) -> tuple[EngineFacts, ...]:
        """One per engine, the base first."""
        performances = (self.comparisons[0].left_performance, *(each.right_performance for each in self.comparisons))
        return tuple(facts_of(each, name) for each, name in zip(performances, self.names, strict=True))

    @cached_property
    def varying(self) -> tuple[Kind, ...]:
        """The facts in which engines differ, of those that all of them tell."""
        facts = self.facts
        told: dict[Kind, list[object]] = {
            Kind.BATCH: [each.batch for each in facts],
            Kind.SHAPES: [each.shapes for each in facts],
            Kind.PRECISION: [each.precision for each in facts],
            Kind.VERSION: [each.version for each in facts],
            Kind.GPU: [each.gpu for each in facts],
        }
        return tuple(kind for kind, values in told.items() if None not in values and len(set(values)) > 1)

    @cached_property
    def unlike(self) -> tuple[str, ...]:
        """Names of the engines that hardly correspond to the base: they may be of another model."""
        pairs = zip(self.names[1:], self.comparisons, strict=True)
        return tuple(name for name, each in pairs if not each.alignment.matched_share >= LEAST_SHARE)

    @property
    def kind(self) -> Kind:
        """The one fact that varies, SEVERAL when there are more or none, or the engines are of different models."""
        if self.unlike:
            return Kind.SEVERAL
        return self.varying[0] if len(self.varying) == 1 else Kind.SEVERAL

    @property
    def expected(self) -> frozenset[str]:
        """Facts of the runs that differ because the series is over them."""
        return _FACTS.get(self.kind, frozenset())

    @property
    def sentence(self) -> str:
        """Which series it is, in words."""
        if self.kind is not Kind.SEVERAL:
            values = [str(self._value(each, self.kind)) for each in self.facts]
            return f"A series over {self.kind.value}: {', '.join(values)}."
        if self.unlike:
            return f"{len(self.plans)} engines; perhaps of another model than the base: {', '.join(self.unlike)}."
        if not self.varying:
            return f"{len(self.plans)} engines that differ in no fact that all of them tell."
        return f"{len(self.plans)} engines that differ in {' and '.join(each.value for each in self.varying)}."

    @cached_property
    def charges(self) -> tuple[Charges, ...]:
        """Of each engine; in equal parts where one of them tells names alone."""
        if not all(map(tells_work, self.plans)):
            performances = (
                self.comparisons[0].left_performance,
                *(each.right_performance for each in self.comparisons),
            )
            return tuple(charges_of(performance, is_weighed=False) for performance in performances)
        return (self.comparisons[0].left_charges, *(each.right_charges for each in self.comparisons))

    @cached_property
    def operations(self) -> tuple[OperationRow, ...]:
        """Every operation once, those of the base first, then what only others name."""
        count = len(self.plans)
        rows: dict[str, tuple[OperationRow, list[OperationTime | None]]] = {}
        for place, comparison in enumerate(self.comparisons, 1):
            for change in comparison.operations:
                is_based = change.left is not None
                key = f"{'base' if is_based else 'new'} {change.name}"
                if key not in rows:
                    times: list[OperationTime | None] = [None] * count
                    times[0] = change.left
                    rows[key] = (OperationRow(change.name, change.kind, "", ()), times)
                rows[key][1][place] = change.right
        based = [rows[key] for key in rows if key.startswith("base ")]
        added = [rows[key] for key in rows if key.startswith("new ")]
        return tuple(replace(row, module=module_among(times), times=tuple(times)) for row, times in (*based, *added))

    @cached_property
    def module_ms(self) -> dict[str, tuple[float | None, ...]]:
        """{module: operations' and boundaries' time per engine}; None where a part of it was not timed, or the engine
        has nothing there. What is not charged is a row; the rows sum to each engine's layers.
        """
        sums: dict[str, list[list[float]]] = {}
        unknown: set[tuple[str, int]] = set()
        modules: list[dict[str, str]] = [{} for _ in self.plans]

        def add(key: str, place: int, ms: float | None) -> None:
            seats = sums.setdefault(key, [[] for _ in self.plans])
            seats[place].append(ms or 0.0)
            if ms is None:
                unknown.add((key, place))

        for row in self.operations:
            for place, time in enumerate(row.times):
                if time is not None:
                    modules[place][time.name] = row.module
                    add(module_key(row.module), place, time.ms)
                    if not time.is_known:
                        unknown.add((module_key(row.module), place))
        for place, charges in enumerate(self.charges):
            for boundary in charges.boundaries:
                module = modules[place].get(boundary.serves, "") or boundary.module
                add(module_key(module), place, boundary.ms)
            for each in charges.uncharged:
                add(NOT_CHARGED, place, each.ms)
        return {
            key: tuple(
                math.fsum(part) if part and (key, place) not in unknown else None for place, part in enumerate(parts)
            )
            for key, parts in sums.items()
        }

    @cached_property
    def scaling(self) -> tuple[ScalingCurve, ...]:
        """Time over batch of the whole engine and of each module, the longest at the largest batch first; () where the
        series is no pure one of batch sizes, each once.
        """
        batches = [each.batch for each in self.facts]
        if self.kind is not Kind.BATCH or len(set(batches)) < len(batches):
            return ()
        known = [batch for batch in batches if batch is not None]
        whole = {WHOLE: [each.main_ms for each in self.facts]}
        curves = curves_of(known, {**whole, **self.module_ms})
        return tuple(sorted(curves, key=lambda each: (each.name != WHOLE, -(each.ms[-1] or 0.0))))

    @cached_property
    def steps(self) -> tuple[tuple[str, tuple[float, ...]], ...]:
        """(cause, its difference in ms from the base to each other engine), the largest first; 0.0 where it did not
        occur. Per engine the steps sum to the difference of its waterfall.
        """
        found: dict[str, list[float]] = {}
        for place, comparison in enumerate(self.comparisons):
            for step in comparison.waterfall.steps:
                found.setdefault(step.name, [0.0] * len(self.comparisons))[place] += step.difference_ms
        return tuple(
            (name, tuple(values)) for name, values in sorted(found.items(), key=lambda one: -max(map(abs, one[1])))
        )

    def per_item(self, place: int) -> tuple[float | None, float | None, Outcome]:
        """(speed-up per item of the batch of the engine at ``place`` in ``comparisons``, half the width of its 95 %
        interval in percent, None of predictions, outcome): the speed-up of the whole times the ratio of the batches.
        """
        comparison = self.comparisons[place]
        found = comparison.per_item
        if found is None:
            return None, None, Outcome.UNKNOWN
        return found.speedup, comparison.main.margin_pct, found.outcome

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """The comparisons' notes, each with the engine it is of; and how far the series is one."""
        found = []
        for name, comparison in zip(self.names[1:], self.comparisons, strict=True):
            found += [replace(note, message=f"{name}: {note.message}") for note in comparison.notes]
        return tuple(dict.fromkeys(found))

    @staticmethod
    def _value(facts: EngineFacts, kind: Kind) -> object:
        values = {
            Kind.BATCH: facts.batch,
            Kind.SHAPES: facts.shapes,
            Kind.PRECISION: facts.precision,
            Kind.VERSION: facts.version,
            Kind.GPU: facts.gpu,
        }
        return values.get(kind)

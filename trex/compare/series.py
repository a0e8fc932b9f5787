"""EngineSeries: one base and the engines compared with it, what varies among them, and every time side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import chain, islice

from trex.compare.engine_facts import EngineFacts, facts_of, short_names, unique_names
from trex.compare.layer_times import by_one_statistic
from trex.compare.machine_shift import NAME as MACHINE_SPEED
from trex.compare.matching.match import LEAST_SHARE
from trex.compare.one_engine import check_runs
from trex.compare.operation_times import OperationTime, OperationTimes, has_tensors, operation_times_of
from trex.compare.operations import module_among, module_times
from trex.compare.plan_diff import PlanDiff
from trex.compare.scaling import ScalingCurve, curves_of
from trex.compare.significance import SpeedOutcome
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.perf.batch import batch_size
from trex.perf.device import Device
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan

WHOLE = "(whole engine)"


COMPUTE = "GPU compute"
_MAIN_TIMES = {COMPUTE: "compute_ms", "latency": "latency_ms", "sum of layer times": "layers_ms"}


class SeriesKind(Enum):
    """What varies among the engines of a series."""

    BATCH = "batch size"
    SHAPES = "input shapes"
    PRECISION = "precision"
    VERSION = "TensorRT version"
    GPU = "GPU"
    SEVERAL = "several engines"

    __hash__ = object.__hash__


_FACT_OF = {
    SeriesKind.BATCH: "batch",
    SeriesKind.SHAPES: "shapes",
    SeriesKind.PRECISION: "precision",
    SeriesKind.VERSION: "version",
    SeriesKind.GPU: "gpu",
}
_EXPECTED_SETTINGS = {
    SeriesKind.BATCH: frozenset({"input shapes"}),
    SeriesKind.SHAPES: frozenset({"input shapes"}),
    SeriesKind.VERSION: frozenset({"TensorRT"}),
    SeriesKind.GPU: frozenset(
        {MACHINE_SPEED, "GPU", "SMs", "max clock (GHz)", "memory clock (GHz)", "measured clock (MHz)"}
    ),
}


@dataclass(frozen=True, slots=True)
class OperationRow:
    """One operation of the original model in every engine. name: that of the first engine that names it. times: one per
    engine, None if it does not name the operation.
    """

    name: str
    kind: str
    module: str
    times: tuple[OperationTime | None, ...]

    @property
    def ms(self) -> tuple[float | None, ...]:
        return tuple(None if time is None or not time.is_known else time.ms for time in self.times)


class EngineSeries:
    """base and others: the plans. Speed-ups are base over other, above 1 if the other is faster.

    device: for all, by default what each engine's files name. names: unique names of the engines; labels: shorter ones.
    repeats: further runs of each engine, the base's first; by default none. Raises TrexError without other engines, and
    for runs that are not of one engine.
    """

    def __init__(
        self,
        base: EnginePlan,
        others: Sequence[EnginePlan],
        device: Device | None = None,
        repeats: Sequence[Sequence[EnginePlan]] = (),
    ) -> None:
        if not others:
            raise TrexError("there is only one engine: nothing to compare it with", "name at least two")
        every = iter(by_one_statistic((base, *others, *chain.from_iterable(repeats))))
        self.plans: tuple[EnginePlan, ...] = tuple(islice(every, 1 + len(others)))
        self.names = unique_names(self.plans)
        self.labels = short_names(self.names)
        again = [tuple(islice(every, len(own))) for own in repeats]
        again += [()] * (len(self.plans) - len(again))
        base, others = self.plans[0], self.plans[1:]
        first = PlanDiff(base, others[0], device, None, again[0], again[1])
        more = [
            PlanDiff(base, other, device, first.left_performance, again[0], own)
            for other, own in zip(others[1:], again[2:], strict=True)
        ]
        self.comparisons: tuple[PlanDiff, ...] = (first, *more)
        check_runs((first.left_performance, *first.repeats[0]))
        for diff in self.comparisons:
            check_runs((diff.right_performance, *diff.repeats[1]))
        every_new = [(name, diff.runs[1][1]) for name, diff in zip(self.names[1:], self.comparisons, strict=True)]
        for index, diff in enumerate(self.comparisons):
            diff.rivals = every_new[:index] + every_new[index + 1 :]

    @cached_property
    def performances(self) -> tuple[Performance, ...]:
        """One per engine, the base first."""
        return (self.comparisons[0].left_performance, *(diff.right_performance for diff in self.comparisons))

    @cached_property
    def facts(self) -> tuple[EngineFacts, ...]:
        """One per engine, the base first."""
        base = facts_of(self.performances[0], self.names[0])
        others = zip(self.comparisons, self.names[1:], strict=True)
        return (
            base,
            *(
                facts_of(diff.right_performance, name, base.precision if diff.has_same_work else None)
                for diff, name in others
            ),
        )

    @cached_property
    def main_times(self) -> tuple[str, tuple[float | None, ...]]:
        """(quantity, its time in ms per engine): the first of GPU compute, latency and the sum of layer times that more
        than half of the engines have, else the one that most have. One for all: two of them make no curve.
        """
        times = {name: tuple(getattr(facts, key) for facts in self.facts) for name, key in _MAIN_TIMES.items()}
        known = {name: len(values) - values.count(None) for name, values in times.items()}
        most = (name for name, count in known.items() if 2 * count > len(self.facts))
        name = next(most, max(known, key=known.__getitem__))
        return name, times[name]

    @property
    def item_ms(self) -> tuple[float | None, ...]:
        """``main_times`` per item of the batch, one per engine; None without a known batch."""
        pairs = zip(self.facts, self.main_times[1], strict=True)
        return tuple(ms / facts.batch if ms is not None and facts.batch else None for facts, ms in pairs)

    @cached_property
    def varying(self) -> tuple[SeriesKind, ...]:
        """The facts in which engines differ, if they are known for all engines."""
        values = {kind: self._values(kind) for kind in _FACT_OF}
        return tuple(kind for kind, facts in values.items() if None not in facts and len(set(facts)) > 1)

    def _values(self, kind: SeriesKind) -> list[object]:
        return [getattr(facts, _FACT_OF[kind]) for facts in self.facts]

    @cached_property
    def other_models(self) -> tuple[str, ...]:
        """Names of the engines that may be of another model than the base: few of their layers match."""
        pairs = zip(self.names[1:], self.comparisons, strict=True)
        return tuple(name for name, diff in pairs if not diff.alignment.matched_share >= LEAST_SHARE)

    @cached_property
    def withheld(self) -> dict[int, str]:
        """{index in ``comparisons``: why no causes follow}, of other models or machines than the base's."""
        return {index: diff.withheld for index, diff in enumerate(self.comparisons) if diff.withheld}

    @property
    def kind(self) -> SeriesKind:
        """The one fact that varies; SEVERAL if none or several vary, or the engines are of different models."""
        if self.other_models:
            return SeriesKind.SEVERAL
        return self.varying[0] if len(self.varying) == 1 else SeriesKind.SEVERAL

    @property
    def expected(self) -> frozenset[str]:
        """Run settings that differ because the series varies them."""
        return _EXPECTED_SETTINGS.get(self.kind, frozenset())

    @property
    def sentence(self) -> str:
        """What varies, in words."""
        count = f"{len(self.plans)} engines"
        if self.kind is not SeriesKind.SEVERAL:
            return f"A series over {self.kind.value}: {', '.join(map(str, self._values(self.kind)))}."
        if self.other_models:
            return f"{count}; perhaps of another model than the base: {', '.join(self.other_models)}."
        if not self.varying:
            return f"{count} with the same batch, precision, TensorRT version and GPU, as far as recorded."
        return f"{count} that differ in {' and '.join(kind.value for kind in self.varying)}."

    @cached_property
    def operation_times(self) -> tuple[OperationTimes, ...]:
        """One per engine; in equal shares if one engine's files contain layer names only."""
        if not all(map(has_tensors, self.plans)):
            return tuple(operation_times_of(performance, is_weighted=False) for performance in self.performances)
        first = self.comparisons[0].left_operation_times
        return (first, *(diff.right_operation_times for diff in self.comparisons))

    @cached_property
    def operations(self) -> tuple[OperationRow, ...]:
        """Every operation once: those of the base first, then those that only others name."""
        rows: dict[tuple[bool, str], tuple[str, list[OperationTime | None]]] = {}
        for engine, diff in enumerate(self.comparisons, 1):
            for change in diff.operations:
                key = (change.left is None, change.name)
                if key not in rows:
                    rows[key] = (change.kind, [change.left, *[None] * len(self.comparisons)])
                rows[key][1][engine] = change.right
        return tuple(
            OperationRow(name, kind, module_among(times), tuple(times))
            for (_, name), (kind, times) in sorted(rows.items(), key=lambda row: row[0][0])
        )

    @cached_property
    def module_ms(self) -> dict[str, tuple[float | None, ...]]:
        """{module: time of its operations and conversions per engine}; None if a part was not timed or the engine has
        nothing there. The rows, with one for what is not attributed, add up to each engine's layer times.
        """
        rows = module_times(((row.module, row.times) for row in self.operations), self.operation_times)
        return {key: tuple(map(row.ms, range(len(self.plans)))) for key, row in rows.items()}

    @cached_property
    def scaling(self) -> tuple[ScalingCurve, ...]:
        """Time over batch of the whole engine and of each module, the longest at the largest batch first; () unless
        the series varies only the batch size, without repeating one.
        """
        batches = [batch_size(plan) for plan in self.plans]
        if len(set(batches)) < len(batches) or self.kind is not SeriesKind.BATCH:
            return ()
        known = [batch for batch in batches if batch is not None]
        curves = curves_of(known, {WHOLE: self.main_times[1], **self.module_ms})
        return tuple(sorted(curves, key=lambda curve: (curve.name != WHOLE, -(curve.ms[-1] or 0.0))))

    @cached_property
    def steps(self) -> tuple[tuple[str, tuple[float, ...]], ...]:
        """(cause, its contribution in ms from the base to each other engine), the largest first; 0.0 if it did not
        occur. Per engine they add up to the difference of its waterfall.
        """
        contributions: dict[str, list[float]] = {}
        for engine, diff in enumerate(self.comparisons):
            for step in diff.waterfall.steps:
                row = contributions.setdefault(step.name, [0.0] * len(self.comparisons))
                row[engine] += step.difference_ms
        ordered = sorted(contributions.items(), key=lambda item: -max(map(abs, item[1])))
        return tuple((name, tuple(values)) for name, values in ordered)

    def per_item(self, index: int) -> tuple[float | None, SpeedOutcome]:
        """(speed-up per item of the batch, outcome) of the engine at ``index`` in ``comparisons``."""
        per_item = self.comparisons[index].per_item
        return (None, SpeedOutcome.UNKNOWN) if per_item is None else (per_item.speedup, per_item.outcome)

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """The comparisons' notes, each with its engine's name."""
        notes = []
        for name, diff in zip(self.names[1:], self.comparisons, strict=True):
            notes += [replace(note, message=f"{name}: {note.message}") for note in diff.notes]
        return tuple(dict.fromkeys(notes))

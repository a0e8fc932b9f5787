"""PlanDiff: what changed between two engines, why, and whether it is significant; each part on first use."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, islice

from trex.compare.causes import Cause, Change, changes_of
from trex.compare.layer_noise import scatter_of
from trex.compare.layer_times import AVERAGES, STEP_MS, by_one_statistic
from trex.compare.machine_shift import MachineShift, machine_shift_of
from trex.compare.matching.align import align
from trex.compare.matching.match import SAME_MODEL_SHARE, Alignment
from trex.compare.metric import METRICS, metric_value
from trex.compare.metrics.p99 import UNKNOWN_WARM_UP
from trex.compare.operation_times import OperationTimes, has_tensors, operation_times_of
from trex.compare.operation_weights import REGION
from trex.compare.operations import ModuleChange, OperationChange, module_changes, operation_changes
from trex.compare.other_outputs import other_outputs
from trex.compare.parity import Parity, parity_of
from trex.compare.per_item import PerItem, per_item_of
from trex.compare.prediction import PredictedSpeedup
from trex.compare.run_settings import SHAPES, SettingSeverity
from trex.compare.significance import Significance, SpeedOutcome, significance_of
from trex.compare.two_runs import UnsharedGrowth, copied_profiles, copied_queries, two_runs, unshared_growth
from trex.compare.waterfall import Waterfall, waterfall_of
from trex.core.counted import counted
from trex.core.layer import Layer
from trex.core.note import Note
from trex.core.signed import signed
from trex.core.significant import significant
from trex.perf.batch import batch_size
from trex.perf.device import Device
from trex.perf.performance import Performance
from trex.perf.samples.plan_samples import COLUMNS
from trex.plan.engine_plan import EnginePlan

OTHER_UNIT = "other-unit-than-base"
_UNIT = 0.5
"""Of a thousand, as a decimal logarithm: 316 to 3160 times."""


class PlanDiff:
    """left: the base. right: the new engine. Speed-ups are left over right time, above 1 if the right is faster;
    differences are right minus left in milliseconds, negative is faster.

    device: for both sides, by default what each side's files name. left_performance: of the left on that device, if it
    was computed before. left_repeats, right_repeats: further runs of the same engines; the spread between runs then
    decides what is significant, and layers are those of ``left`` and ``right``.
    """

    def __init__(
        self,
        left: EnginePlan,
        right: EnginePlan,
        device: Device | None = None,
        left_performance: Performance | None = None,
        left_repeats: Sequence[EnginePlan] = (),
        right_repeats: Sequence[EnginePlan] = (),
    ) -> None:
        self.left, self.right, *repeats = by_one_statistic((left, right, *left_repeats, *right_repeats))
        if left_performance is None or left_performance.plan is not self.left:
            left_performance = Performance(self.left, device)
        self.left_performance: Performance = left_performance
        self.right_performance = self.left_performance if self.right is self.left else Performance(self.right, device)
        again = tuple(Performance(plan, device) for plan in repeats)
        self.repeats = again[: len(left_repeats)], again[len(left_repeats) :]
        self.rivals: Sequence[tuple[str, Sequence[Performance]]] = ()

    @cached_property
    def parity(self) -> Parity:
        """Whether the runs are comparable."""
        return parity_of(self.left_performance, self.right_performance, self.machine)

    @cached_property
    def alignment(self) -> Alignment:
        """Which layers match."""
        return align(self.left, self.right)

    @cached_property
    def machine(self) -> MachineShift | None:
        """By how much unchanged kernels shifted; None with too few of them, and if only one side is simulated: that
        difference is the prediction's error.
        """
        origins = {plan.provenance.has_predicted_times for plan in (self.left, self.right)}
        return machine_shift_of(self._changes) if len(origins) == 1 else None

    @cached_property
    def layer_scatter(self) -> float | None:
        """As ``scatter_of``."""
        return scatter_of(self.changes)

    @property
    def is_other_model(self) -> bool:
        """Whether so few layers match that the engines are of different models.

        A region hides most of its nodes, so few may match of one model: with one, inputs and outputs must differ, too.
        """
        if not (
            self.left.working_layers and self.right.working_layers and self.alignment.matched_share < SAME_MODEL_SHARE
        ):
            return False
        has_region = any(
            REGION in layer.name_parts.fusion for plan in (self.left, self.right) for layer in plan.working_layers
        )
        return not has_region or _bindings(self.left) != _bindings(self.right)

    @property
    def has_same_work(self) -> bool:
        """Whether the layers match in pairs that compute in the same type on the same shapes."""
        left, right = self.left.working_layers, self.right.working_layers
        return all(
            len(match.left) == len(match.right)
            and all(_work_of(left[one]) == _work_of(right[other]) for one, other in zip(match.left, match.right))
            for match in self.alignment.matches
        )

    @property
    def is_other_machine(self) -> bool:
        """Whether unchanged kernels shifted too much for a verdict or causes."""
        return self.machine is not None and self.machine.is_large

    @property
    def withheld(self) -> str:
        """Why no causes, precisions or best of each follow, in one sentence; "" if they do."""
        if self.is_other_model:
            share = 100.0 * self.alignment.matched_share
            return f"Different models: only {share:.0f} % of the layers match."
        if self.machine is not None and self.machine.is_large:
            return f"The machines or their clocks differ: {self.machine.words}."
        return ""

    @cached_property
    def significances(self) -> dict[str, Significance]:
        """{column: change and its significance} for every per-query time that a side has, always including GPU compute
        and latency. Unknown if the machines differ, or the times of a side can't be trusted.
        """
        reason = "the machines or their clocks differ" if self.is_other_machine else ""
        if self.contradicted:
            reason = f"the times of {self.contradicted[0].message.partition(':')[0]} can't be trusted"
        if not reason:
            return self._significances
        return {
            key: item
            if item.outcome is SpeedOutcome.UNKNOWN
            else replace(item, outcome=SpeedOutcome.UNKNOWN, reason=reason)
            for key, item in self._significances.items()
        }

    @cached_property
    def _significances(self) -> dict[str, Significance]:
        """By the samples alone."""
        columns = {*self.left_performance.samples.columns, *self.right_performance.samples.columns}
        columns |= {"computeMs", "latencyMs"}
        keys = [key for key in COLUMNS if key in columns]
        sides = self.left_performance, self.right_performance
        return {key: significance_of(*sides, key, self.repeats) for key in keys}

    @cached_property
    def main(self) -> Significance:
        """The headline: GPU compute, or latency if only that is known on both sides."""
        return _headline(self.significances)

    @cached_property
    def per_item(self) -> PerItem | None:
        """``main`` per item of the batch; None if a batch is unknown."""
        return per_item_of(self.main, batch_size(self.left), batch_size(self.right))

    @property
    def prediction(self) -> PredictedSpeedup | None:
        """Set if a side is simulated, None if both were measured."""
        return self.main.prediction

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """One per match, with its cause unless causes are withheld."""
        if not self.withheld:
            return self._changes
        return tuple(replace(change, cause=Cause.WITHHELD) for change in self._changes)

    @cached_property
    def _changes(self) -> tuple[Change, ...]:
        return changes_of(self.alignment)

    @cached_property
    def waterfall(self) -> Waterfall:
        """The whole difference by causes."""
        left, right = (side.reconciliation.measures.compute for side in (self.left_performance, self.right_performance))
        layers = len(self.left.working_layers), len(self.right.working_layers)
        return waterfall_of(self.changes, left, right, layers, self.machine)

    @cached_property
    def left_operation_times(self) -> OperationTimes:
        """The left's time by ONNX operation; in equal shares if one side's files contain layer names only."""
        return operation_times_of(self.left_performance, self._is_weighted)

    @cached_property
    def right_operation_times(self) -> OperationTimes:
        if self.right is self.left:
            return self.left_operation_times
        return operation_times_of(self.right_performance, self._is_weighted)

    @cached_property
    def _is_weighted(self) -> bool:
        return has_tensors(self.left) and has_tensors(self.right)

    @cached_property
    def operations(self) -> tuple[OperationChange, ...]:
        """The time of each ONNX operation on both sides, in the left's order."""
        return operation_changes(self.alignment, self.left_operation_times, self.right_operation_times)

    @cached_property
    def modules(self) -> tuple[ModuleChange, ...]:
        """Operations and conversions by module, the largest difference first; they add up to the layer times."""
        return module_changes(self.operations, self.left_operation_times, self.right_operation_times)

    @cached_property
    def contradicted(self) -> tuple[Note, ...]:
        """Problems of either side's times: what its own files contradict, or the other side, cannot be compared."""
        own = self._of_sides(lambda run: run.contradicted)
        if own or self.is_other_model:
            return (*own, *self._other_unit())
        (_, bases), (_, news) = self.runs
        pairs = [*((bases[0], new) for new in news), *((base, news[0]) for base in bases[1:])]
        copied = (copied_queries(runs, news, name) for name, runs in (("base", bases), *self.rivals))
        between = next(chain(*copied, *(two_runs(*pair) for pair in pairs)), None)
        return (*self._other_unit(), *(() if between is None else (between,)))

    @cached_property
    def unshared_growth(self) -> UnsharedGrowth | None:
        """Layers that grew without GPU compute, or the reverse: the times of one side may be of two runs."""
        has_doubts = self.contradicted or self.lost or self._doubts_of("enqueue") or self.prediction is not None
        if has_doubts or self.is_other_model or self.parity.of(SettingSeverity.CRITICAL):
            return None
        (_, bases), (_, news) = self.runs
        return unshared_growth(bases, news, (1.0, self.machine.correction) if self.machine else (1.0,))

    def _other_unit(self) -> Iterator[Note]:
        main = _headline(self._significances)
        left, right = main.left_ms, main.right_ms
        if left is None or right is None:
            left, right = (metric_value("layer-sum", side) for side in (self.left_performance, self.right_performance))
        if not left or not right or not 0.0 < min(left, right) <= max(left, right) < math.inf or self.is_other_model:
            return
        if abs(abs(math.log10(right) - math.log10(left)) - 3.0) < _UNIT and batch_size(self.left) == batch_size(
            self.right
        ):
            words = (
                f"{significant(right, 3)} ms, where base has {significant(left, 3)} ms, as if one were in another unit"
            )
            hint = "trtexec writes ms: export the times of both again"
            yield Note(OTHER_UNIT, f"new: {words}", hint, self.right.engine.source, "problem")

    @cached_property
    def lost(self) -> tuple[Note, ...]:
        """Problems by which layers of either side, or their times, are missing."""
        return self._of_sides(lambda run: run.lost)

    @cached_property
    def wrong_layer_times(self) -> tuple[Note, ...]:
        """Problems that leave no time of a layer of either side to be believed, while those of the run may be."""
        return self._of_sides(lambda run: run.wrong_layer_times)

    @cached_property
    def doubted(self) -> tuple[Note, ...]:
        """Problems that leave single metrics of either side unknown: its files contradict one value, not all times."""
        codes = {code for plug in METRICS.values() for code in plug.value.doubts}
        own = self._of_sides(
            lambda run: [note for note in run.notes if note.severity == "problem" and note.code in codes]
        )
        (_, bases), (_, news) = self.runs
        copied = (copied_profiles(runs, news, name) for name, runs in (("base", bases), *self.rivals))
        return (*own, *self._unknown_warm_up(), *islice(chain(*copied), 1))

    @property
    def layer_doubts(self) -> tuple[Note, ...]:
        """Problems by which times of single layers of either side are unknown, wrong or missing."""
        return (*self.contradicted, *self.lost, *self._doubts_of("layer"))

    def _doubts_of(self, metric: str) -> list[Note]:
        codes = METRICS[metric].value.doubts
        return [note for note in self.doubted if note.code in codes]

    @cached_property
    def too_fast(self) -> tuple[Note, ...]:
        """Warnings of layers of either side that were faster than the device can be."""
        return self._of_sides(lambda run: run.too_fast)

    def _unknown_warm_up(self) -> Iterator[Note]:
        """Warm-up queries of one side only: they are the slowest, which a percentile is of."""
        times = [(side, runs[0].plan.query_times) for side, runs in self.runs]
        known = [(side, queries) for side, queries in times if queries is not None and len(queries)]
        rows = [queries.warm_up_rows for _, queries in known]
        if len(rows) == 2 and None in rows and max(row or 0 for row in rows) > 0:
            side, queries = next((side, queries) for side, queries in known if queries.warm_up_rows is None)
            message = f"{side}: its warm-up is unknown, that of the other run was left out"
            hint = "keep trtexec's log or metadata of the run next to its times"
            yield Note(UNKNOWN_WARM_UP, message, hint, queries.source, "problem")

    @property
    def runs(self) -> tuple[tuple[str, tuple[Performance, ...]], ...]:
        """(side, all its runs)."""
        return (
            ("base", (self.left_performance, *self.repeats[0])),
            ("new", (self.right_performance, *self.repeats[1])),
        )

    def _of_sides(self, notes: Callable[[Performance], Iterable[Note]]) -> tuple[Note, ...]:
        return tuple(
            replace(note, message=f"{side}: {note.message}")
            for side, runs in self.runs
            for note in dict.fromkeys(note for run in runs for note in notes(run))
        )

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """Problems and warnings of either side's files, few matched layers, layers too fast for the device, missing or
        partly unknown layer times, measured versus predicted times.
        """
        problems = self._of_sides(lambda run: [note for note in run.notes if note.severity == "problem"])
        warnings = self._of_sides(lambda run: [note for note in run.notes if note.severity == "warning"])
        doubts = dict.fromkeys((*self.contradicted, *problems, *self.doubted, *self.too_fast, *warnings))
        notes = [*doubts, *self.alignment.notes]
        notes += [] if self.unshared_growth is None else [self.unshared_growth.note]
        if not any(item.name == SHAPES for item in self.parity.of(SettingSeverity.CRITICAL)):
            notes += other_outputs(self.left, self.right)
        notes += {note: None for plan in (self.left, self.right) for note in plan.notes if note.code == AVERAGES}
        for side, plan in (("base", self.left), ("new", self.right)):
            if not plan.is_profiled:
                message = f"no layer profile in {side}: can't tell where its time goes"
                notes.append(Note("no-profile", message, "profile it with --exportProfile", plan.engine.source))
        if self.main.runs is not None:
            for (side, runs), count in zip(self.runs, self.main.runs.counts, strict=True):
                if count < len(runs):
                    rest = f"{len(runs) - count} of {counted(len(runs), 'run')}"
                    message = f"{side}: the speed-up is without {rest}, whose {self.main.label} is unknown"
                    notes.append(Note("runs-without-times", message, "keep the times of every run, or leave it out"))
        if self.prediction is not None and self.prediction.is_mixed:
            message = f"{self.prediction.origin}: the difference includes the prediction error"
            notes.append(Note("unlike-origins", message, "compare two measured or two simulated engines"))
        zeros = sum(change.is_known and change.match.is_matched and _is_zero_once(change) for change in self.changes)
        if zeros:
            message = f"{zeros} of {len(self.changes)} layer groups take 0 ms in one engine only, which may be an error"
            notes.append(Note("zero-times", message, "profile that engine again"))
        if self.waterfall.unknown:
            message = f"{self.waterfall.unknown} of {len(self.changes)} layer groups contain layers without a time"
            notes.append(Note("unknown-times", message, "no sum includes them", "", "info"))
        return tuple(notes)

    @property
    def verdict(self) -> str:
        """Which engine is faster and whether that is significant, in one sentence; per item if the batches differ."""
        return self.verdicts[0]

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The verdict; if the batches differ, per item and then per inference; without a median, by layer times.

        Of different models or machines first that, and then the times without a verdict.
        """
        fall = self.waterfall
        times = [] if self.main.speedup is None else [self.main.times]
        if self.main.speedup is None and fall.is_known and not fall.unknown:
            change_pct = 100.0 * fall.difference_ms / fall.left_ms
            times = [f"Sum of layer times {fall.left_ms:.4g} → {fall.right_ms:.4g} ms ({signed(change_pct)} %)"]
        if self.withheld:
            missing = "no causes follow" if self.is_other_model else "no speed-up and no causes follow"
            figures = f" {'. '.join(times)}: {missing}." if times else f" {missing.capitalize()}."
            return self.withheld, figures.strip()
        sentences = [change.sentence for change in (self.per_item, self.main) if change is not None]
        if self.main.speedup is None:
            sentences += [f"{words}." for words in times]
        return tuple(dict.fromkeys(sentences))

    def layers_of(self, change: Change) -> tuple[tuple[Layer, ...], tuple[Layer, ...]]:
        """The layers of both sides."""
        match = change.match
        left = tuple(self.left.working_layers[index] for index in match.left)
        return left, tuple(self.right.working_layers[index] for index in match.right)

    def roofline_pct(self, change: Change) -> tuple[float | None, float | None]:
        """Roofline time over the measured time of both sides, in percent; None if one is unknown."""
        if not change.is_known:
            return None, None
        sides = zip(self.summed(change, "attainable_ms"), (change.left_ms, change.right_ms), strict=True)
        left, right = (100.0 * least / ms if least and ms > 0.0 else None for least, ms in sides)
        return left, right

    def summed(self, change: Change, column: str) -> tuple[float | None, float | None]:
        """A column of ``perf.Roofline`` (``macs``, ``bytes_moved``) summed over the layers of both sides; None if a
        layer's value is unknown or there is no layer.
        """
        sums = []
        for performance, indexes in (
            (self.left_performance, change.match.left),
            (self.right_performance, change.match.right),
        ):
            total = float(getattr(performance.roofline, column)[list(indexes)].sum()) if indexes else float("nan")
            sums.append(total if total == total else None)
        return sums[0], sums[1]


def _headline(changes: Mapping[str, Significance]) -> Significance:
    compute, latency = changes["computeMs"], changes["latencyMs"]
    return latency if compute.speedup is None and latency.speedup is not None else compute


def _bindings(plan: EnginePlan) -> set[tuple[str, bool | None, object]]:
    """Inputs and outputs with their shapes without the batch."""
    tensors = ((binding, binding.tensor) for binding in plan.engine.bindings)
    return {
        (binding.name, binding.is_input, None if tensor is None or tensor.shape is None else tensor.shape[1:])
        for binding, tensor in tensors
    }


def _work_of(layer: Layer) -> tuple[object, ...]:
    shapes = ([tensor.shape for tensor in tensors] for tensors in (layer.inputs, layer.outputs))
    return (layer.type, layer.compute.data_type, layer.weights_cnt, *shapes)


def _is_zero_once(change: Change) -> bool:
    return min(change.left_ms, change.right_ms) == 0.0 and max(change.left_ms, change.right_ms) > STEP_MS

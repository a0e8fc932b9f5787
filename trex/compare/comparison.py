"""Two plans → Comparison: what changed between two engines, why, and whether it is real; each reading on first use."""

from __future__ import annotations

from functools import cached_property

from trex.compare.aligning.alignment import align
from trex.compare.aligning.match import Alignment
from trex.compare.causes import Change, changes_of
from trex.compare.charge import Charges, charges_of, tells_work
from trex.compare.engine_facts import batch_of
from trex.compare.operations import ModuleChange, OperationChange, module_changes, operation_changes
from trex.compare.parity import Parity, parity_of
from trex.compare.per_item import PerItem, per_item_of
from trex.compare.prediction import Prediction
from trex.compare.significance import Significance, significance_of
from trex.compare.waterfall import Group, Waterfall, groups_of, waterfall_of
from trex.core.layer import Layer
from trex.core.note import Note
from trex.graph.module_steps import module_steps, shared_steps
from trex.perf.device import Device
from trex.perf.performance import Performance
from trex.perf.samples.plan_samples import COLUMNS
from trex.plan.engine_plan import EnginePlan

MODULE_DEPTH = 2
NO_MODULE, SEVERAL = "(no module)", "(several)"
_STEP_MS = 0.0011  # what TensorRT's profiler may not see


class Comparison:
    """left: the base. right: the new engine. Speed-ups are left time over right time, above 1 when the right is faster;
    differences are right less left in milliseconds, negative is faster.

    device: for both sides, else what each side's files name. left_performance: of the left on that device, where it was
    read before.
    """

    def __init__(
        self,
        left: EnginePlan,
        right: EnginePlan,
        device: Device | None = None,
        left_performance: Performance | None = None,
    ) -> None:
        self.left = left
        self.right = right
        self.left_performance = left_performance or Performance(left, device)
        self.right_performance = self.left_performance if right is left else Performance(right, device)

    @cached_property
    def parity(self) -> Parity:
        """Whether both were measured alike."""
        return parity_of(self.left_performance, self.right_performance)

    @cached_property
    def alignment(self) -> Alignment:
        """Which layers correspond."""
        return align(self.left, self.right)

    @cached_property
    def significances(self) -> dict[str, Significance]:
        """{column: verdict} of every duration that a side has, GPU compute and latency in any case."""
        told = {
            *self.left_performance.samples.columns,
            *self.right_performance.samples.columns,
            "computeMs",
            "latencyMs",
        }
        keys = [key for key in COLUMNS if key in told]
        return {key: significance_of(self.left_performance, self.right_performance, key) for key in keys}

    @cached_property
    def main(self) -> Significance:
        """The quantity to tell first: GPU compute, or latency where only that is known on both sides."""
        compute, latency = self.significances["computeMs"], self.significances["latencyMs"]
        return latency if compute.speedup is None and latency.speedup is not None else compute

    @cached_property
    def per_item(self) -> PerItem | None:
        """``main`` per item of the batch; None where a batch is not known."""
        return per_item_of(self.main, batch_of(self.left_performance), batch_of(self.right_performance))

    @property
    def prediction(self) -> Prediction | None:
        """Where the times are from when a side was predicted, None when both were measured."""
        return self.main.prediction

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """One per match, with its cause."""
        return changes_of(self.alignment)

    @cached_property
    def waterfall(self) -> Waterfall:
        """The whole difference by causes."""
        measures = [each.reconciliation.measures.compute for each in (self.left_performance, self.right_performance)]
        layers = len(self.left.layers), len(self.right.layers)
        return waterfall_of(self.changes, measures[0], measures[1], layers)

    @cached_property
    def by_module(self) -> tuple[Group, ...]:
        """Matches by the first two steps of the module that all their layers share, those of the left where these tell
        any, the largest difference first.
        """
        return groups_of(self.changes, self._module)

    @cached_property
    def by_type(self) -> tuple[Group, ...]:
        """Matches by their layers' types, of the left where both have layers, the largest difference first."""
        return groups_of(self.changes, lambda change: ", ".join(sorted({each.type for each in self._either(change)})))

    @cached_property
    def left_charges(self) -> Charges:
        """The left's time by ONNX operations; in equal parts where one side tells names alone."""
        return charges_of(self.left_performance, self._is_weighed)

    @cached_property
    def right_charges(self) -> Charges:
        return self.left_charges if self.right is self.left else charges_of(self.right_performance, self._is_weighed)

    @cached_property
    def _is_weighed(self) -> bool:
        return tells_work(self.left) and tells_work(self.right)

    @cached_property
    def operations(self) -> tuple[OperationChange, ...]:
        """What each ONNX operation costs on both sides, in the left's order."""
        return operation_changes(self.alignment, self.left_charges, self.right_charges)

    @cached_property
    def modules(self) -> tuple[ModuleChange, ...]:
        """Operations and the conversions around them by modules, the largest difference first; sums are the layers'."""
        return module_changes(self.operations, self.left_charges, self.right_charges)

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What a reader must know: engines that hardly correspond, sides without times or with unlike ones."""
        found = list(self.alignment.notes)
        for which, plan in (("base", self.left), ("new", self.right)):
            if not plan.is_profiled:
                message = f"the {which} engine has no layer profile: nothing can be told of where its time goes"
                found.append(Note("no-profile", message, "profile it with --exportProfile", plan.engine.source))
        if self.prediction is not None and self.prediction.is_mixed:
            message = f"{self.prediction.unlike}; their times differ by what the prediction missed, too"
            found.append(Note("unlike-origins", message, "compare with an engine whose times came about alike"))
        zeros = sum(each.is_known and each.match.is_matched and _zero_on_one_side(each) for each in self.changes)
        if zeros:
            message = f"{zeros} of {len(self.changes)} matches take 0 ms in one engine alone, which may be no time"
            found.append(Note("zero-times", message, "profile that engine again"))
        if self.waterfall.unknown:
            message = f"{self.waterfall.unknown} of {len(self.changes)} matches have layers without a known time"
            found.append(Note("unknown-times", message, "what they gain or lose is in no sum", "", "info"))
        return tuple(found)

    @property
    def verdict(self) -> str:
        """Which is faster and whether that is real, or was predicted, in one sentence; of two batches per item."""
        return self.verdicts[0]

    @property
    def verdicts(self) -> tuple[str, ...]:
        """The verdict; where both engines have unlike batches, that of the whole behind it."""
        per_item = self.per_item
        return tuple(dict.fromkeys(each.sentence for each in (per_item, self.main) if each is not None))

    def layers_of(self, change: Change) -> tuple[tuple[Layer, ...], tuple[Layer, ...]]:
        """The layers of both sides."""
        match = change.match
        left = tuple(self.left.layers[place] for place in match.left)
        return left, tuple(self.right.layers[place] for place in match.right)

    def attainable_ms(self, change: Change) -> tuple[float | None, float | None]:
        """Times at the roofline of both sides' layers, None where one is unknown or there is no layer."""
        left, right = self.summed(change, "attainable_ms")
        return left or None, right or None

    def roofline_pct(self, change: Change) -> tuple[float | None, float | None]:
        """Time at the roofline over the time taken, in percent, of both sides; None where one of them is unknown."""
        if not change.is_known:
            return None, None
        sides = zip(self.attainable_ms(change), (change.left_ms, change.right_ms), strict=True)
        left, right = (100.0 * least / ms if least is not None and ms > 0.0 else None for least, ms in sides)
        return left, right

    def summed(self, change: Change, column: str) -> tuple[float | None, float | None]:
        """A column of ``perf.Roofline``, as ``macs`` or ``bytes_moved``, summed over the layers of both sides; None
        where a layer's value is unknown or there is no layer.
        """
        found = []
        for performance, places in (
            (self.left_performance, change.match.left),
            (self.right_performance, change.match.right),
        ):
            total = float(getattr(performance.roofline, column)[list(places)].sum()) if places else float("nan")
            found.append(total if total == total else None)
        return found[0], found[1]

    def _either(self, change: Change) -> tuple[Layer, ...]:
        left, right = self.layers_of(change)
        return left or right

    def _module(self, change: Change) -> str:
        sides = ({layer.module for layer in side} - {""} for side in self.layers_of(change))
        modules = next(filter(None, sides), None)
        if modules is None:
            return NO_MODULE
        steps = shared_steps(map(module_steps, modules))[:MODULE_DEPTH]
        return "/".join(steps) or SEVERAL


def _zero_on_one_side(change: Change) -> bool:
    return min(change.left_ms, change.right_ms) == 0.0 and max(change.left_ms, change.right_ms) > _STEP_MS


def compare(left: EnginePlan, right: EnginePlan, device: Device | None = None) -> Comparison:
    """What changed from ``left`` (the base) to ``right`` (the new engine), why, and how sure that is."""
    return Comparison(left, right, device)

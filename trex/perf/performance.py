"""EnginePlan and Device → Performance: every reading of this floor, each computed on first use."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.shape import is_static
from trex.perf.device import Device
from trex.perf.expected import counts_once
from trex.plan.engine_plan import EnginePlan
from trex.plan.join import LOST_LAYERS, WRONG_RECORDS
from trex.plan.time_notes import SHARES_CONTRADICT, WRONG_TIMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from trex.perf.cache import Column
    from trex.perf.memory.plan_memory import Memory
    from trex.perf.prices import Prices
    from trex.perf.reconciliation import Reconciliation
    from trex.perf.roofline import Roofline
    from trex.perf.samples.plan_samples import Samples
    from trex.perf.tiling import Tiling
    from trex.perf.work.from_model import ModelWorks
    from trex.perf.work.work import Work

CONTROL_FLOW = "time-of-control-flow"
PREDICTED_ONCE = Note(
    CONTROL_FLOW,
    "the engine has conditions or loops: predicted times and work count each layer once, however often it runs, and "
    "what the host decides takes no time",
    "measure on a GPU",
)
_OF_ONE_PASS = Note(
    "work-of-one-pass",
    "the engine has conditions or loops: its work counts each layer once, its times as often as the layer ran",
    "totals of work are of one pass through all branches; there are no shares of what the GPU can do",
    severity="info",
)


class Performance:
    """The performance of one plan on one device.

    device: as given, else the one in the plan's own metadata; None if unknown.
    """

    def __init__(self, plan: EnginePlan, device: Device | None = None) -> None:
        self.plan = plan
        self._device = device

    @cached_property
    def device(self) -> Device | None:
        """The GPU of the roofline; None if none was given and the engine's files name none."""
        if self._device is not None:
            return self._device
        from trex.perf.recognize import device_of

        return device_of(self.plan)

    @cached_property
    def works(self) -> tuple[Work, ...]:
        """One per layer of ``plan.layers``; from the operators of the ONNX model if the plan has it."""
        return self.model_works.works

    @cached_property
    def model_works(self) -> ModelWorks:
        """The works, whether they come from an ONNX model, and Notes on contradictions of model and engine."""
        from trex.perf.work.from_model import model_works_of
        from trex.perf.work.plan_works import own_works_of

        return model_works_of(self.plan, own_works_of(self.plan))

    @cached_property
    def roofline(self) -> Roofline:
        """The best possible time of each layer, as columns over ``plan.layers``."""
        from trex.perf.roofline import roofline_of

        return roofline_of(self.plan, self.works, self.device, self.other_work)

    @cached_property
    def dla_waits(self) -> frozenset[int]:
        """Positions of the GPU layers that probably have the run time of a DLA part: their times are not their own."""
        from trex.perf.dla_time import dla_waits, has_dla

        return dla_waits(self.plan, self.works) if has_dla(self.plan) else frozenset()

    @cached_property
    def streamed(self) -> frozenset[int]:
        """Positions of the layers whose times contain copying weights from the host."""
        from trex.perf.weight_streaming import may_stream, streamed_layers

        return streamed_layers(self.plan, self.works) if may_stream(self.plan) else frozenset()

    @cached_property
    def other_work(self) -> Mapping[int, str]:
        """{position: reason} of the layers whose times contain other work than their own: no roofline is theirs."""
        from trex.perf import dla_time, weight_streaming

        return {
            **dict.fromkeys(sorted(self.streamed), weight_streaming.WORDS),
            **dict.fromkeys(sorted(self.dla_waits), dla_time.WORDS),
        }

    @cached_property
    def tilings(self) -> tuple[Tiling | None, ...]:
        """The tiles and waves of each layer's GEMM; None for a layer without exactly one."""
        from trex.perf.tiling import tilings_of

        return tilings_of(self.plan.working_layers, self.works, None if self.device is None else self.device.sm_count)

    @cached_property
    def samples(self) -> Samples:
        """Statistics of every duration of the per-query times, of layers' samples, of the clocks."""
        from trex.perf.samples.plan_samples import samples_of

        return samples_of(self.plan)

    @cached_property
    def reconciliation(self) -> Reconciliation:
        """Times of host, GPU and layers, why they differ, and which conclusions they support."""
        from trex.perf.reconciliation import reconcile

        return reconcile(self.plan, self.samples)

    @cached_property
    def prices(self) -> Prices:
        """How much of GPU compute each layer accounts for, without the cost of timing it: no saving is larger."""
        from trex.perf.prices import prices_of

        return prices_of(self.plan, self.reconciliation.measures)

    @cached_property
    def headroom_ms(self) -> Column:
        """The roofline's headroom of each layer in prices: together never more than GPU compute where it is known."""
        headroom: Column = self.roofline.headroom_ms * self.prices.of_time
        return headroom

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """The plan's, and those on times that the device contradicts, that are of several passes or of other work, and
        on a device that is not the one of the files.
        """
        known = {note.code for note in self.plan.notes}  # a baseline has its own
        return (*self.plan.notes, *(note for note in self._own_notes() if note.code not in known))

    def _own_notes(self) -> Iterator[Note]:
        from trex.perf.dla_time import dla_time_note
        from trex.perf.other_unit import other_unit
        from trex.perf.recognize import chosen_by_hand
        from trex.perf.weight_streaming import streaming_note

        plan = self.plan
        if self._device is not None:
            yield from chosen_by_hand(plan, self._device)
        yield from dla_time_note(plan, self.dla_waits)
        yield from streaming_note(plan, self.streamed)
        if plan.has_jumps:
            yield PREDICTED_ONCE if counts_once(plan) else _OF_ONE_PASS
            return
        is_timed = plan.is_profiled or plan.query_times is not None or bool(plan.metadata.latency)
        if is_timed and not plan.provenance.has_predicted_times and (plan.is_profiled or not self.streamed):
            compute_ms = self.reconciliation.measures.compute.ms
            yield from other_unit(plan, self.roofline, compute_ms) or self._other_unit_at_limits(compute_ms)

    def _other_unit_at_limits(self, compute_ms: float | None) -> Iterator[Note]:
        """The same for dynamic shapes: no run is of larger ones than the maximum, or of smaller than the minimum."""
        from trex.perf.other_unit import may_be_other_unit, other_unit

        plan = self.plan.uncached()
        if all(one.tensor is None or is_static(one.tensor.shape) for one in plan.engine.bindings):
            return
        plan.model = None  # its file would be read again
        for point, is_most in (("max", True), ("min", False)):
            if may_be_other_unit(plan, compute_ms, is_most=is_most):
                try:
                    at = Performance(plan.at_shapes(point), self._device)
                except TrexError:  # unknown
                    return
                yield from other_unit(at.plan, at.roofline, compute_ms, is_least=not is_most, is_most=is_most)

    @cached_property
    def contradicted(self) -> tuple[Note, ...]:
        """Problems that leave no time of the engine to be believed: its files contradict each other, or the device."""
        notes = dict.fromkeys(self.notes)
        return tuple(note for note in notes if note.severity == "problem" and note.code in WRONG_TIMES)

    @cached_property
    def too_fast(self) -> tuple[Note, ...]:
        """At most one warning, a baseline's own first: layers that were faster than the device can be. Not a problem,
        as the device may be another one; none where ``contradicted`` says more.
        """
        from trex.perf.roofline import FASTER_THAN_POSSIBLE

        notes = () if self.contradicted else (*self.plan.notes, *self.roofline.notes)
        return tuple(note for note in notes if note.code == FASTER_THAN_POSSIBLE)[:1]

    @cached_property
    def lost(self) -> tuple[Note, ...]:
        """Problems by which layers, or their times, are missing: no sum over the layers is the engine's."""
        plan = self.plan
        sources = [source for source in (plan.engine.source, plan.layer_times and plan.layer_times.source) if source]
        return tuple(
            note
            for note in dict.fromkeys(self.notes)
            if note.severity == "problem"
            and note.code in LOST_LAYERS
            and (not note.where or note.where.startswith(tuple(sources)))
        )

    @cached_property
    def wrong_layer_times(self) -> tuple[Note, ...]:
        """Problems that leave no time of a layer to be believed, while those of the run may be."""
        codes = (*WRONG_RECORDS, SHARES_CONTRADICT)
        notes = dict.fromkeys(self.notes)
        return tuple(note for note in notes if note.severity == "problem" and note.code in codes)

    @property
    def is_bare_prediction(self) -> bool:
        """Whether the time of an inference is one predicted number: no scatter to judge, no run to reconcile."""
        main = self.samples.main
        is_one = main is None or main.spread.minimum_ms == main.spread.maximum_ms
        return is_one and self.plan.provenance.has_predicted_times

    @cached_property
    def memory(self) -> Memory:
        """The memory that the engine uses while it runs, what it stores, and what sets the peak."""
        from trex.perf.memory.plan_memory import memory_of

        return memory_of(self.plan)

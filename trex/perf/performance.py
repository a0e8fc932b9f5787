"""EnginePlan and Device → Performance: every reading of this floor, each made when it is first asked for."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from trex.perf.device import Device
from trex.plan.engine_plan import EnginePlan

if TYPE_CHECKING:
    from trex.perf.memory.of_plan import Memory
    from trex.perf.reconciliation import Reconciliation
    from trex.perf.roofline import Roofline
    from trex.perf.samples.of_plan import Samples
    from trex.perf.tiling import Tiling
    from trex.perf.work.from_model import ModelWorks
    from trex.perf.work.work import Work


class Performance:
    """What the numbers of one plan mean on one device.

    device: as given, else the one the plan's own metadata describes; None when neither is known.
    """

    def __init__(self, plan: EnginePlan, device: Device | None = None) -> None:
        self.plan = plan
        self._device = device

    @cached_property
    def device(self) -> Device | None:
        """The GPU that the figures are judged against; None when none was given and the engine's files name none."""
        if self._device is not None:
            return self._device
        from trex.perf.recognize import device_of

        return device_of(self.plan)

    @cached_property
    def works(self) -> tuple[Work, ...]:
        """One per layer of ``plan.layers``; from the operators of the ONNX model where the plan has it."""
        return self.model_works.works

    @cached_property
    def model_works(self) -> ModelWorks:
        """The works, whether an ONNX model told them, and Notes on where it contradicts the engine."""
        from trex.perf.work.from_model import read_model_works
        from trex.perf.work.of_plan import own_works_of

        return read_model_works(self.plan, own_works_of(self.plan))

    @cached_property
    def roofline(self) -> Roofline:
        """What each layer could take at best, as columns over ``plan.layers``."""
        from trex.perf.roofline import roofline_of

        return roofline_of(self.plan, self.works, self.device)

    @cached_property
    def tilings(self) -> tuple[Tiling | None, ...]:
        """How each layer's product is cut into tiles and waves; None where it is no single product."""
        from trex.perf.tiling import tilings_of

        return tilings_of(self.plan.layers, self.works, None if self.device is None else self.device.sm_count)

    @cached_property
    def samples(self) -> Samples:
        """What the measured times say: statistics of every duration of the trace, of layers' samples, of the clocks."""
        from trex.perf.samples.of_plan import samples_of

        return samples_of(self.plan)

    @cached_property
    def reconciliation(self) -> Reconciliation:
        """Host, GPU and layers side by side, why they differ, and what these numbers can support."""
        from trex.perf.reconciliation import reconcile

        return reconcile(self.plan, self.samples)

    @cached_property
    def memory(self) -> Memory:
        """What the engine holds while it runs, what it stores, and what sets the peak."""
        from trex.perf.memory.of_plan import memory_of

        return memory_of(self.plan)

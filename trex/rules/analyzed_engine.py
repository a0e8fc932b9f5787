"""Inspected: what rules look at, indexed once: layers with their times, neighbors, kernels and readings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from trex.core.layer import Layer
from trex.core.tactic import Tactic
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.plan.kernels import kernel_of

if TYPE_CHECKING:
    from trex.rules.baseline_match import Against
    from trex.rules.operations import Operations
    from trex.rules.precision_map import PrecisionMap
    from trex.rules.type_flow import Flow


class Inspected:
    """An engine as rules see it. Places are positions in ``layers``, the working layers in execution order.

    baseline: another plan of the same model to compare with, None without.
    """

    def __init__(self, performance: Performance, baseline: EnginePlan | None = None) -> None:
        self.performance = performance
        self.plan: EnginePlan = performance.plan
        self.baseline = baseline
        self.layers: tuple[Layer, ...] = self.plan.layers

    @cached_property
    def times_ms(self) -> NDArray[np.float64]:
        """Average time of each layer, NaN where it was not measured."""
        found = [time.average_ms if time is not None else None for time in self.plan.times]
        return np.array([np.nan if each is None else each for each in found], dtype=np.float64)

    @cached_property
    def times(self) -> list[float]:
        """``times_ms`` as plain numbers: faster than an array where a rule asks for one at a time."""
        return [float(each) for each in self.times_ms.tolist()]

    @cached_property
    def total_ms(self) -> float:
        """Sum of the times that are known; NaN without any."""
        known = self.times_ms[np.isfinite(self.times_ms)]
        return float(known.sum()) if len(known) else float("nan")

    @property
    def is_timed(self) -> bool:
        return self.total_ms > 0

    @cached_property
    def kernels(self) -> tuple[Tactic, ...]:
        """What each layer's kernel states in its name."""
        return tuple(map(kernel_of, self.layers))

    @cached_property
    def place_of(self) -> Mapping[int, int]:
        """{layer.index: place}."""
        return {layer.index: place for place, layer in enumerate(self.layers)}

    @cached_property
    def _neighbors(self) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
        """Who writes what each layer reads, and who reads what it writes: of a name written twice, the last before."""
        writers: dict[str, int] = {}
        before: list[tuple[int, ...]] = []
        after: list[dict[int, None]] = [{} for _ in self.layers]
        for place, layer in enumerate(self.layers):
            found = dict.fromkeys(writers[tensor.name] for tensor in layer.inputs if tensor.name in writers)
            for writer in found:
                after[writer][place] = None
            before.append(tuple(found))
            for tensor in layer.outputs:
                if tensor.name:
                    writers[tensor.name] = place
        return tuple(before), tuple(map(tuple, after))

    def before(self, place: int) -> tuple[int, ...]:
        """Places of the layers that write what this one reads."""
        return self._neighbors[0][place]

    def after(self, place: int) -> tuple[int, ...]:
        """Places of the layers that read what this one writes."""
        return self._neighbors[1][place]

    @cached_property
    def inputs(self) -> frozenset[str]:
        """Names of the engine's inputs."""
        return frozenset(each.name for each in self.plan.engine.bindings if each.is_input)

    @cached_property
    def outputs(self) -> frozenset[str]:
        """Names of the engine's outputs."""
        return frozenset(each.name for each in self.plan.engine.bindings if each.is_input is False)

    @cached_property
    def flow(self) -> Flow:
        """In which types data flow."""
        from trex.rules.type_flow import Flow

        return Flow(self)

    @cached_property
    def operations(self) -> Operations:
        """What each layer does."""
        from trex.rules.operations import Operations

        return Operations(self)

    @cached_property
    def precision_map(self) -> PrecisionMap:
        """Where types change, and which floats lie between quantized layers."""
        from trex.rules.precision_map import precision_map

        return precision_map(self)

    @cached_property
    def against(self) -> Against | None:
        """The layers beside those of the baseline that came from the same operators; None without a baseline."""
        from trex.rules.baseline_match import Against

        return None if self.baseline is None else Against(self)

    def of_type(self, *kinds: str) -> Sequence[int]:
        """Places of the layers of these types, in execution order."""
        return (
            [place for kind in kinds for place in self._by_type.get(kind, ())]
            if len(kinds) == 1
            else sorted(place for kind in kinds for place in self._by_type.get(kind, ()))
        )

    @cached_property
    def _by_type(self) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = {}
        for place, layer in enumerate(self.layers):
            found.setdefault(layer.type, []).append(place)
        return found

    def stake(self, places: Sequence[int], part: float = 1.0) -> dict[int, float]:
        """{layer.index: part of its time} for the layers whose time is known: the form of ``Finding.at_stake``."""
        times, layers = self.times, self.layers
        return {layers[place].index: times[place] * part for place in places if 0 < times[place] < math.inf}

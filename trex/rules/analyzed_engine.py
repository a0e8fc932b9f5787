"""AnalyzedEngine: what rules ask about an engine, indexed once: times, neighbors, kernels, types, operators."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from trex.builder.layer_timings import LayerTimings, layer_timings
from trex.core.data_type import DataType
from trex.core.layer import Layer
from trex.core.shape import Shape, is_static
from trex.core.tactic import Tactic
from trex.core.tensor import ShapeRange
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.plan.kernels import kernel_of
from trex.plan.listed_operands import product_type
from trex.plan.optimization_profile import profile_of_run
from trex.rules.eight_bits import EightBits
from trex.rules.neighbors import Neighbors
from trex.rules.operators import Operations
from trex.rules.precision_map import PrecisionMap, precision_map
from trex.rules.type_flow import TypeFlow

ONE_PASS_FORMULA = "sum of the times − the longest of them: one pass over the data instead of several"
_BUILD_MILESTONES = ("engine_built_s", "engine_generation_s", "model_parsed_s")


class AnalyzedEngine:
    """An engine as rules see it. A position is a place in ``layers``, the working layers in execution order."""

    def __init__(self, performance: Performance) -> None:
        self.performance = performance
        self.plan: EnginePlan = performance.plan
        self.layers: tuple[Layer, ...] = self.plan.working_layers
        self.main_operations: dict[int, str] = {}
        """{position: main operation} of the layers that ``wording`` was asked for."""

    # ---- Times

    @cached_property
    def times_ms(self) -> NDArray[np.float64]:
        """Own time of each layer, ``plan.layer_ms``; NaN if it was not measured, or is probably a DLA part's."""
        return self._own(np.array([np.nan if ms is None else ms for ms in self.plan.layer_ms], dtype=np.float64))

    def _own(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """These values of the layers, NaN for those with the time of a DLA part."""
        waits = self.dla_waits
        return np.where([position in waits for position in range(len(values))], np.nan, values) if waits else values

    @property
    def dla_waits(self) -> frozenset[int]:
        """Positions of the GPU layers that probably have the run time of a DLA part (``Performance.dla_waits``)."""
        return self.performance.dla_waits

    @property
    def streamed(self) -> frozenset[int]:
        """Positions of the layers whose times contain copying weights from the host (``Performance.streamed``)."""
        return self.performance.streamed

    @cached_property
    def dla_ms(self) -> float:
        """Sum of the times of ``dla_waits``: what the DLA takes beyond the rows of its parts; 0 without any."""
        return sum(self.plan.layer_ms[position] or 0.0 for position in self.dla_waits)

    @cached_property
    def times(self) -> list[float]:
        """``times_ms`` as plain numbers: faster than an array for one at a time."""
        return [float(ms) for ms in self.times_ms.tolist()]

    @cached_property
    def _price_of_time(self) -> list[float]:
        """Part of each layer's time that the engine spends on it when layers are not timed, 0 to 1; NaN if unknown."""
        return [float(part) for part in self._own(self.performance.prices.of_time).tolist()]

    @cached_property
    def prices(self) -> list[float]:
        """Milliseconds that the engine spends on each layer when layers are not timed (``Performance.prices``)."""
        return [float(ms) for ms in self._own(self.performance.prices.ms).tolist()]

    def priced(self, savings: Mapping[int, float]) -> dict[int, float]:
        """{layer.index: milliseconds} that the engine saves where the layer profile saves these."""
        parts, times = self._price_of_time, self.times
        positions = ((self.position_of.get(index), index, ms) for index, ms in savings.items())
        return {
            index: min(ms, times[position]) * parts[position]
            for position, index, ms in positions
            if position is not None and ms > 0.0 and parts[position] == parts[position]
        }

    @cached_property
    def total_ms(self) -> float:
        """Sum of the known times, whatever they are of; NaN without any."""
        known = self.times_ms[np.isfinite(self.times_ms)]
        return float(known.sum()) + self.dla_ms if len(known) or self.dla_ms else math.nan

    @property
    def is_timed(self) -> bool:
        return self.total_ms > 0

    def sum_ms(self, positions: Iterable[int]) -> float:
        """Sum of the known times of these layers, NaN without any."""
        times = self.times
        known = [times[position] for position in positions if times[position] == times[position]]
        return sum(known) if known else math.nan

    def takes_share(self, ms: float, share_pct: float) -> bool:
        """Whether a time is at least so many percent of the engine's; False if either is unknown."""
        return 100 * ms >= share_pct * self.total_ms

    def savings(self, positions: Iterable[int], share: float = 1.0) -> dict[int, float]:
        """{layer.index: share of its time} of the layers whose time is known, as ``Finding.savings``."""
        if not share > 0:
            return {}
        times, layers = self.times, self.layers
        return {
            layers[position].index: times[position] * share for position in positions if 0 < times[position] < math.inf
        }

    def one_pass_savings(self, positions: Iterable[int]) -> dict[int, float]:
        """What one kernel instead of these saves at most, as ``Finding.savings``, by ``ONE_PASS_FORMULA``."""
        savings = self.savings(positions)
        if savings:
            del savings[max(savings, key=savings.__getitem__)]
        return savings

    # ---- Layers

    @cached_property
    def position_of(self) -> Mapping[int, int]:
        """{layer.index: position}."""
        return {layer.index: position for position, layer in enumerate(self.layers)}

    def indexes(self, positions: Iterable[int]) -> tuple[int, ...]:
        """``layer.index`` of the layers at these positions, each once."""
        return tuple(dict.fromkeys(self.layers[position].index for position in positions))

    @cached_property
    def _by_type(self) -> Mapping[str, Sequence[int]]:
        positions: dict[str, list[int]] = {}
        for position, layer in enumerate(self.layers):
            positions.setdefault(product_type(layer), []).append(position)
        return positions

    def of_type(self, *types: str) -> Sequence[int]:
        """Positions of the layers of these types, in execution order; see ``product_type``."""
        return sorted(position for type_ in types for position in self._by_type.get(type_, ()))

    @cached_property
    def kernels(self) -> tuple[Tactic, ...]:
        """What the name of each layer's kernel contains."""
        return tuple(map(kernel_of, self.layers))

    @cached_property
    def neighbors(self) -> Neighbors:
        return Neighbors(self.layers)

    def before(self, position: int) -> tuple[int, ...]:
        """The layers that write what this one reads."""
        return self.neighbors.before[position]

    def after(self, position: int) -> tuple[int, ...]:
        """The layers that read what this one writes."""
        return self.neighbors.after[position]

    def slowest_first(self, positions: Iterable[int]) -> list[int]:
        """Sorted by time; in the order given without times. Layers whose own time is a DLA part's come last."""
        times, waits = self.times, self.dla_waits
        if not self.is_timed:
            return list(positions)
        return sorted(positions, key=lambda position: math.inf if position in waits else -times[position])

    def operand_type(self, position: int) -> DataType:
        """The type that a GEMM multiplies: by its kernel's name, else the type that the layer computes in."""
        named = self.kernels[position].input_type
        return named if named.is_known else self.layers[position].compute.data_type

    def adjacent(self, positions: Iterable[int]) -> list[int]:
        """The neighbors of all these layers, before and after, in execution order."""
        return sorted({other for position in positions for other in (*self.before(position), *self.after(position))})

    # ---- The engine

    @cached_property
    def inputs(self) -> frozenset[str]:
        """Names of the engine's inputs."""
        return frozenset(binding.name for binding in self.plan.engine.bindings if binding.is_input)

    @cached_property
    def outputs(self) -> frozenset[str]:
        """Names of the engine's outputs."""
        return frozenset(binding.name for binding in self.plan.engine.bindings if binding.is_input is False)

    @cached_property
    def dynamic_inputs(self) -> Mapping[str, ShapeRange | None]:
        """{input of dynamic shape: its range in the optimization profile, None if the file does not contain it}."""
        engine = self.plan.engine
        profile = profile_of_run(engine, self.plan.metadata)
        inputs: dict[str, ShapeRange | None] = {}
        for binding in engine.bindings:
            if not binding.is_input:
                continue
            ranges = binding.profiles[profile] if profile < len(binding.profiles) else None
            is_open = binding.tensor is not None and binding.tensor.shape is not None and None in binding.tensor.shape
            is_known = ranges is not None and _is_static(ranges.minimum) and _is_static(ranges.maximum)
            if is_open or (ranges is not None and is_known and ranges.minimum != ranges.maximum):
                inputs[binding.name] = ranges
        return inputs

    @cached_property
    def has_build_log(self) -> bool:
        """Whether a log of the build was read: only then does the absence of a warning mean anything."""
        return not self.plan.milestones.keys().isdisjoint(_BUILD_MILESTONES)

    @cached_property
    def is_for_rtx(self) -> bool:
        """Whether TensorRT for RTX built it: without options of precision, tactics or formats, and with as many
        streams as it sees a gain in.
        """
        return self.plan.is_for_rtx

    @cached_property
    def has_jumps(self) -> bool:
        """Whether a condition or a loop decides which layers run."""
        return self.plan.has_jumps

    @cached_property
    def capability(self) -> int | None:
        """Compute capability of the GPU times ten: the device's, else the highest that a kernel is written for."""
        device = self.performance.device
        if device is not None and device.compute_capability is not None:
            return device.compute_capability[0] * 10 + device.compute_capability[1]
        return max((kernel.sm for kernel in self.kernels if kernel.sm is not None), default=None)

    # ---- Analyses

    @cached_property
    def flow(self) -> TypeFlow:
        """Which data types layers read and write."""
        return TypeFlow(self.layers, self.neighbors, self.inputs, self.outputs)

    @cached_property
    def timings(self) -> LayerTimings:
        """The builder's own best time of each layer in each precision; empty without a verbose log of the build."""
        return layer_timings(self.plan)

    @cached_property
    def eight_bits(self) -> EightBits:
        """What layers save if their float tensors have 8 bits."""
        return EightBits(self)

    @cached_property
    def operations(self) -> Operations:
        """What each layer does."""
        return Operations(self.layers)

    @cached_property
    def precision_map(self) -> PrecisionMap:
        """Where types change, and which float layers lie between quantized ones."""
        return precision_map(self.flow, self.neighbors, self.sum_ms)


def _is_static(shape: Shape | None) -> bool:
    return shape is not None and is_static(shape)

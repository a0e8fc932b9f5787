"""Verbose build log → LayerTimings: the builder's own best time of each layer in each precision."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from trex.core.data_type import DataType
from trex.core.format_timing import FormatTiming
from trex.core.shape import is_static
from trex.ingest.differing_facts import are_two_gpus
from trex.ingest.spelling.shape_options import run_shapes
from trex.plan.engine_plan import EnginePlan
from trex.plan.optimization_profile import profile_of_run


@dataclass(frozen=True, slots=True)
class LayerTimings:
    """best_ms: {name of the layer: {type of its first input: milliseconds of its fastest tactic, any layout}}.

    is_as_run: whether they are of the run's shapes and GPU. Others compare with one another, but not with its times.
    """

    best_ms: Mapping[str, Mapping[DataType, float]] = field(default_factory=dict)
    is_as_run: bool = True

    def __bool__(self) -> bool:
        return bool(self.best_ms)

    def of(self, layer: str, types: Iterable[DataType]) -> float | None:
        """The best time in one of these types, in milliseconds; None if the builder timed the layer in none."""
        timed = self.best_ms.get(layer, {})
        return min((timed[type_] for type_ in types if type_ in timed), default=None)

    def fastest(self, layer: str) -> float | None:
        """The best time in any type, in milliseconds; None if the builder did not time the layer as it ran."""
        if not self.is_as_run:
            return None
        return min(self.best_ms.get(layer, {}).values(), default=None)


def layer_timings(plan: EnginePlan) -> LayerTimings:
    """From the verbose log of the build, empty without one; conversions next to a layer are not in its times."""
    best_ms = _best(plan.build_metadata.format_timings or plan.metadata.format_timings)
    return LayerTimings(best_ms, not are_two_gpus(plan.build_metadata, plan.metadata) and _ran_at_optimum(plan))


def _ran_at_optimum(plan: EnginePlan) -> bool:
    """Whether every input had the shape that the builder tuned for. False if that is unknown."""
    ran, profile = run_shapes(plan.metadata), profile_of_run(plan.engine, plan.metadata)
    for binding in plan.engine.bindings:
        ranges = binding.profiles[profile] if profile < len(binding.profiles) else None
        own = None if binding.tensor is None else binding.tensor.shape
        is_fixed = own is None or is_static(own) if ranges is None else ranges.minimum == ranges.maximum
        is_tuned = ranges is not None and is_static(ranges.optimum) and ran.get(binding.name) == ranges.optimum
        if binding.is_input and not (is_fixed or is_tuned):
            return False
    return True


def _best(timings: Iterable[FormatTiming]) -> dict[str, dict[DataType, float]]:
    best: dict[str, dict[DataType, float]] = {}
    for timing in timings:
        if timing.reads and timing.fastest_ms > 0.0:
            of_layer = best.setdefault(timing.layer, {})
            of_layer[timing.reads[0]] = min(timing.fastest_ms, of_layer.get(timing.reads[0], math.inf))
    return best

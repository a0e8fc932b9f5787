"""Verbose build log → LayerTimings: the builder's own best time of each layer in each precision."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from trex.core.data_type import DataType
from trex.core.format_timing import FormatTiming
from trex.plan.engine_plan import EnginePlan


@dataclass(frozen=True, slots=True)
class LayerTimings:
    """best_ms: {name of the layer: {type of its first input: milliseconds of its fastest tactic, any layout}}."""

    best_ms: Mapping[str, Mapping[DataType, float]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.best_ms)

    def of(self, layer: str, types: Iterable[DataType]) -> float | None:
        """The best time in one of these types, in milliseconds; None if the builder timed the layer in none."""
        timed = self.best_ms.get(layer, {})
        return min((timed[type_] for type_ in types if type_ in timed), default=None)

    def fastest(self, layer: str) -> float | None:
        """The best time in any type, in milliseconds; None if the builder did not time the layer."""
        return min(self.best_ms.get(layer, {}).values(), default=None)


def layer_timings(plan: EnginePlan) -> LayerTimings:
    """From the verbose log of the build, empty without one; conversions next to a layer are not in its times."""
    return _best(plan.build_metadata.format_timings or plan.metadata.format_timings)


def _best(timings: Iterable[FormatTiming]) -> LayerTimings:
    best: dict[str, dict[DataType, float]] = {}
    for timing in timings:
        if timing.reads and timing.fastest_ms > 0.0:
            of_layer = best.setdefault(timing.layer, {})
            of_layer[timing.reads[0]] = min(timing.fastest_ms, of_layer.get(timing.reads[0], math.inf))
    return LayerTimings(best)

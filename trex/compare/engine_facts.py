"""The facts that distinguish the engines of a series (batch, precision, GPU …), their times and their names."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from trex.compare.run_settings import RunSettings, plain_version
from trex.core.shape import is_static, shape_text
from trex.perf.batch import batch_size, shapes_of_inputs
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """name: unique in the series. batch: see ``trex.perf.batch``. shapes: of the inputs without it. precision: the type
    of most MACs (of most layers if no MACs are known). layers: their number.

    compute_ms, latency_ms: medians, layers_ms: sum of the layer times, throughput: queries per second; None if unknown.
    """

    name: str
    batch: int | None
    shapes: str | None
    precision: str | None
    version: str | None
    gpu: str | None
    layers: int
    layers_ms: float | None
    compute_ms: float | None
    latency_ms: float | None
    throughput: float | None

    @property
    def images_per_s(self) -> float | None:
        """Items per second, throughput × batch."""
        return self.throughput * self.batch if self.throughput is not None and self.batch else None


def facts_of(performance: Performance, name: str, precision: str | None = None) -> EngineFacts:
    """The facts of one engine; never raises, and what the files don't contain is None.

    precision: if it is known from an engine of the same layers.
    """
    plan = performance.plan
    settings = RunSettings(performance)
    measures = performance.reconciliation.measures
    batch = batch_size(plan)
    shapes = (shape for shape in shapes_of_inputs(plan) if shape and is_static(shape))
    rest = ", ".join(sorted(shape_text(shape[1:] if batch and len(shape) > 1 else shape) for shape in shapes))
    return EngineFacts(
        name=name,
        batch=batch,
        shapes=rest or None,
        precision=precision or _precision(performance),
        version=None if settings.version is None else plain_version(settings.version),
        gpu=settings.gpu,
        layers=len(plan.working_layers),
        layers_ms=_positive(plan.layers_ms),
        compute_ms=_positive(measures.compute.ms),
        latency_ms=_positive(measures.latency.ms),
        throughput=measures.throughput,
    )


def unique_names(plans: Sequence[EnginePlan]) -> tuple[str, ...]:
    """The plans' names; repeated names get their folder, and a number if that repeats too."""
    counts = Counter(plan.name for plan in plans)
    seen: Counter[str] = Counter()
    names = []
    for plan in plans:
        name = plan.name
        if counts[name] > 1 and (folder := PurePath(plan.engine.source.partition("!")[0]).parent.name):
            name = f"{folder}/{name}"
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return tuple(names)


def short_names(names: Sequence[str]) -> tuple[str, ...]:
    """The names without the suffixes that all share (``.onnx.engine``), for column headings."""
    shared = PurePath(names[0]).suffixes
    while shared:
        suffix = "".join(shared)
        if all(name.endswith(suffix) and len(name) > len(suffix) for name in names):
            return tuple(name.removesuffix(suffix) for name in names)
        shared = shared[1:]
    return tuple(names)


def _precision(performance: Performance) -> str | None:
    layers = performance.plan.working_layers
    counts: Counter[str] = Counter(layer.precision for layer in layers if layer.compute.data_type.is_known)
    if len(counts) < 2:  # the works would not change it, and take longer than the rest of the facts
        return next(iter(counts), None)
    macs: dict[str, float] = defaultdict(float)
    for layer, work in zip(layers, performance.works, strict=True):
        if layer.compute.data_type.is_known:
            macs[layer.precision] += work.macs or 0.0
    chosen: Mapping[str, float] = macs if any(macs.values()) else counts
    return max(chosen, key=chosen.__getitem__)


def _positive(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) and value > 0.0 else None

"""Performance → EngineFacts: what tells one engine of a series from the others, and its times."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from trex.compare.run_facts import RunFacts
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """name: unique in the series. batch: the leading dimension that all inputs share, None when they share none or it
    is not known. shapes: of the inputs without it, as people read them. precision: the type in which most multiply-adds
    are done (of most layers where none are known). version, gpu: None when not told. layers: how many work.

    compute_ms, latency_ms: medians, layers_ms: sum of the layers, throughput: queries per second; None when not known.
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
    def main_ms(self) -> float | None:
        """GPU compute, else latency, else the sum of the layers."""
        return next((ms for ms in (self.compute_ms, self.latency_ms, self.layers_ms) if ms is not None), None)

    @property
    def image_ms(self) -> float | None:
        """``main_ms`` per item of the batch; None without a known batch."""
        return self.main_ms / self.batch if self.main_ms is not None and self.batch else None

    @property
    def images_per_s(self) -> float | None:
        """Items per second as the host saw them, throughput × batch."""
        return self.throughput * self.batch if self.throughput is not None and self.batch else None


def facts_of(performance: Performance, name: str) -> EngineFacts:
    """Facts of one engine; nothing raises, and what its files do not tell is None."""
    plan = performance.plan
    run = RunFacts(performance)
    measures = performance.reconciliation.measures
    shapes = [shape for shape in _shapes(plan, run) if shape]
    batch = _shared_batch(shapes)
    rest = ", ".join(sorted("x".join(map(str, shape[1:] if batch else shape)) for shape in shapes))
    layers_ms = plan.total_runtime
    return EngineFacts(
        name=name,
        batch=batch,
        shapes=rest or None,
        precision=_precision(performance),
        version=None if run.version is None else run.version.removeprefix("v"),
        gpu=run.gpu,
        layers=len(plan.layers),
        layers_ms=layers_ms if math.isfinite(layers_ms) and layers_ms > 0.0 else None,
        compute_ms=_positive(measures.compute.ms),
        latency_ms=_positive(measures.latency.ms),
        throughput=measures.throughput,
    )


def batch_of(performance: Performance) -> int | None:
    """The leading dimension that all inputs share, None when they share none or it is not known."""
    return _shared_batch([shape for shape in _shapes(performance.plan, RunFacts(performance)) if shape])


def unique_names(plans: Sequence[EnginePlan]) -> tuple[str, ...]:
    """The plans' names; those that repeat tell their folder, too, and are numbered where that repeats."""
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
    """The names without the ending that all share from a dot on (``.onnx.engine``), as columns' headings need them."""
    shared = PurePath(names[0]).suffixes
    while shared:
        ending = "".join(shared)
        if all(name.endswith(ending) and len(name) > len(ending) for name in names):
            return tuple(name.removesuffix(ending) for name in names)
        shared = shared[1:]
    return tuple(names)


def _shared_batch(shapes: Sequence[tuple[int, ...]]) -> int | None:
    batches = {shape[0] for shape in shapes}
    batch = batches.pop() if len(batches) == 1 else None
    return batch if batch is not None and batch > 0 else None


def _shapes(plan: EnginePlan, run: RunFacts) -> Iterator[tuple[int, ...]]:
    """Of the inputs as the run had them, else as the engine fixes them; those that are not wholly known left out."""
    if run.flags.shapes:
        for text in run.flags.shapes.values():
            yield tuple(int(part) for part in re.findall("[0-9]{1,18}", str(text)))
        return
    for binding in plan.engine.bindings:
        shape = None if binding.tensor is None else binding.tensor.shape
        if binding.is_input and shape:
            known = tuple(extent for extent in shape if extent is not None)
            if len(known) == len(shape):
                yield known


def _precision(performance: Performance) -> str | None:
    weights: dict[str, float] = {}
    counts: dict[str, float] = {}
    for layer, work in zip(performance.plan.layers, performance.works, strict=True):
        if layer.compute.data_type.is_known:
            label = layer.precision
            counts[label] = counts.get(label, 0.0) + 1.0
            weights[label] = weights.get(label, 0.0) + float(work.macs or 0.0)
    chosen = weights if any(weights.values()) else counts
    return max(chosen, key=chosen.__getitem__) if chosen else None


def _positive(ms: float | None) -> float | None:
    return ms if ms is not None and math.isfinite(ms) and ms > 0.0 else None

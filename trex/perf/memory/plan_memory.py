"""EnginePlan → Memory: activations over the layers, their peak, stored data, and TensorRT's own figures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from trex.core.collector import collector_paused
from trex.core.engine import Engine
from trex.core.errors import TrexError
from trex.perf.memory.peak import Peak, peak_of
from trex.perf.memory.reported import BLOCK_BYTES, Reported, compared, reported_of
from trex.perf.memory.stored import Stored, stored_of
from trex.perf.memory.timeline import Timeline
from trex.plan.dynamic_shapes import POINTS
from trex.plan.engine_plan import EnginePlan
from trex.plan.lifetimes import CALLER, DEVICE, GIVEN, HOST, Lifetimes, lifetimes_of
from trex.plan.memory import Bytes


@dataclass(frozen=True, slots=True)
class PointPeak:
    """The peak at one point of the optimization profile (``min``, ``opt``, ``max``), and the number of tensors of
    unknown size there, which make it a lower bound.
    """

    point: str
    size_bytes: int
    unknown_count: int


@dataclass(frozen=True, eq=False)
class Memory:
    """The memory that an engine uses while it runs, and what it stores.

    timeline: bytes of live activations at each of ``engine.layers``, those of known size. peak: None if the file has no
    sizes. activations: all values in the engine's own device memory added up, without reuse of memory. bindings: inputs
    and outputs, memory of the caller that always exists and counts separately. given: other data that no layer writes.
    host: values in host memory.

    peak = max over layers i of Σ size of the values with first writer ≤ i ≤ last reader; reuse factor = Σ sizes / peak.
    The peak is the load of dynamic storage allocation, a lower bound for any placement (Garey and Johnson, Computers
    and Intractability, 1979, problem SR2); TensorRT's own total exceeds it by gaps between blocks and scratch space.

    Assumptions: layers run in the file's order, one at a time; a value is live from its
    first writer to its last reader, both included, so no layer works in place; NoOps make views and need nothing;
    sizes are not rounded up; scratch space of kernels is not in the file.

    points: the peak at each known point of the profile, for engines with dynamic shapes. reported: TensorRT's own
    figures, None without a log. comparison: of both, "" if nothing can be compared. side_layers: on auxiliary streams,
    where they may run in parallel with others, so more can be live than in this order.
    """

    engine: Engine
    timeline: Timeline
    peak: Peak | None
    activations: Bytes
    bindings: Bytes
    given: Bytes
    host: Bytes
    untold_layers: int
    side_layers: int
    points: tuple[PointPeak, ...]
    reported: Reported | None
    comparison: str

    @cached_property
    def stored(self) -> Stored:
        """Weights, biases and constants."""
        return stored_of(self.engine)

    @property
    def is_lower_bound(self) -> bool:
        """True if tensors of unknown size, or layers without any, make every figure a lower bound."""
        return bool(self.activations.unknown_count or self.untold_layers)

    @property
    def reuse_factor(self) -> float | None:
        """Sum of all activations ÷ peak: how often memory is reused in one run; None without a peak above 0.

        No planner with a fixed place for each value needs less than the peak, and it may need more: values of different
        sizes leave gaps.
        """
        if self.peak is None or not self.peak.size_bytes:
            return None
        return self.timeline.sum_bytes / self.peak.size_bytes


def memory_of(plan: EnginePlan) -> Memory:
    """The memory of a plan's engine; linear in its layers."""
    with collector_paused():
        return _memory(plan)


def _memory(plan: EnginePlan) -> Memory:
    engine = plan.engine
    values = lifetimes_of(engine)
    numbers, timeline = _timeline(engine, values)
    sizes: dict[str, list[int | None]] = {DEVICE: [], CALLER: [], GIVEN: [], HOST: []}
    for value in values.all:
        sizes[value.memory].append(value.size_bytes)
    activations = _bytes(sizes[DEVICE])
    has_sizes = bool(engine.layers) and not (not numbers and (activations.unknown_count or values.unlisted_layers))
    peak = peak_of(engine, values, numbers, timeline, _batch(engine)) if has_sizes else None
    points = _points(plan)
    reported = reported_of(plan)
    streams = [layer.stream for layer in engine.layers if layer.stream is not None]
    main = streams[0] if streams else None
    return Memory(
        engine=engine,
        timeline=timeline,
        peak=peak,
        activations=activations,
        bindings=_bytes(
            binding.tensor.size_bytes if binding.tensor is not None else None
            for binding in engine.bindings
            if binding.tensor is None or binding.tensor.location != "Host"
        ),
        given=_bytes(sizes[GIVEN]),
        host=_bytes(sizes[HOST]),
        untold_layers=values.unlisted_layers,
        side_layers=sum(stream != main for stream in streams),
        points=points,
        reported=reported,
        comparison=_comparison(plan, peak, points, reported, activations.unknown_count),
    )


def _timeline(engine: Engine, values: Lifetimes, alignment: int = 1) -> tuple[list[int], Timeline]:
    """(indexes of its values, the timeline): values of known size in the engine's own device memory, each of
    which takes a multiple of ``alignment`` bytes.
    """
    kept = [
        (number, value.first, value.last, value.size_bytes)
        for number, value in enumerate(values.all)
        if value.memory == DEVICE and value.size_bytes is not None
    ]
    sizes = [-(-row[3] // alignment) * alignment for row in kept]
    timeline = Timeline([row[1] for row in kept], [row[2] for row in kept], sizes, len(engine.layers))
    return [row[0] for row in kept], timeline


def _points(plan: EnginePlan) -> tuple[PointPeak, ...]:
    """Empty if every shape is fixed, or the profile's shapes are unknown."""
    if not any(b.is_input and b.tensor is not None and None in (b.tensor.shape or ()) for b in plan.engine.bindings):
        return ()
    points = []
    for point in POINTS:
        try:
            engine = plan.at_shapes(point).engine
        except TrexError:
            continue
        values = lifetimes_of(engine)
        unknown = sum(value.memory == DEVICE and value.size_bytes is None for value in values.all)
        points.append(PointPeak(point, _timeline(engine, values)[1].peak_bytes, unknown))
    return tuple(points)


def _comparison(
    plan: EnginePlan, peak: Peak | None, points: Iterable[PointPeak], reported: Reported | None, unknown: int
) -> str:
    """TensorRT allocates for the largest shapes, so those are compared if they are known."""
    largest = next((peak_at for peak_at in points if peak_at.point == "max"), None)
    if reported is None or (peak is None and largest is None):
        return ""
    engine = plan.at_shapes("max").engine if largest is not None else plan.engine
    aligned = _timeline(engine, lifetimes_of(engine), BLOCK_BYTES)[1].peak_bytes
    exact = _timeline(engine, lifetimes_of(engine))[1].peak_bytes
    if largest is not None:
        return compared(reported, exact, aligned, largest.unknown_count, "max")
    return compared(reported, exact, aligned, unknown)


def _batch(engine: Engine) -> int | None:
    """The first dimension of all inputs on the device, if they share one above 1."""
    tensors = [binding.tensor for binding in engine.bindings if binding.is_input]
    leads = {tensor.shape[0] for tensor in tensors if tensor is not None and tensor.shape and tensor.location != "Host"}
    if len(leads) != 1 or None in tensors:
        return None
    lead = leads.pop()
    return lead if lead is not None and lead > 1 else None


def _bytes(sizes: Iterable[int | None]) -> Bytes:
    listed = list(sizes)
    known = [size for size in listed if size is not None]
    return Bytes(sum(known), len(listed) - len(known))

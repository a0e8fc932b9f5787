"""Performance → Charges: every layer's time charged to the ONNX operations that it holds, by one rule.

A fused kernel, a region or an attention kernel has one time for many operations. It is charged so that the parts of a
layer sum to its time exactly, and whole engines compare by operation and by module:

1. A layer that only converts (a reformat that TensorRT put in, a quantizer or cast with a kernel of its own) is no
   operation's: its time goes to the **boundary** between the operations around it, and is told as that.
2. A layer that holds one operation that computes gives it all its time.
3. Of several, each gets a part in proportion to its own roofline time inside the kernel, where what flows between them
   never reaches memory: 2 · multiply-adds over the rate of the layer's arithmetic, plus all other operations over the
   CUDA cores' rate; without a known GPU all operations count alike. With the ONNX model each operation's work is that
   of its formula (in a kernel without a product, at least one operation per value written). Without it, the layer's
   multiply-adds belong to the operations that are products by their names, in equal parts, and its other operations
   (at least one per value written and operation) to the rest.
4. Where no work is known, the operations that compute get equal parts.
5. Views (reshape, transpose) fused with what computes take part for nothing (0 ms); alone they are charged as others.
   Quantizers and casts fused into a kernel are no operations of their own.
6. A region that tells only its two ends holds the operations between them, which the ONNX model tells.
7. What names no operation, and a region without the model, stays **not charged**; what was not timed has no time.
   Neither is ever zero.

An operation that several layers name has the sum of its parts; with the model, its work is shared among those layers in
equal parts first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from trex.compare.aligning.witnesses import CONVERSIONS
from trex.compare.operation_weights import ALONE, BY_NAME, BY_WORK, EQUAL, REGION, OperationWeights, is_product
from trex.core.collector import collector_paused
from trex.core.layer import Layer, Role
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.plan.operations import Effect, effect_of, module_of_name, operator_word, served_by

RULE = (
    "A fused layer's time is charged to its ONNX operations in proportion to their own roofline time inside the kernel "
    "(2 × multiply-adds over the rate of its arithmetic + other operations over that of the CUDA cores), else in equal "
    "parts among those that compute; conversions are charged to the boundary; what names no operation is not charged."
)
FREE = "fused view"
_CAST = ("Cast",)
_RANK = (EQUAL, BY_NAME, BY_WORK, ALONE, FREE)


@dataclass(frozen=True, slots=True)
class Part:
    """What one operation has of the time of the layer at ``place`` of ``plan.layers``."""

    operation: str
    place: int
    ms: float


@dataclass(frozen=True, slots=True)
class OperationTime:
    """ms: the sum of its parts. is_known: False when a layer that holds it has no time, so that ms is only a part.

    kind: the operator by its name (``conv``). module: its place in the model, "" when nothing tells it. places: of the
    layers that hold it. rule: how its parts were found, the least sure of them. stored: how many weights the kernel of
    a product has, which no precision and no batch changes; None for others, and where nothing tells it.
    """

    name: str
    ms: float
    is_known: bool
    kind: str
    module: str
    places: tuple[int, ...]
    rule: str
    stored: int | None = None


@dataclass(frozen=True, slots=True)
class Boundary:
    """A layer that only converts. ms: None when not timed. is_inserted: TensorRT put it in; else a node of the model.

    serves: the operation for which it converts, its reader's first, "" when nothing tells it.
    """

    place: int
    name: str
    ms: float | None
    is_inserted: bool
    serves: str
    module: str


@dataclass(frozen=True, slots=True)
class Uncharged:
    """A layer whose time belongs to no operation that the file names. ms: None when not timed."""

    place: int
    name: str
    ms: float | None
    why: str
    module: str


@dataclass(frozen=True)
class Charges:
    """parts, boundaries and uncharged hold every layer of the plan; their known times sum to ``layers_ms``.

    operations: by name, in the order of execution. untimed: how many layers have no time.
    """

    operations: Mapping[str, OperationTime]
    parts: tuple[Part, ...]
    boundaries: tuple[Boundary, ...]
    uncharged: tuple[Uncharged, ...]
    layers_ms: float
    untimed: int

    @cached_property
    def operations_ms(self) -> float:
        return math.fsum(part.ms for part in self.parts)

    @cached_property
    def inserted_ms(self) -> float:
        """Of conversions that TensorRT put in."""
        return math.fsum(each.ms or 0.0 for each in self.boundaries if each.is_inserted)

    @cached_property
    def converting_ms(self) -> float:
        """Of quantizers and casts of the model that have kernels of their own."""
        return math.fsum(each.ms or 0.0 for each in self.boundaries if not each.is_inserted)

    @cached_property
    def uncharged_ms(self) -> float:
        return math.fsum(each.ms or 0.0 for each in self.uncharged)

    @property
    def is_timed(self) -> bool:
        """False when no layer has a time above 0, so that every sum here is unknown rather than 0."""
        return self.layers_ms > 0.0

    @property
    def total_ms(self) -> float:
        """Sum of all parts: ``layers_ms``, to the last bit."""
        known = [part.ms for part in self.parts]
        known += [each.ms for each in self.boundaries if each.ms is not None]
        known += [each.ms for each in self.uncharged if each.ms is not None]
        return math.fsum(known)


def tells_work(plan: EnginePlan) -> bool:
    """False where the layers tell their names alone, so that nothing weighs what they hold."""
    return any(layer.outputs for layer in plan.layers)


def charges_of(performance: Performance, is_weighed: bool = True) -> Charges:
    """The charges of one plan, in time linear in its layers and operations. Nothing raises. is_weighed: False to charge
    every layer in equal parts, as one must where the other engine cannot be weighed.
    """
    with collector_paused():
        return _charges(performance, is_weighed)


def _charges(performance: Performance, is_weighed: bool) -> Charges:
    weigher = OperationWeights(performance)
    parts: list[Part] = []
    boundaries: list[Boundary] = []
    uncharged: list[Uncharged] = []
    holders: dict[str, list[int]] = {}
    rules: dict[str, int] = {}
    plan = performance.plan
    times = [usable_ms(plan, place) for place in range(len(plan.layers))]
    named = [weigher.names(place) for place in range(len(plan.layers))]
    readers = _first_readers(plan.layers, named)
    for place, layer in enumerate(plan.layers):
        told = named[place]
        if is_conversion(layer, told):
            is_node = bool(told) and all(effect_of(name) is Effect.CONVERTS for name in told)
            reader = readers[place]
            near = () if reader is None else held_among(named[reader])[0]
            serves = next(iter(served_by(layer) or near or told), "")
            module = layer.module or ("" if reader is None else plan.layers[reader].module)
            boundaries.append(Boundary(place, layer.name, times[place], not is_node, serves, module))
            continue
        names, free = held_among(told)
        if not names:
            uncharged.append(Uncharged(place, layer.name, times[place], _why(layer), layer.module))
            continue
        weights, rule = weigher.weights(place, names) if is_weighed else weigher.equal(names)
        for name in (*names, *free):
            holders.setdefault(name, []).append(place)
            rank = _RANK.index(rule if name not in free else FREE)
            rules[name] = min(rules.get(name, len(_RANK)), rank)
        if (ms := times[place]) is not None:
            parts += [Part(name, place, part) for name, part in zip(names, split_exactly(ms, weights), strict=True)]
    sums: dict[str, list[float]] = {}
    for part in parts:
        sums.setdefault(part.operation, []).append(part.ms)
    operations = {
        name: OperationTime(
            name,
            math.fsum(sums.get(name, ())),
            all(times[place] is not None for place in places),
            operator_word(name),
            module_of_name(name) or _module_beside(name, plan.layers[places[0]], named[places[0]]),
            tuple(places),
            _RANK[rules[name]],
            _stored(name, plan.layers[places[0]], named[places[0]]),
        )
        for name, places in holders.items()
    }
    known = [ms for ms in times if ms is not None]
    return Charges(
        operations, tuple(parts), tuple(boundaries), tuple(uncharged), math.fsum(known), len(times) - len(known)
    )


def _module_beside(name: str, layer: Layer, names: Sequence[str]) -> str:
    """Of an operation whose own name tells none: the layer's. That is the place of its product, where it holds one;
    what is fused behind that (an activation, a pooling) stands beside it, in the module around.
    """
    products = [each for each in names if is_product(each)]
    if len(products) != 1 or name in products:
        return layer.module
    return layer.module.rpartition("/")[0] or layer.module[:1]


def _stored(name: str, layer: Layer, names: Sequence[str]) -> int | None:
    """Weights of a kernel whose only product this is."""
    if not is_product(name) or sum(map(is_product, names)) > 1:
        return None
    return layer.weights_cnt or None


def _first_readers(layers: Sequence[Layer], named: Sequence[Sequence[str]]) -> list[int | None]:
    """Per layer the first one behind it that reads what it writes and does more than convert; None without one."""
    found: list[int | None] = [None] * len(layers)
    next_reader: dict[str, int] = {}
    for place in range(len(layers) - 1, -1, -1):
        reading = [next_reader[each.name] for each in layers[place].outputs if each.name in next_reader]
        if reading:
            first = min(reading)
            found[place] = found[first] if is_conversion(layers[first], named[first]) else first
        for tensor in layers[place].outputs:
            next_reader.pop(tensor.name, None)
        for tensor in layers[place].inputs:
            next_reader[tensor.name] = place
    return found


def usable_ms(plan: EnginePlan, place: int) -> float | None:
    """The layer's average time; None for what was not timed, and for numbers that are no times."""
    time = plan.times[place]
    ms = None if time is None else time.average_ms
    return ms if ms is not None and math.isfinite(ms) and ms >= 0.0 else None


def held_among(names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(operations that are charged, views that take part for nothing) of one layer that is no conversion."""
    acts = {name: effect_of(name) for name in names}
    computing = tuple(name for name in names if acts[name] is Effect.COMPUTES)
    viewing = tuple(name for name in names if acts[name] is Effect.VIEWS)
    return (computing, viewing) if computing else (viewing, ())


def is_conversion(layer: Layer, names: Sequence[str]) -> bool:
    """Whether the layer only changes types or layouts, so that its time is the boundary's. names: its operations."""
    if layer.name_parts.wraps:
        return layer.type in CONVERSIONS or "reformat" in layer.name_parts.fusion
    acts = {effect_of(name) for name in names}
    if layer.type in CONVERSIONS or layer.name_parts.tokens == _CAST:
        return Effect.VIEWS not in acts  # TensorRT runs transposes as reformats
    return acts == {Effect.CONVERTS}


def split_exactly(ms: float, weights: Sequence[float]) -> list[float]:
    """Parts of ``ms`` in proportion to the weights that sum to it without any rounding: each is a whole multiple of the
    last bit of ``ms``. Weights that are unknown, or all 0, count alike.
    """
    if len(weights) == 1 or ms == 0.0:
        return [ms] + [0.0] * (len(weights) - 1)
    total = math.fsum(weights)
    if not (math.isfinite(total) and total > 0.0):
        weights, total = [1.0] * len(weights), float(len(weights))
    step = math.ulp(ms)
    steps = int(ms / step)
    counts = [int(steps * (weight / total)) for weight in weights]
    largest = max(range(len(weights)), key=weights.__getitem__)
    counts[largest] += steps - sum(counts)
    return [count * step for count in counts]


def _why(layer: Layer) -> str:
    if layer.role is not Role.KERNEL:
        return f"it is no kernel but {layer.role.value}"
    if REGION in layer.name_parts.fusion:
        return "it is a region that tells only its two ends: give the ONNX model"
    return "it names no ONNX operation"

"""Attribute every layer's time to the ONNX operations that it contains.

A fused kernel, a region or an attention kernel has one time for many operations. It is split so that the shares of a
layer add up to its time exactly and engines can be compared by operation and by module:

1. A layer that only converts (a reformat inserted by TensorRT, or a quantizer or cast with its own kernel) belongs to
   no operation: its time is listed as a **conversion** next to the operation that reads it.
2. If a layer contains one operation that computes, that operation gets all of its time.
3. Several operations get shares in proportion to their roofline times inside the kernel, where data between them never
   reaches memory: 2 · MACs over the rate of the layer's arithmetic plus all other operations over the CUDA cores' rate.
   Without a known GPU, all arithmetic operations count equally. With the ONNX model, the work comes from each
   operation's formula (in a kernel without a GEMM, at least one operation per written value). Without it, the layer's
   MACs are split equally among the operations that are GEMMs by their names, and its other operations (at least one per
   written value and operation) among the rest.
4. If no work is known, the operations that compute get equal shares.
5. Views (reshape, transpose) get 0 ms if fused with operations that compute; alone, they are treated like others.
   Quantizers and casts fused into a kernel are not listed.
6. A region whose name contains only its two ends contains the operations between them, which the ONNX model provides.
7. A layer that names no operation, and a region without the model, is **not attributed**. A layer that was not timed
   has no time. Neither is ever zero.

An operation in several layers gets the sum of its shares; with the model, its work is first split equally among them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from trex.compare.layer_times import layer_ms
from trex.compare.matching.name_evidence import CONVERSIONS
from trex.compare.operation_weights import ALONE, BY_NAME, BY_WORK, EQUAL, REGION, OperationWeights, is_gemm
from trex.core.collector import collector_paused
from trex.core.layer import Layer, Role
from trex.perf.performance import Performance
from trex.plan.engine_plan import EnginePlan
from trex.plan.operations import Effect, effect_of, module_of_name, operation_names, operator_word, served_by

RULE = (
    "The time of a fused layer is attributed to its ONNX operations in proportion to their roofline times inside the "
    "kernel (2 × MACs over the rate of its arithmetic + other operations over the CUDA cores' rate), else in equal "
    "shares to those that compute; conversions are listed separately; layers without ONNX operations are not "
    "attributed."
)
VIEW = "fused view"
_CAST = ("Cast",)
_RULES = (EQUAL, BY_NAME, BY_WORK, ALONE, VIEW)
"""From the least to the most certain."""


@dataclass(frozen=True, slots=True)
class OperationShare:
    """The share of one operation in the time of the layer at ``index`` of ``plan.layers``."""

    operation: str
    index: int
    ms: float


@dataclass(frozen=True, slots=True)
class OperationTime:
    """ms: the sum of its shares. is_known: False if a layer that contains it has no time, so that ms is partial.

    kind: the operator by its name (``conv``). module: its place in the model, "" if unknown. indexes: of the layers
    that contain it. rule: how its shares were computed, the least certain one. weight_count: number of weights of a
    GEMM, which no precision and no batch changes; None for others and if unknown.
    """

    name: str
    ms: float
    is_known: bool
    kind: str
    module: str
    indexes: tuple[int, ...]
    rule: str
    weight_count: int | None = None


@dataclass(frozen=True, slots=True)
class ConversionTime:
    """A layer that only converts. ms: None if not timed. is_inserted: by TensorRT; else a node of the model.

    serves: the operation that reads its result, "" if unknown.
    """

    index: int
    name: str
    ms: float | None
    is_inserted: bool
    serves: str
    module: str


@dataclass(frozen=True, slots=True)
class UnattributedLayer:
    """A layer that names no ONNX operation. ms: None if not timed. why: the reason."""

    index: int
    name: str
    ms: float | None
    why: str
    module: str


@dataclass(frozen=True)
class OperationTimes:
    """shares, conversions and unattributed cover every layer of the plan; their known times add up to ``layers_ms``.

    operations: by name, in execution order. untimed: how many layers have no time.
    """

    operations: Mapping[str, OperationTime]
    shares: tuple[OperationShare, ...]
    conversions: tuple[ConversionTime, ...]
    unattributed: tuple[UnattributedLayer, ...]
    layers_ms: float
    untimed: int

    @cached_property
    def operations_ms(self) -> float:
        return math.fsum(share.ms for share in self.shares)

    @cached_property
    def inserted_ms(self) -> float:
        """Of conversions inserted by TensorRT."""
        return math.fsum(conversion.ms or 0.0 for conversion in self.conversions if conversion.is_inserted)

    @cached_property
    def converting_ms(self) -> float:
        """Of the model's quantizers and casts with their own kernels."""
        return math.fsum(conversion.ms or 0.0 for conversion in self.conversions if not conversion.is_inserted)

    @cached_property
    def unattributed_ms(self) -> float:
        return math.fsum(layer.ms or 0.0 for layer in self.unattributed)

    @property
    def is_timed(self) -> bool:
        """False if no layer has a time above 0, so that every sum here is unknown, not 0."""
        return self.layers_ms > 0.0

    @property
    def total_ms(self) -> float:
        """Sum of all parts: exactly ``layers_ms``."""
        times = (part.ms for parts in (self.shares, self.conversions, self.unattributed) for part in parts)
        return math.fsum(ms for ms in times if ms is not None)


def has_tensors(plan: EnginePlan) -> bool:
    """False if the files contain layer names only, so that no work is known."""
    return any(layer.outputs for layer in plan.working_layers)


def has_operations(plan: EnginePlan) -> bool:
    """Whether any operation would get a time: quicker than ``operation_times_of``."""
    return any(
        split_views(names)[0] and not only_converts(layer, names)
        for layer in plan.working_layers
        if REGION not in layer.name_parts.fusion or layer.name_parts.wraps or plan.model is not None
        for names in (operation_names(layer),)
    )


def operation_times_of(performance: Performance, is_weighted: bool = True) -> OperationTimes:
    """Linear in the plan's layers and operations; never raises.

    is_weighted: False to split every layer equally, as is fair if the other engine's files contain no work.
    """
    with collector_paused():
        return _attributed(performance, is_weighted)


def _attributed(performance: Performance, is_weighted: bool) -> OperationTimes:
    weights_of = OperationWeights(performance)
    shares: list[OperationShare] = []
    conversions: list[ConversionTime] = []
    unattributed: list[UnattributedLayer] = []
    indexes_of: dict[str, list[int]] = {}
    ranks: dict[str, int] = {}
    plan = performance.plan
    times = [layer_ms(plan, index) for index in range(len(plan.working_layers))]
    names_of = [weights_of.names(index) for index in range(len(plan.working_layers))]
    readers = _first_readers(plan.working_layers, names_of)
    for index, layer in enumerate(plan.working_layers):
        all_names = names_of[index]
        if only_converts(layer, all_names):
            is_node = bool(all_names) and all(effect_of(name) is Effect.CONVERTS for name in all_names)
            reader = readers[index]
            read_by = () if reader is None else split_views(names_of[reader])[0]
            serves = next(iter(served_by(layer) or read_by or all_names), "")
            module = layer.module or ("" if reader is None else plan.working_layers[reader].module)
            conversions.append(ConversionTime(index, layer.name, times[index], not is_node, serves, module))
            continue
        names, views = split_views(all_names)
        if not names:
            unattributed.append(UnattributedLayer(index, layer.name, times[index], _why(layer), layer.module))
            continue
        weights, rule = weights_of.weights(index, names) if is_weighted else weights_of.equal(names)
        are_views = set(views)
        for name in (*names, *views):
            indexes_of.setdefault(name, []).append(index)
            rank = _RULES.index(rule if name not in are_views else VIEW)
            ranks[name] = min(ranks.get(name, len(_RULES)), rank)
        if (ms := times[index]) is not None:
            split = zip(names, split_exactly(ms, weights), strict=True)
            shares += [OperationShare(name, index, part) for name, part in split]
    sums: dict[str, list[float]] = {}
    for share in shares:
        sums.setdefault(share.operation, []).append(share.ms)
    gemms_of = {index: [name for name in names if is_gemm(name)] for index, names in enumerate(names_of)}
    operations = {
        name: OperationTime(
            name,
            math.fsum(sums.get(name, ())),
            all(times[index] is not None for index in indexes),
            operator_word(name),
            module_of_name(name) or _module_from_layer(name, plan.working_layers[indexes[0]], gemms_of[indexes[0]]),
            tuple(indexes),
            _RULES[ranks[name]],
            _weight_count(name, plan.working_layers[indexes[0]], gemms_of[indexes[0]]),
        )
        for name, indexes in indexes_of.items()
    }
    known = [ms for ms in times if ms is not None]
    parts = (tuple(shares), tuple(conversions), tuple(unattributed))
    return OperationTimes(operations, *parts, math.fsum(known), len(times) - len(known))


def _module_from_layer(name: str, layer: Layer, gemms: Sequence[str]) -> str:
    """The module of an operation whose own name has none. The layer's module is that of its GEMM; an operation fused
    behind it (an activation, a pooling) is in the enclosing module.
    """
    if len(gemms) != 1 or name in gemms:
        return layer.module
    return layer.module.rpartition("/")[0] or layer.module[:1]


def _weight_count(name: str, layer: Layer, gemms: Sequence[str]) -> int | None:
    """The layer's weights if this is its only GEMM."""
    if not is_gemm(name) or len(gemms) > 1:
        return None
    return layer.weights_cnt or None


def _first_readers(layers: Sequence[Layer], names_of: Sequence[Sequence[str]]) -> list[int | None]:
    """Per layer the first later one that reads its output and does more than convert; None without one."""
    readers: list[int | None] = [None] * len(layers)
    next_reader: dict[str, int] = {}
    for index in range(len(layers) - 1, -1, -1):
        reading = [next_reader[tensor.name] for tensor in layers[index].outputs if tensor.name in next_reader]
        if reading:
            first = min(reading)
            readers[index] = readers[first] if only_converts(layers[first], names_of[first]) else first
        for tensor in layers[index].outputs:
            next_reader.pop(tensor.name, None)
        for tensor in layers[index].inputs:
            next_reader[tensor.name] = index
    return readers


def split_views(names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(operations that get a share, views that get 0 ms) of one layer that does not only convert."""
    acts = {name: effect_of(name) for name in names}
    computing = tuple(name for name in names if acts[name] is Effect.COMPUTES)
    views = tuple(name for name in names if acts[name] is Effect.VIEWS)
    return (computing, views) if computing else (views, ())


def only_converts(layer: Layer, names: Sequence[str]) -> bool:
    """Whether the layer only changes types or layouts. names: its operations."""
    if layer.name_parts.wraps:
        return layer.type in CONVERSIONS or "reformat" in layer.name_parts.fusion
    acts = {effect_of(name) for name in names}
    if layer.type in CONVERSIONS or layer.name_parts.tokens == _CAST:
        return Effect.VIEWS not in acts  # TensorRT runs transposes as reformats
    return acts == {Effect.CONVERTS}


def split_exactly(ms: float, weights: Sequence[float]) -> list[float]:
    """Parts of ``ms`` in proportion to the weights that add up to it without rounding: each is a multiple of the last
    bit of ``ms``. Weights that are unknown or all 0 count equally.
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
        return f"not a kernel: {layer.role.value}"
    if REGION in layer.name_parts.fusion:
        return "a region named by its two ends: pass the ONNX model"
    return "names no ONNX operation"

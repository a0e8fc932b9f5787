"""Draft: a network while it is optimized — steps that become layers, and what was decided on the way."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Any

from trex.core.data_type import DataType
from trex.core.frozen import frozen
from trex.core.model import Model
from trex.core.note import Note
from trex.core.operator import Operator
from trex.core.shape import Shape
from trex.core.tensor_format import UNKNOWN_FORMAT, TensorFormat
from trex.simulator.target import Target


class StepKind(Enum):
    """What a step does when it runs, in the words of TensorRT's layers."""

    ACTIVATION = "activation"
    ATTENTION = "attention"
    CAST = "cast"
    CONCATENATION = "concatenation"
    CONVOLUTION = "convolution"
    DECONVOLUTION = "deconvolution"
    DEQUANTIZE = "dequantize"
    ELEMENTWISE = "elementwise"
    GATHER = "gather"
    IDENTITY = "identity"
    MATRIX_MULTIPLY = "matrix multiply"
    NORMALIZATION = "normalization"
    OPAQUE = "opaque"
    """Not understood: a plugin, a loop, an operator of another domain. Kept as it is."""
    POINTWISE = "pointwise"
    """Elementwise and activation operations that were fused to one kernel (PWN)."""
    POOLING = "pooling"
    QUANTIZE = "quantize"
    REDUCE = "reduce"
    REFORMAT = "reformat"
    """A copy into another type or layout that no operator asked for."""
    REGION = "region"
    """What Myelin compiles as a whole (ForeignNode)."""
    RESIZE = "resize"
    SCALE = "scale"
    """Multiplication and shift by constants, as batch normalization is."""
    SCATTER = "scatter"
    SELECT = "select"
    SHUFFLE = "shuffle"
    """Reshape, transpose, squeeze and their like."""
    SLICE = "slice"
    SOFTMAX = "softmax"
    TOP_K = "top-k"


@frozen
class BuildStep:
    """One layer to be. operators: its ONNX origins, in order of execution; main: the one that names its kind.

    inputs: tensors that it reads when it runs, the main one first; outputs: what it writes. constants: stored tensors
    that it holds (weights, scales). precision: what it computes in, UNKNOWN until that is decided. facts: what passes
    found out that the layer's entry must tell; values are immutable. Those of more than one pass: ``label`` and
    ``silent`` (see the properties), ``activation`` (TensorRT's word for what is applied to the output), ``bias`` (True
    where an addition of constants was taken in), ``pooling`` (the operator that pools the output), ``is_quantized``
    (its weights are), ``is_int8`` (it reads and multiplies INT8).
    """

    kind: StepKind
    operators: tuple[Operator, ...]
    main: Operator | None
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    constants: tuple[str, ...] = ()
    precision: DataType = DataType.UNKNOWN
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def origins(self) -> tuple[str, ...]:
        """Names of the ONNX nodes."""
        return tuple(operator.name for operator in self.operators)

    @property
    def label(self) -> str:
        """The layer's name: its nodes' names, joined as TensorRT joins them, unless a pass wrote another."""
        return str(self.facts.get("label") or " + ".join(self.origins))

    @property
    def named_origins(self) -> tuple[str, ...]:
        """Names of the nodes that the layer's name tells: others are within it ``silent``, as a batch normalization is
        that became part of quantized weights."""
        silent = self.facts.get("silent", ())
        return tuple(name for name in self.origins if name not in silent)

    def with_facts(self, **facts: Any) -> BuildStep:
        return replace(self, facts={**self.facts, **facts})


@dataclass(frozen=True, slots=True)
class Decision:
    """What a pass did and why, as ``trex explain-build`` tells it.

    by: the pass's name. what: one sentence. why: the rule, one sentence. operators: ONNX nodes concerned.
    """

    by: str
    what: str
    why: str
    operators: tuple[str, ...] = ()


@dataclass(frozen=True)
class Draft:
    """steps: in an order in which they can run. types, formats: of tensors where they differ from the model's or were
    decided; see ``type_of`` and ``format_of``. shapes: of tensors that the model does not have.
    """

    model: Model
    target: Target
    steps: tuple[BuildStep, ...]
    types: Mapping[str, DataType] = field(default_factory=dict)
    formats: Mapping[str, TensorFormat] = field(default_factory=dict)
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    decisions: tuple[Decision, ...] = ()
    notes: tuple[Note, ...] = ()

    @cached_property
    def writer(self) -> Mapping[str, int]:
        """{tensor: place of the step that writes it}."""
        return {name: place for place, step in enumerate(self.steps) for name in step.outputs}

    @cached_property
    def readers(self) -> Mapping[str, tuple[int, ...]]:
        """{tensor: places of the steps that read it}, each once."""
        found: dict[str, dict[int, None]] = {}
        for place, step in enumerate(self.steps):
            for name in step.inputs:
                found.setdefault(name, {})[place] = None
        return {name: tuple(places) for name, places in found.items()}

    @cached_property
    def results(self) -> frozenset[str]:
        """Tensors that the caller gets."""
        return frozenset(value.name for value in self.model.outputs)

    def type_of(self, tensor: str) -> DataType:
        value = self.types.get(tensor)
        if value is None:
            known = self.model.value(tensor)
            value = DataType.UNKNOWN if known is None else known.data_type
        return value

    def format_of(self, tensor: str) -> TensorFormat:
        return self.formats.get(tensor, UNKNOWN_FORMAT)

    def shape_of(self, tensor: str) -> Shape | None:
        shape = self.shapes.get(tensor)
        if shape is None:
            value = self.model.value(tensor)
            shape = None if value is None else value.shape
        return shape


def in_order(steps: Iterable[BuildStep], given: Iterable[str] = ()) -> tuple[BuildStep, ...]:
    """The steps in an order in which each can run: the one given as far as it goes, earlier ones first. Steps of a
    cycle stay at the end as they were. given: tensors that need no writer; so are those that nobody writes.
    """
    listed = list(steps)
    writer = {name: place for place, step in enumerate(listed) for name in step.outputs}
    for name in given:
        writer.pop(name, None)
    waiting: list[set[int]] = []
    followers: list[list[int]] = [[] for _ in listed]
    for place, step in enumerate(listed):
        before = {writer[name] for name in step.inputs if name in writer} - {place}
        waiting.append(before)
        for each in before:
            followers[each].append(place)
    ready = [place for place, before in enumerate(waiting) if not before]
    heapq.heapify(ready)
    order: list[int] = []
    while ready:
        place = heapq.heappop(ready)
        order.append(place)
        for follower in followers[place]:
            waiting[follower].discard(place)
            if not waiting[follower]:
                heapq.heappush(ready, follower)
    done = set(order)
    order += [place for place in range(len(listed)) if place not in done]
    return tuple(listed[place] for place in order)

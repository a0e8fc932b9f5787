"""NetworkDraft: a network during its optimization: steps that become layers, and the decisions of the passes."""

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
    """The kind of a step, by the names of TensorRT's layers."""

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
    """An unknown operator: a plugin, a loop, another domain. It stays unchanged."""
    POINTWISE = "pointwise"
    """Elementwise and activation operations fused to one kernel (PWN)."""
    POOLING = "pooling"
    QUANTIZE = "quantize"
    REDUCE = "reduce"
    REFORMAT = "reformat"
    """A reformat into another type or format that is no operator of the model."""
    REGION = "region"
    """A part that Myelin compiles as a whole (ForeignNode)."""
    RESIZE = "resize"
    SCALE = "scale"
    """Multiplication and shift by constants, such as batch normalization."""
    SCATTER = "scatter"
    SELECT = "select"
    SHUFFLE = "shuffle"
    """Reshape, transpose, squeeze and similar."""
    SLICE = "slice"
    SOFTMAX = "softmax"
    TOP_K = "top-k"


@frozen
class BuildStep:
    """A future layer. operators: its ONNX origins, in order of execution; main: the one that determines its kind.

    inputs: tensors that it reads at run time, the main one first; outputs: those it writes. constants: stored tensors
    (weights, scales). precision: of the computation, UNKNOWN until decided. facts: findings of the passes for the
    layer's record; values are immutable. Facts of more than one pass: ``label`` (see the property),
    ``activation`` (TensorRT's word for the output's activation), ``bias`` (True if an addition of constants was fused),
    ``pooling`` (the operator that pools the output), ``is_quantized`` (its weights are), ``is_int8`` (it reads and
    multiplies INT8).
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
        """The layer's name: its nodes' names, joined as in TensorRT, unless a pass set another."""
        return str(self.facts.get("label") or " + ".join(self.origins))

    def with_facts(self, **facts: Any) -> BuildStep:
        return replace(self, facts={**self.facts, **facts})


@dataclass(frozen=True, slots=True)
class Decision:
    """What a pass did and why, for ``trex explain-build``.

    by: the pass's name. what: one sentence. why: the rule, one sentence. operators: ONNX nodes concerned.
    """

    by: str
    what: str
    why: str
    operators: tuple[str, ...] = ()


@dataclass(frozen=True)
class NetworkDraft:
    """steps: in an executable order. types, formats: of tensors if decided or different from the model's; see
    ``type_of`` and ``format_of``. shapes: of tensors that the model does not have.
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
        """{tensor: index of the step that writes it}."""
        return {name: index for index, step in enumerate(self.steps) for name in step.outputs}

    @cached_property
    def readers(self) -> Mapping[str, tuple[int, ...]]:
        """{tensor: indexes of the steps that read it}, each once."""
        indexes: dict[str, dict[int, None]] = {}
        for index, step in enumerate(self.steps):
            for name in step.inputs:
                indexes.setdefault(name, {})[index] = None
        return {name: tuple(steps) for name, steps in indexes.items()}

    @cached_property
    def results(self) -> frozenset[str]:
        """Outputs of the network."""
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
    """The steps in an executable order, as close to the given one as possible. Steps of a cycle stay at the end,
    unchanged. given: tensors that need no writer, in addition to those without one.
    """
    listed = list(steps)
    writer = {name: index for index, step in enumerate(listed) for name in step.outputs}
    for name in given:
        writer.pop(name, None)
    if all(writer.get(name, -1) <= index for index, step in enumerate(listed) for name in step.inputs):
        return tuple(listed)
    waiting: list[set[int]] = []
    followers: list[list[int]] = [[] for _ in listed]
    for index, step in enumerate(listed):
        before = {writer[name] for name in step.inputs if name in writer} - {index}
        waiting.append(before)
        for producer in before:
            followers[producer].append(index)
    ready = [index for index, before in enumerate(waiting) if not before]
    heapq.heapify(ready)
    order: list[int] = []
    while ready:
        index = heapq.heappop(ready)
        order.append(index)
        for follower in followers[index]:
            waiting[follower].discard(index)
            if not waiting[follower]:
                heapq.heappush(ready, follower)
    done = set(order)
    order += [index for index in range(len(listed)) if index not in done]
    return tuple(listed[index] for index in order)

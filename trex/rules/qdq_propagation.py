"""Q/DQ propagation: which quantize and dequantize on the other side of an operator than the model has them.

TensorRT moves QuantizeLinear towards the inputs and DequantizeLinear towards the outputs over operators that give the
same result on quantized values (TensorRT Developer Guide: Working with Quantized Types, Q/DQ propagation). The ONNX
model contains where they were; the types of adjacent tensors show where they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from trex.core.layer import Layer
from trex.core.model import Model
from trex.core.operator import Operator
from trex.plan.listed_operands import product_type
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.operators import DEQUANTIZES, GEMMS, QUANTIZES, is_quantization, operations_of, operator_word
from trex.rules.type_flow import QUANTIZED
from trex.rules.wording import listed, main_operation, main_operation_of, repeated_name, type_and_layout

IN_PLACE, MOVED, OF_WEIGHTS, UNKNOWN = "in place", "moved", "of weights", "unknown"

COMMUTING = frozenset(
    {"maxpool", "globalmaxpool", "reshape", "transpose", "flatten", "squeeze", "unsqueeze", "expand", "tile"}
    | {"depthtospace", "spacetodepth", "slice", "split", "concat", "concatenation", "gather", "identity", "shuffle"}
)
"""Operators that select, order or repeat values: quantizing before or after them gives the same."""
_NUMBERED = re.compile(r"[A-Za-z]+_\d+$")
_MAX_HOPS = 6
_MAX_STEPS = 64


@dataclass(frozen=True, slots=True)
class Propagation:
    """status: ``in place``, ``moved``, ``of weights`` or ``unknown``. over: the operators between where the model has
    a Q/DQ and where it runs, the one nearest to its old place first. into: index of the layer that does its work now,
    None if unknown. why: the evidence, or the reason why it is unknown.
    """

    status: str
    over: tuple[str, ...] = ()
    into: int | None = None
    why: str = ""


_ONLY_IN_MODEL = Propagation(UNKNOWN, why="only the ONNX model contains where it was")


class PropagationFinder:
    """Asked for one Q/DQ after the other; what it needs of the engine is indexed once."""

    def __init__(self, engine: AnalyzedEngine) -> None:
        self._engine = engine
        self._of_weights: dict[int, Mapping[str, Propagation]] = {}
        # Kept: many Q/DQ may lead to one operator or layer, and that to many.
        self._only_commutes = cache(self._has_only_commuting)
        self._are_quantized_again = cache(self._has_only_quantizers)
        self._reader = cache(lambda position: _only(engine.flow.readers(position)))
        self._writer = cache(lambda position: _only(engine.flow.writers(position)))
        self._quantizer = cache(lambda position: next(filter(engine.flow.quantizes, engine.after(position)), None))
        self._dequantizer = cache(lambda position: next(filter(engine.flow.dequantizes, engine.before(position)), None))

    def of(self, operation: str, quantizes: bool, position: int | None) -> Propagation:
        """position: of the layer that names the operation, None if no layer does."""
        model = self._engine.plan.model
        if model is not None:
            operators = model.by_name.get(operation, ())
            if len(operators) == 1:
                return self._by_model(model, operators[0], quantizes)
            if operators:
                return Propagation(UNKNOWN, why=f"the model has {len(operators)} operators of this name")
        if position is None:
            return Propagation(UNKNOWN, why="no layer names it")
        if quantizes:
            of_weights = self._of_weights.get(position)
            if of_weights is None:
                of_weights = self._of_weights[position] = _of_weights(self._engine.layers[position])
            if operation in of_weights:
                return of_weights[operation]
        return _ONLY_IN_MODEL

    def _by_model(self, model: Model, operator: Operator, quantizes: bool) -> Propagation:
        if not operator.inputs or not operator.outputs:
            return Propagation(UNKNOWN, why="its inputs or outputs are missing in the model")
        if operator.inputs[0] in model.constants:
            return Propagation(OF_WEIGHTS, why="the model stores its input")
        step = self._towards_inputs if quantizes else self._towards_outputs
        return step(model, operator)

    def _towards_inputs(self, model: Model, operator: Operator) -> Propagation:
        over: list[str] = []
        value, last = operator.inputs[0], None
        producer = model.producers.get(value)
        for _ in range(_MAX_STEPS):
            if producer is None or not self._commutes(producer):
                break
            position = self._position_of.get(producer.index)
            if position is not None:  # else it has no layer of its own: a change of shape that needs no work
                type_ = self._engine.flow.reads[position]
                if not type_.is_known:
                    return Propagation(UNKNOWN, why=f"the types of {repeated_name(producer.name)} are unknown")
                if type_ not in QUANTIZED or not self._only_commutes(position):
                    break
                over.append(repeated_name(producer.name))
                last = position
            value = producer.inputs[0]
            producer = model.producers.get(value)
        if producer is not None and _word(producer) in QUANTIZES | DEQUANTIZES:
            return Propagation(
                IN_PLACE, why=f"{repeated_name(producer.name)} comes before the tensor that it quantizes"
            )
        if last is not None:
            return self._moved(over, "after", last, self._writer(last))
        for _ in range(_MAX_HOPS):  # possibly no layer names a fused activation
            if producer is None or producer.index in self._position_of or not producer.inputs:
                break
            producer = model.producers.get(producer.inputs[0])
        if producer is None:
            return Propagation(IN_PLACE, why="it is at an input of the network")
        before = self._position_of.get(producer.index)
        if before is None:
            return Propagation(UNKNOWN, why="no layer names the operators before it in the model")
        if self._engine.flow.writes[before] not in QUANTIZED:
            copy = self._quantizer(before)
            into = None if copy is None else self._engine.layers[copy].index
            return Propagation(IN_PLACE, (), into, "the operator before it in the model writes floats")
        layer = self._engine.layers[before]
        why = f"{main_operation_of(before, self._engine)} writes {type_and_layout(layer.outputs[0])}"
        return Propagation(IN_PLACE, (), layer.index, why)

    def _towards_outputs(self, model: Model, operator: Operator) -> Propagation:
        """A dequantize with several readers is copied: one of its copies may have moved."""
        consumers = model.consumers.get(operator.outputs[0], ())
        answers = [self._along(model, consumer) for consumer in consumers if self._commutes(consumer)]
        known = [answer for answer in answers if answer is not None]
        if known:
            return min(known, key=lambda answer: (MOVED, UNKNOWN, IN_PLACE).index(answer.status))
        if any(_word(consumer) in QUANTIZES for consumer in consumers):
            return Propagation(IN_PLACE, why=f"{repeated_name(consumers[0].name)} quantizes again after it")
        flow, layers = self._engine.flow, self._engine.layers
        positions = [self._position_of[consumer.index] for consumer in consumers if consumer.index in self._position_of]
        for position in positions:
            if flow.reads[position] in QUANTIZED:
                why = f"{main_operation_of(position, self._engine)} reads {type_and_layout(layers[position].inputs[0])}"
                return Propagation(IN_PLACE, (), layers[position].index, why)
        copies = (copy for position in positions if (copy := self._dequantizer(position)) is not None)
        into = next((layers[copy].index for copy in copies), None)
        return Propagation(IN_PLACE, (), into, "the operator after it in the model reads floats")

    def _along(self, model: Model, operator: Operator) -> Propagation | None:
        """Over this operator and those after it; None if it does not run on quantized values."""
        over: list[str] = []
        last = None
        consumers: Sequence[Operator] = (operator,)
        value = ""
        for _ in range(_MAX_STEPS):
            if len(consumers) != 1 or not self._commutes(consumers[0]):
                break
            position = self._position_of.get(consumers[0].index)
            if position is not None:
                type_ = self._engine.flow.writes[position]
                if not type_.is_known:
                    return Propagation(UNKNOWN, why=f"the types of {repeated_name(consumers[0].name)} are unknown")
                if type_ not in QUANTIZED or not self._only_commutes(position):
                    break
                over.append(repeated_name(consumers[0].name))
                last = position
            value = consumers[0].outputs[0]
            consumers = model.consumers.get(value, ())
        if value and self._are_quantized_again(value):
            return Propagation(IN_PLACE, why=f"{repeated_name(consumers[0].name)} quantizes again after it")
        if last is None:
            return None
        return self._moved(over, "before", last, self._reader(last))

    def _moved(self, over: Sequence[str], side: str, last: int, into: int | None) -> Propagation:
        layer = self._engine.layers[last]
        verb = "runs" if len(over) == 1 else "run"
        pronoun = "it" if len(over) == 1 else "them"
        why = f"{listed(over)} {verb} in {self._engine.flow.reads[last].label}; the model has it {side} {pronoun}"
        if into is None:
            return Propagation(MOVED, tuple(over), None, why)
        other = self._engine.layers[into]
        tensor = layer.inputs[0] if side == "after" else layer.outputs[0]
        does = "writes" if side == "after" else "reads"
        why = f"{why}; {main_operation_of(into, self._engine)} {does} {type_and_layout(tensor)}"
        return Propagation(MOVED, tuple(over), other.index, why)

    def _commutes(self, operator: Operator) -> bool:
        return not operator.domain and _word(operator) in COMMUTING and bool(operator.inputs and operator.outputs)

    @cached_property
    def _position_of(self) -> Mapping[int, int]:
        """{operator's index in the model: position of the layer that it is in}."""
        origins = self._engine.plan.onnx_origins
        groups = () if origins is None else origins.operators
        return {operator.index: position for position, group in enumerate(groups) for operator in group}

    def _has_only_quantizers(self, value: str) -> bool:
        """Whether operators of the model read the value, and all quantize it."""
        model = self._engine.plan.model
        consumers = () if model is None else model.consumers.get(value, ())
        return bool(consumers) and all(_word(consumer) in QUANTIZES for consumer in consumers)

    def _has_only_commuting(self, position: int) -> bool:
        """Whether everything that the layer computes commutes with quantization."""
        origins = self._engine.plan.onnx_origins
        if origins is not None and origins.operators[position]:
            words = {_word(operator) for operator in origins.operators[position]}
        else:
            words = {operator_word(operation) for operation in operations_of(self._engine.layers[position])}
        words -= QUANTIZES | DEQUANTIZES
        return bool(words) and words <= COMMUTING


def _of_weights(layer: Layer) -> Mapping[str, Propagation]:
    """``conv1.weight + QuantizeLinear_7 + Conv_9``: {operation between stored weights and the GEMM that reads them}."""
    if product_type(layer) not in GEMMS | {"CaskGemmConvolution"}:
        return {}
    propagation = Propagation(OF_WEIGHTS, why=f"{main_operation(layer)} names it right after its weights")
    names = layer.name_parts.operations
    followed: dict[str, str] = {}
    for stored, operation in zip(("", *names), names[:-1]):
        followed.setdefault(operation, stored)
    return {
        operation: propagation
        for operation, stored in followed.items()
        if stored and not _NUMBERED.fullmatch(stored) and not is_quantization(stored)
    }


def _only(positions: Sequence[int]) -> int | None:
    return positions[0] if len(positions) == 1 else None


def _word(operator: Operator) -> str:
    return operator_word(operator.type)

"""Moves of Q/DQ: which quantize or dequantize on the other side of an operator than the model has them.

TensorRT moves QuantizeLinear towards the beginning and DequantizeLinear towards the end over operators that give the
same result on quantized values (TensorRT Developer Guide: Working with Quantized Types, Q/DQ propagation). The ONNX
model tells where they were; without it the numbers do that exporters give their nodes in order (``QuantizeLinear_15``,
``MaxPool_12``), where names have such numbers. Types of the tensors around tell where they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from trex.core.layer import Layer
from trex.rules.type_flow import (
    DEQUANTIZES,
    PRODUCTS,
    QUANTIZED,
    QUANTIZES,
    is_quantization,
    operations_of,
    operator_word,
)
from trex.rules.wording import listed, main_operation, type_and_layout

if TYPE_CHECKING:
    from trex.core.model import Model
    from trex.core.operator import Operator
    from trex.rules.analyzed_engine import Inspected

IN_PLACE, MOVED, OF_WEIGHTS, CANNOT_TELL = "in place", "moved", "of weights", "cannot tell"

COMMUTING = frozenset(
    {"maxpool", "globalmaxpool", "reshape", "transpose", "flatten", "squeeze", "unsqueeze", "expand", "tile"}
    | {"depthtospace", "spacetodepth", "slice", "split", "concat", "concatenation", "gather", "identity", "shuffle"}
)
"""Words of operators that select, order or repeat values: quantizing before or after them gives the same."""
_NUMBERED = re.compile(r"[A-Za-z]+_(\d+)$")
_LEAST_TRUST = 0.95
_MOST_HOPS = 6
_MOST_STEPS = 64


@dataclass(frozen=True, slots=True)
class Move:
    """place: ``in place``, ``moved``, ``of weights`` or ``cannot tell``. over: the operators between where the model
    has it and where it runs, the nearest to its old place first. into: index of the layer that does its work now, None
    where that is not known. why: the evidence, or the reason why it cannot be told.
    """

    place: str
    over: tuple[str, ...] = ()
    into: int | None = None
    why: str = ""


NOT_LOOKED_AT = Move(CANNOT_TELL)


class Moves:
    """Asked for one Q/DQ after the other; what is needed of the engine is indexed once."""

    def __init__(self, seen: Inspected) -> None:
        self._seen = seen

    def of(self, operation: str, quantizes: bool, place: int | None) -> Move:
        """place: of the layer that names it, None where none does."""
        model = self._seen.plan.model
        if model is not None:
            found = model.by_name.get(operation, ())
            if len(found) == 1:
                return self._by_model(model, found[0], quantizes)
            if found:
                return Move(CANNOT_TELL, why=f"the model has {len(found)} operators of this name")
        if place is None:
            return Move(CANNOT_TELL, why="no layer names it")
        return self._by_numbers(operation, quantizes, place)

    # ------------------------------------------------------------------------------------------------------ the model

    def _by_model(self, model: Model, operator: Operator, quantizes: bool) -> Move:
        if not operator.inputs or not operator.outputs:
            return Move(CANNOT_TELL, why="the model does not tell what it reads and writes")
        if operator.inputs[0] in model.constants:
            return Move(OF_WEIGHTS, why="the model stores what it reads")
        step = self._towards_the_beginning if quantizes else self._towards_the_end
        return step(model, operator)

    def _towards_the_beginning(self, model: Model, operator: Operator) -> Move:
        over: list[str] = []
        value, last = operator.inputs[0], None
        producer = model.producers.get(value)
        for _ in range(_MOST_STEPS):
            if producer is None or not self._commutes(producer):
                break
            place = self._place_of.get(producer.index)
            if place is not None:  # else it has no layer of its own: a change of shape that needs no work
                type_ = self._seen.flow.reads[place]
                if not type_.is_known:
                    return Move(CANNOT_TELL, why=f"the types of {producer.name} are unknown")
                if type_ not in QUANTIZED or not self._is_alone(place):
                    break
                over.append(producer.name)
                last = place
            value = producer.inputs[0]
            producer = model.producers.get(value)
        if producer is not None and _word(producer) in QUANTIZES | DEQUANTIZES:
            return Move(IN_PLACE, why=f"{producer.name} stands before what it quantizes")
        if last is not None:
            writers = self._seen.flow.writers(last)
            return self._moved(over, "behind", last, writers[0] if len(writers) == 1 else None)
        for _ in range(_MOST_HOPS):  # an activation that fused may be named by no layer
            if producer is None or producer.index in self._place_of or not producer.inputs:
                break
            producer = model.producers.get(producer.inputs[0])
        if producer is None:
            return Move(IN_PLACE, why="it stands at an input of the network")
        before = self._place_of.get(producer.index)
        if before is None:
            return Move(CANNOT_TELL, why="no layer names what stands before them in the model")
        if self._seen.flow.writes[before] not in QUANTIZED:
            copies = filter(self._seen.flow.quantizes, self._seen.after(before))
            why = "what stands before it in the model writes floats"
            return Move(IN_PLACE, (), next((self._seen.layers[each].index for each in copies), None), why)
        layer = self._seen.layers[before]
        return Move(IN_PLACE, (), layer.index, f"{main_operation(layer)} writes {type_and_layout(layer.outputs[0])}")

    def _towards_the_end(self, model: Model, operator: Operator) -> Move:
        """A dequantize with several readers is copied: one of its copies may have moved."""
        consumers = model.consumers.get(operator.outputs[0], ())
        answers = [self._along(model, each) for each in consumers if self._commutes(each)]
        told = [each for each in answers if each is not None]
        if told:
            return min(told, key=lambda each: (MOVED, CANNOT_TELL, IN_PLACE).index(each.place))
        if any(_word(each) in QUANTIZES for each in consumers):
            return Move(IN_PLACE, why=f"{consumers[0].name} quantizes again behind it")
        flow, layers = self._seen.flow, self._seen.layers
        places = [self._place_of[each.index] for each in consumers if each.index in self._place_of]
        for place in places:
            if flow.reads[place] in QUANTIZED:
                why = f"{main_operation(layers[place])} reads {type_and_layout(layers[place].inputs[0])}"
                return Move(IN_PLACE, (), layers[place].index, why)
        copies = [copy for place in places for copy in self._seen.before(place) if flow.dequantizes(copy)]
        why = "what stands behind it in the model reads floats"
        return Move(IN_PLACE, (), layers[copies[0]].index if copies else None, why)

    def _along(self, model: Model, operator: Operator) -> Move | None:
        """Over this operator and those behind it; None where it does not run on quantized values."""
        over: list[str] = []
        last = None
        consumers: Sequence[Operator] = (operator,)
        for _ in range(_MOST_STEPS):
            if len(consumers) != 1 or not self._commutes(consumers[0]):
                break
            place = self._place_of.get(consumers[0].index)
            if place is not None:
                type_ = self._seen.flow.writes[place]
                if not type_.is_known:
                    return Move(CANNOT_TELL, why=f"the types of {consumers[0].name} are unknown")
                if type_ not in QUANTIZED or not self._is_alone(place):
                    break
                over.append(consumers[0].name)
                last = place
            consumers = model.consumers.get(consumers[0].outputs[0], ())
        if consumers and all(_word(each) in QUANTIZES for each in consumers):
            return Move(IN_PLACE, why=f"{consumers[0].name} quantizes again behind it")
        if last is None:
            return None
        readers = self._seen.flow.readers(last)
        return self._moved(over, "before", last, readers[0] if len(readers) == 1 else None)

    def _moved(self, over: Sequence[str], side: str, last: int, into: int | None) -> Move:
        layer = self._seen.layers[last]
        verb = "runs" if len(over) == 1 else "run"
        why = f"{listed(over)} {verb} on {self._seen.flow.reads[last].label}, and the model has it {side} that"
        if into is None:
            return Move(MOVED, tuple(over), None, why)
        other = self._seen.layers[into]
        tensor = layer.inputs[0] if side == "behind" else layer.outputs[0]
        does = "writes" if side == "behind" else "reads"
        return Move(MOVED, tuple(over), other.index, f"{why}; {main_operation(other)} {does} {type_and_layout(tensor)}")

    def _commutes(self, operator: Operator) -> bool:
        return not operator.domain and _word(operator) in COMMUTING and bool(operator.inputs and operator.outputs)

    @cached_property
    def _place_of(self) -> Mapping[int, int]:
        """{operator's index in the model: place of the layer that it is in}."""
        origins = self._seen.plan.onnx_origins
        groups = () if origins is None else origins.operators
        return {operator.index: place for place, group in enumerate(groups) for operator in group}

    def _is_alone(self, place: int) -> bool:
        """Whether everything that the layer computes commutes with quantization."""
        origins = self._seen.plan.onnx_origins
        if origins is not None and origins.operators[place]:
            words = {_word(each) for each in origins.operators[place]}
        else:
            words = {operator_word(each) for each in operations_of(self._seen.layers[place])}
        words -= QUANTIZES | DEQUANTIZES
        return bool(words) and words <= COMMUTING

    # ---------------------------------------------------------------------------------------------------- the numbers

    def _by_numbers(self, operation: str, quantizes: bool, place: int) -> Move:
        layer = self._seen.layers[place]
        if quantizes and _is_of_weights(layer, operation):
            return Move(OF_WEIGHTS, why=f"{main_operation(layer)} names it between its weights and itself")
        number = _number(operation)
        if number is None or not self._are_in_order:
            return Move(CANNOT_TELL, why="names do not tell the order that the model has them in")
        # A quantize may have passed what now comes behind it, a dequantize what now comes before.
        passed, other = (self._seen.after, self._seen.before) if quantizes else (self._seen.before, self._seen.after)
        over: list[int] = []
        level = self._numbered(place, passed)
        while wrong := [each for each in level if self._stands(number, each, quantizes)]:
            if not all(map(self._is_alone, wrong)) or len(over) > _MOST_HOPS:
                return Move(CANNOT_TELL, why="the numbers in the names contradict the order of the layers")
            over += wrong
            level = [further for each in wrong for further in self._numbered(each, passed)]
        if any(self._stands(number, each, not quantizes) for each in self._numbered(place, other)):
            return Move(CANNOT_TELL, why="the numbers in the names contradict the order of the layers")
        if not over:
            return Move(IN_PLACE, (), layer.index, "the numbers in the names are in the order of the layers")
        names = tuple(dict.fromkeys(main_operation(self._seen.layers[each]) for each in reversed(over)))
        side, now = ("behind", "before") if quantizes else ("before", "behind")
        why = f"by the exporter's numbers {operation} stood {side} {listed(names)}, and it runs {now}"
        return Move(MOVED, names, layer.index, why)

    def _stands(self, number: int, place: int, is_behind: bool) -> bool:
        """Whether an operator of this number stood behind, else before, all that the layer is made of."""
        numbers = self._numbers[place]
        return number > max(numbers) if is_behind else number < min(numbers)

    def _numbered(self, place: int, following: Callable[[int], Sequence[int]]) -> list[int]:
        """The next layers with numbers, seen through those without."""
        found: dict[int, None] = {}
        level = list(following(place))
        for _ in range(_MOST_HOPS):
            found |= dict.fromkeys(each for each in level if self._numbers[each])
            level = [further for each in level if not self._numbers[each] for further in following(each)]
            if not level:
                break
        return list(found)

    @cached_property
    def _numbers(self) -> tuple[tuple[int, ...], ...]:
        """Per place: the numbers of its operators, Q/DQ and what is stored left out."""
        return tuple(
            tuple(
                number
                for operation in operations_of(layer)
                if not is_quantization(operation) and (number := _number(operation)) is not None
            )
            for layer in self._seen.layers
        )

    @cached_property
    def _are_in_order(self) -> bool:
        """Whether numbers rise along the data: then they are those of an exporter that counts its nodes."""
        right = wrong = 0
        for place, numbers in enumerate(self._numbers):
            for before in self._seen.before(place) if numbers else ():
                if self._numbers[before]:
                    is_right = max(self._numbers[before]) < max(numbers)
                    right, wrong = right + is_right, wrong + (not is_right)
        return right + wrong > 0 and right >= _LEAST_TRUST * (right + wrong)


def _is_of_weights(layer: Layer, operation: str) -> bool:
    """``conv1.weight + QuantizeLinear_7 + Conv_9``: between what is stored and the product that reads it."""
    names: Iterable[str] = layer.name_parts.operations
    names = list(names)
    if layer.type not in PRODUCTS | {"CaskGemmConvolution"} or operation not in names:
        return False
    place = names.index(operation)
    stored = names[place - 1] if place else ""
    return bool(stored) and _number(stored) is None and not is_quantization(stored) and place + 1 < len(names)


def _number(operation: str) -> int | None:
    found = _NUMBERED.fullmatch(operation)
    return int(found[1]) if found else None


def _word(operator: Operator) -> str:
    return operator_word(operator.type)

"""ModelEdit: a change of a model, Model → Model, such as quantizers that are not there yet; and its registry.

Only what is known of a model is changed, never the file: a change tells whether it is worth making.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from trex.core.data_type import DataType
from trex.core.model import Model
from trex.core.operator import Operator, Value
from trex.core.registry import Plug, Registry
from trex.core.shape import Shape

QUANTIZE, DEQUANTIZE = "QuantizeLinear", "DequantizeLinear"


@dataclass(frozen=True, slots=True)
class ModelEdit:
    """title: what is asked for, as a row of a table says it. edit: changes the sketch that it is given."""

    title: str
    edit: Callable[[Sketch], None]


EDITS = Registry("trex.simulator.edits", "EDIT")


def edited(model: Model, plugs: Iterable[Plug]) -> Model:
    """The model after the changes, in their order."""
    for plug in plugs:
        sketch = Sketch(model)
        plug.value.edit(sketch)
        model = sketch.model()
    return model


class Sketch:
    """A model in the hands of one change."""

    def __init__(self, model: Model) -> None:
        self.before = model
        self.changes = 0
        self._values: dict[str, Value] = dict(model.values)
        self._inputs: dict[int, dict[int, str]] = {}
        self._added: dict[int, list[Operator]] = {}
        self._dropped: set[int] = set()
        self._renamed: dict[str, str] = {}
        self._pairs: dict[str, str] = {}

    def read_instead(self, operator: Operator, place: int, name: str) -> None:
        """Lets an operator read another value as its input of that number."""
        self._inputs.setdefault(operator.index, {})[place] = name
        self.changes += 1

    def quantize_input(self, operator: Operator, place: int) -> None:
        """Puts a quantizer and a dequantizer before an input, with the scale of a quantizer that reads the same value
        where there is one; operators whose input is quantized alike share them.
        """
        name = operator.inputs[place]
        alike = next((each for each in self.before.consumers.get(name, ()) if each.type == QUANTIZE), None)
        with_ = alike.inputs[1:] if alike is not None else self._scale(name, ())
        self.read_instead(operator, place, self._pair(name, with_, operator.index))

    def quantize_weights(self, operator: Operator, place: int, axis: int) -> None:
        """The same before stored weights, with a scale for each of the channels along ``axis``."""
        name = operator.inputs[place]
        value = self._values[name]
        channels = value.shape[axis] if value.shape else None
        with_ = self._scale(name, () if channels is None else (channels,))
        self.read_instead(operator, place, self._pair(name, with_, operator.index))

    def drop(self, operator: Operator) -> None:
        """Takes an operator out; who read its first output reads its first input instead."""
        self._dropped.add(operator.index)
        self._renamed[operator.outputs[0]] = operator.inputs[0]
        self.changes += 1

    def model(self) -> Model:
        """The changed model, its operators numbered anew."""
        operators: list[Operator] = []
        for operator in self.before.operators:
            for each in self._added.get(operator.index, ()):
                operators.append(replace(each, index=len(operators)))
            if operator.index in self._dropped:
                continue
            changed = self._inputs.get(operator.index, {})
            inputs = tuple(self._told(changed.get(place, name)) for place, name in enumerate(operator.inputs))
            operators.append(replace(operator, index=len(operators), inputs=inputs))
        return replace(self.before, operators=tuple(operators), values=self._values)

    def _told(self, name: str) -> str:
        while name in self._renamed:
            name = self._renamed[name]
        return name

    def _pair(self, name: str, with_: tuple[str, ...], before: int) -> str:
        """The dequantized value of a pair, made where there is none of that value yet."""
        known = self._pairs.get(name)
        if known is not None:
            return known
        value = self._values[name]
        narrow, wide = f"{name}_quantized", f"{name}_dequantized"
        self._values[narrow] = Value(narrow, value.shape, DataType.INT8)
        self._values[wide] = Value(wide, value.shape, value.data_type)
        quantizer = Operator(-1, f"{QUANTIZE} of {name}", QUANTIZE, "", (name, *with_), (narrow,))
        dequantizer = Operator(-1, f"{DEQUANTIZE} of {name}", DEQUANTIZE, "", (narrow, *with_), (wide,))
        self._added.setdefault(before, []).extend((quantizer, dequantizer))
        self._pairs[name] = wide
        return wide

    def _scale(self, name: str, shape: Shape) -> tuple[str, str]:
        """A scale and a zero point of 0 that no other quantizer has."""
        scale, zero = f"{name}_scale", f"{name}_zero_point"
        zeros = (0,) if shape == () else None
        self._values.setdefault(scale, Value(scale, shape, DataType.FP32, is_stored=True))
        self._values.setdefault(zero, Value(zero, shape, DataType.INT8, is_stored=True, numbers=zeros))
        return scale, zero


def is_dequantized(model: Model, name: str) -> bool:
    """Whether a value is what a DequantizeLinear wrote."""
    writer = model.producers.get(name)
    return writer is not None and writer.type == DEQUANTIZE


def leads_to_quantizer(model: Model, name: str, passed: frozenset[str]) -> bool:
    """Whether a QuantizeLinear reads a value, directly or behind operators of the types that may be passed."""
    waiting, seen = [name], {name}
    while waiting:
        for reader in model.consumers.get(waiting.pop(), ()):
            if reader.type == QUANTIZE:
                return True
            if reader.type in passed and reader.outputs[0] not in seen:
                seen.add(reader.outputs[0])
                waiting.append(reader.outputs[0])
    return False

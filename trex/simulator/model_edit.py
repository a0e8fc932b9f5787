"""ModelEdit: an edit of a model, Model → Model, such as additional quantizers; and the registry of edits.

An edit changes the model in memory, never the file: it shows whether the change is worth making.
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
    """title: of the edit in a table. edit: applies it to a sketch."""

    title: str
    edit: Callable[[Sketch], None]


EDITS = Registry("trex.simulator.edits", "EDIT", kind=ModelEdit)


def edited(model: Model, plugs: Iterable[Plug]) -> Model:
    """The model after the edits, in their order."""
    for plug in plugs:
        sketch = Sketch(model)
        plug.value.edit(sketch)
        model = sketch.model()
    return model


class Sketch:
    """A model under edit."""

    def __init__(self, model: Model) -> None:
        self.before = model
        self._values: dict[str, Value] = dict(model.values)
        self._inputs: dict[int, dict[int, str]] = {}
        self._added: dict[int, list[Operator]] = {}
        self._dropped: set[int] = set()
        self._renamed: dict[str, str] = {}
        self._pairs: dict[str, str] = {}
        self._scales: dict[str, tuple[str, str]] = {}

    def read_instead(self, operator: Operator, index: int, name: str) -> None:
        """Lets an operator read another value as its input of that index."""
        self._inputs.setdefault(operator.index, {})[index] = name

    def quantize_input(self, operator: Operator, index: int) -> None:
        """Inserts a quantizer and a dequantizer before an input, with the scale of an existing quantizer of the same
        value if there is one; operators that read the value share them.
        """
        name = operator.inputs[index]
        pair = self._pairs.get(name)
        if pair is None:
            readers = self.before.consumers.get(name, ())
            quantizer = next((reader for reader in readers if reader.type == QUANTIZE), None)
            with_ = quantizer.inputs[1:] if quantizer is not None else self._scale(name, ())
            pair = self._pair(name, with_, operator.index)
        self.read_instead(operator, index, pair)

    def quantize_weights(self, operator: Operator, index: int, axis: int) -> None:
        """The same before stored weights, with a scale for each channel along ``axis``."""
        name = operator.inputs[index]
        value = self._values[name]
        rank = len(value.shape or ())
        channels = value.shape[axis] if value.shape and -rank <= axis < rank else None
        with_ = self._scale(name, () if channels is None else (channels,))
        self.read_instead(operator, index, self._pair(name, with_, operator.index))

    def drop(self, operator: Operator) -> None:
        """Removes an operator; the readers of its first output read its first input instead."""
        self._dropped.add(operator.index)
        self._renamed[operator.outputs[0]] = operator.inputs[0]

    def model(self) -> Model:
        """The edited model, its operators renumbered."""
        operators: list[Operator] = []
        for operator in self.before.operators:
            for added in self._added.get(operator.index, ()):
                operators.append(replace(added, index=len(operators)))
            if operator.index in self._dropped:
                continue
            changed = self._inputs.get(operator.index, {})
            inputs = tuple(self._renamed_to(changed.get(index, name)) for index, name in enumerate(operator.inputs))
            operators.append(replace(operator, index=len(operators), inputs=inputs))
        return replace(self.before, operators=tuple(operators), values=self._values)

    def _renamed_to(self, name: str) -> str:
        while name in self._renamed:
            name = self._renamed[name]
        return name

    def _pair(self, name: str, with_: tuple[str, ...], before: int) -> str:
        """The dequantized value of a pair, created for the first reader."""
        known = self._pairs.get(name)
        if known is not None:
            return known
        value = self._values.get(name) or Value(name, None, DataType.UNKNOWN)
        narrow = self._add(Value(f"{name}_quantized", value.shape, DataType.INT8))
        wide = self._add(Value(f"{name}_dequantized", value.shape, value.data_type))
        quantizer = Operator(-1, f"{QUANTIZE} of {name}", QUANTIZE, "", (name, *with_), (narrow,))
        dequantizer = Operator(-1, f"{DEQUANTIZE} of {name}", DEQUANTIZE, "", (narrow, *with_), (wide,))
        self._added.setdefault(before, []).extend((quantizer, dequantizer))
        self._pairs[name] = wide
        return wide

    def _scale(self, name: str, shape: Shape) -> tuple[str, str]:
        """A new scale and a zero point of 0."""
        if name not in self._scales:
            zeros = (0,) if shape == () else None
            scale = self._add(Value(f"{name}_scale", shape, DataType.FP32, is_stored=True))
            zero = self._add(Value(f"{name}_zero_point", shape, DataType.INT8, is_stored=True, numbers=zeros))
            self._scales[name] = scale, zero
        return self._scales[name]

    def _add(self, value: Value) -> str:
        """The new value's name, made unique: the model may have one of this name."""
        name, count = value.name, 1
        while name in self._values:
            count += 1
            name = f"{value.name}_{count}"
        self._values[name] = replace(value, name=name)
        return name


def is_dequantized(model: Model, name: str) -> bool:
    """Whether a DequantizeLinear writes a value."""
    writer = model.producers.get(name)
    return writer is not None and writer.type == DEQUANTIZE


def leading_to_quantizers(model: Model, passed: frozenset[str]) -> set[str]:
    """The values that a QuantizeLinear reads, directly or after operators of the ``passed`` types."""
    waiting = [name for operator in model.operators if operator.type == QUANTIZE for name in operator.inputs if name]
    leading = set(waiting)
    while waiting:
        name = waiting.pop()
        writer = model.producers.get(name)
        if writer is not None and writer.type in passed and writer.outputs[0] == name:
            new = [read for read in dict.fromkeys(writer.inputs) if read and read not in leading]
            leading.update(new)
            waiting += new
    return leading

"""Operands: an ONNX operator with its values at hand; and Count, what a formula finds for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trex.core.frozen import frozen
from trex.core.model import Model
from trex.core.operator import Number, Operator, Value
from trex.core.shape import shape_text, volume
from trex.perf.work.work import RUN_TIME_SHAPE

Extents = tuple[int, ...]
Terms = tuple[tuple[str, object], ...]


@frozen
class Count:
    """What one operator computes, as ``Work`` has it: macs, other_ops, formula, terms, reason, confidence, m, n, k,
    batch. read, written: bytes where they are not those of all inputs and outputs.
    """

    macs: float | None
    other_ops: float | None
    formula: str = ""
    terms: Terms = ()
    reason: str = ""
    confidence: float = 1.0
    m: int | None = None
    n: int | None = None
    k: int | None = None
    batch: int | None = None
    read: int | None = None
    written: int | None = None


class UnknownShape(Exception):
    """A shape that the formula needs is not known; the message says which."""


class Operands:
    """One operator, and shapes and attributes as its formula asks for them.

    What it is asked for and cannot tell raises UnknownShape: the operator's work is then unknown, and the message the
    reason.
    """

    __slots__ = ("inputs", "operator", "outputs")

    def __init__(self, operator: Operator, model: Model) -> None:
        values = model.values.get
        self.operator = operator
        self.inputs: list[Value | None] = list(map(values, operator.inputs))
        self.outputs: list[Value | None] = list(map(values, operator.outputs))

    def has(self, place: int) -> bool:
        """True when the optional input is there."""
        names = self.operator.inputs
        return place < len(names) and names[place] != ""

    def writes(self, place: int) -> bool:
        """True when the optional output is asked for."""
        names = self.operator.outputs
        return place < len(names) and names[place] != ""

    def shape(self, place: int = 0) -> Extents:
        """Extents of an input."""
        return self._extents(self.inputs, self.operator.inputs, place, "input")

    def result(self, place: int = 0) -> Extents:
        """Extents of an output."""
        return self._extents(self.outputs, self.operator.outputs, place, "output")

    def _extents(self, values: list[Value | None], names: tuple[str, ...], place: int, what: str) -> Extents:
        value = values[place] if place < len(values) else None
        shape = None if value is None else value.shape
        if shape is None:
            called = names[place] if place < len(names) else f"number {place}"
            raise UnknownShape(f"the shape of {what} {called} is not known")
        if None in shape:
            raise UnknownShape(f"{RUN_TIME_SHAPE}: {what} {names[place]} is {shape_text(shape)}")
        return shape  # type: ignore[return-value]

    def count(self, place: int = 0) -> int:
        """Number of elements of an input."""
        return volume(self.shape(place)) or 0

    def result_count(self, place: int = 0) -> int:
        """Number of elements of an output."""
        return volume(self.result(place)) or 0

    def bytes_of(self, place: int = 0) -> int | None:
        """Bytes of an input, None when not known."""
        value = self.inputs[place] if place < len(self.inputs) else None
        return None if value is None else value.size_bytes

    def result_bytes(self, place: int = 0) -> int | None:
        value = self.outputs[place] if place < len(self.outputs) else None
        return None if value is None else value.size_bytes

    def numbers(self, place: int) -> tuple[Number, ...] | None:
        """The numbers of an input that is a small constant, else None."""
        value = self.inputs[place] if place < len(self.inputs) else None
        return None if value is None else value.numbers

    def integer(self, name: str, default: int) -> int:
        value = self.operator.attributes.get(name, default)
        return int(value) if isinstance(value, int) else default

    def number(self, name: str, default: float) -> float:
        value = self.operator.attributes.get(name, default)
        return float(value) if isinstance(value, int | float) else default

    def text(self, name: str, default: str = "") -> str:
        value = self.operator.attributes.get(name, default)
        return value if isinstance(value, str) else default

    def integers(self, name: str) -> tuple[int, ...] | None:
        """A list of whole numbers, None when it is not written."""
        value: Any = self.operator.attributes.get(name)
        return tuple(value) if isinstance(value, tuple) and all(isinstance(each, int) for each in value) else None


Formula = Callable[[Operands], Count]


def per_value(values: int, each: int, of: str = "values") -> Count:
    """No multiply-adds, and ``each`` operation per value; of: which values (``output values``)."""
    formula = f"other operations = {of} · operations per value"
    return Count(0, values * each, formula, ((of, values), ("operations per value", each)))


def per_result(operands: Operands, each: int) -> Count:
    """``each`` operation per value of the first output."""
    return per_value(operands.result_count(), each, "output values")


def per_input(operands: Operands, each: int) -> Count:
    """``each`` operation per value of the first input."""
    return per_value(operands.count(), each)


def no_work(reason: str) -> Count:
    """Nothing is computed and nothing moves."""
    return Count(0, 0, "nothing is computed or moved", (), reason, read=0, written=0)


def unknown(reason: str) -> Count:
    """Nothing honest can be said about what is computed."""
    return Count(None, None, "", (), reason, 0.0)

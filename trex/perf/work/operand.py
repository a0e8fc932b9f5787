"""Operands: an ONNX operator with its values; Count: the result of its formula."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trex.core.frozen import frozen
from trex.core.model import Model
from trex.core.operator import Number, Operator, Value
from trex.core.shape import shape_text, volume
from trex.perf.work.work import RUN_TIME_SHAPE
from trex.plan.gemm import Gemm

Extents = tuple[int, ...]


@frozen
class Count:
    """What one operator computes, as in ``Work``: macs, other_ops, reason, confidence, gemm.

    reads_all: False for an operator that reads only a part of an input, or none of it.
    """

    macs: float | None
    other_ops: float | None
    reason: str = ""
    confidence: float = 1.0
    gemm: Gemm | None = None
    reads_all: bool = True

    @classmethod
    def of_gemm(cls, batch: int, m: int, n: int, k: int, other_ops: float = 0) -> Count:
        return cls(batch * m * n * k, other_ops, gemm=Gemm(m, n, k, batch))


class UnknownShape(Exception):
    """A shape that the formula needs is unknown; the message names it."""


class Operands:
    """One operator, with the shapes and attributes that its formula needs.

    An unknown shape raises UnknownShape: the operator's work is then unknown, with the message as the reason.
    """

    __slots__ = ("inputs", "operator", "outputs")

    def __init__(self, operator: Operator, model: Model) -> None:
        values = model.values.get
        self.operator = operator
        self.inputs: list[Value | None] = list(map(values, operator.inputs))
        self.outputs: list[Value | None] = list(map(values, operator.outputs))

    def has(self, index: int) -> bool:
        """True if the optional input is present."""
        names = self.operator.inputs
        return index < len(names) and names[index] != ""

    def shape(self, index: int = 0) -> Extents:
        """Extents of an input."""
        return self._extents(self.inputs, self.operator.inputs, index, "input")

    def result(self, index: int = 0) -> Extents:
        """Extents of an output."""
        return self._extents(self.outputs, self.operator.outputs, index, "output")

    def _extents(self, values: list[Value | None], names: tuple[str, ...], index: int, what: str) -> Extents:
        value = values[index] if index < len(values) else None
        shape = None if value is None else value.shape
        if shape is None:
            called = names[index] if index < len(names) else f"number {index}"
            raise UnknownShape(f"the shape of {what} {called} is not known")
        if None in shape:
            raise UnknownShape(f"{RUN_TIME_SHAPE}: {what} {names[index]} is {shape_text(shape)}")
        return shape  # type: ignore[return-value]

    def count(self, index: int = 0) -> int:
        """Number of elements of an input."""
        return volume(self.shape(index)) or 0

    def result_count(self) -> int:
        """Number of elements of the first output."""
        return volume(self.result()) or 0

    def numbers(self, index: int) -> tuple[Number, ...] | None:
        """The numbers of an input that is a small constant, else None."""
        value = self.inputs[index] if index < len(self.inputs) else None
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
        """A list of integers, None if absent."""
        value: Any = self.operator.attributes.get(name)
        return tuple(value) if isinstance(value, tuple) and all(isinstance(size, int) for size in value) else None


Formula = Callable[[Operands], Count]


def per_result(operands: Operands, operations: int) -> Count:
    """That many operations per value of the first output, and no MACs."""
    return Count(0, operands.result_count() * operations)


def per_input(operands: Operands, operations: int) -> Count:
    """That many operations per value of the first input, and no MACs."""
    return Count(0, operands.count() * operations)


def unknown(reason: str) -> Count:
    return Count(None, None, reason, 0.0)

"""ONNX file → its inputs and their dimensions, from the wire format: without the package onnx, without weights.

``ingest/onnx_model.py`` reads a whole model with the package onnx and shape inference in a child process. A build needs
neither: the package may not be installed, and skipping stored weights finds the inputs of a model of many gigabytes in
milliseconds.

Field numbers: onnx.proto of ONNX. https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# Fields of ModelProto, GraphProto, TensorProto, ValueInfoProto, TypeProto, TypeProto.Tensor, TensorShapeProto and
# its Dimension.
_GRAPH = 7
_INITIALIZER, _INPUT = 5, 11
_TENSOR_NAME = 8
_VALUE_NAME, _VALUE_TYPE = 1, 2
_TENSOR_TYPE = 1
_ELEMENT_TYPE, _SHAPE = 1, 2
_DIMENSION = 1
_DIMENSION_VALUE = 1
_WHOLE_NUMBERS = frozenset((6, 7))  # INT32, INT64

_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5
_LONGEST_VARINT = 10
# A model with a million nodes and weights has fewer; more are those of another kind of file.
_MOST_FIELDS = 4_000_000

_Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class OnnxInput:
    """dimensions: −1 for any size, None as a whole if the rank is unknown.

    may_hold_sizes: integers of at most one dimension, which may be the shape of another tensor; trtexec then takes the
    numbers themselves in place of the input's shape.
    """

    name: str
    dimensions: tuple[int, ...] | None
    may_hold_sizes: bool = False


class _NotOnnx(Exception):
    """The file is no ONNX model, or is cut off."""


def onnx_inputs(path: str | Path) -> tuple[OnnxInput, ...] | None:
    """The inputs without initializers, in order; None for a file that cannot be read as an ONNX model."""
    try:
        with Path(path).open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _TensorReader(data).inputs()
    except (OSError, ValueError, _NotOnnx):
        return None


class _TensorReader:
    def __init__(self, data: bytes | mmap.mmap) -> None:
        self._data = data
        self._left = _MOST_FIELDS

    def inputs(self) -> tuple[OnnxInput, ...]:
        inputs: dict[str, OnnxInput] = {}
        constants: set[str] = set()
        graphs = [span for number, span in self._parts(0, len(self._data)) if number == _GRAPH]
        if not graphs:
            raise _NotOnnx
        for number, span in self._parts(*graphs[-1]):
            if number == _INPUT:
                read = self._input(span)
                inputs[read.name] = read
            elif number == _INITIALIZER:
                constants.update(self._text(part) for field, part in self._parts(*span) if field == _TENSOR_NAME)
        return tuple(read for read in inputs.values() if read.name not in constants)

    def _input(self, span: _Span) -> OnnxInput:
        name, element_type, dimensions = "", 0, None
        for number, part in self._parts(*span):
            if number == _VALUE_NAME:
                name = self._text(part)
            elif number == _VALUE_TYPE:
                for kind, tensor in self._parts(*part):
                    if kind == _TENSOR_TYPE:
                        element_type, dimensions = self._tensor(tensor)
        is_short = dimensions is not None and len(dimensions) <= 1
        return OnnxInput(name, dimensions, is_short and element_type in _WHOLE_NUMBERS)

    def _tensor(self, span: _Span) -> tuple[int, tuple[int, ...] | None]:
        element_type, dimensions = 0, None
        for number, wire, start, end in self._fields(*span):
            if number == _ELEMENT_TYPE and wire == _VARINT:
                element_type = start
            elif number == _SHAPE and wire == _BYTES:
                dimensions = tuple(self._size(part) for field, part in self._parts(start, end) if field == _DIMENSION)
        return element_type, dimensions

    def _size(self, span: _Span) -> int:
        sizes = [
            value for number, wire, value, _ in self._fields(*span) if number == _DIMENSION_VALUE and wire == _VARINT
        ]
        # Any size: symbolic, missing, 0 or negative (64-bit two's complement).
        return sizes[-1] if sizes and 0 < sizes[-1] < 1 << 63 else -1

    def _text(self, span: _Span) -> str:
        return bytes(self._data[span[0] : span[1]]).decode("utf-8", "replace")

    def _parts(self, start: int, end: int) -> Iterator[tuple[int, _Span]]:
        """(number, span) of the fields that contain bytes."""
        for number, wire, first, last in self._fields(start, end):
            if wire == _BYTES:
                yield number, (first, last)

    def _fields(self, start: int, end: int) -> Iterator[tuple[int, int, int, int]]:
        """(number, wire type, value or start, end)."""
        while start < end:
            self._left -= 1
            key, start = self._varint(start, end)
            number, wire = key >> 3, key & 7
            value = start
            if wire == _VARINT:
                value, start = self._varint(start, end)
            elif wire == _BYTES:
                size, value = self._varint(start, end)
                start = value + size
            elif wire in (_EIGHT_BYTES, _FOUR_BYTES):
                start += 8 if wire == _EIGHT_BYTES else 4
            else:
                raise _NotOnnx
            if start > end or number == 0 or self._left < 0:
                raise _NotOnnx
            yield number, wire, value, start

    def _varint(self, start: int, end: int) -> tuple[int, int]:
        if start < end and self._data[start] < 0x80:
            return self._data[start], start + 1
        value = 0
        for index in range(min(_LONGEST_VARINT, end - start)):
            byte = self._data[start + index]
            value |= (byte & 0x7F) << 7 * index
            if byte < 0x80:
                return value, start + index + 1
        raise _NotOnnx

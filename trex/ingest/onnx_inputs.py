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
            return _inputs(data)
    except (OSError, ValueError, _NotOnnx):
        return None


def _inputs(data: mmap.mmap) -> tuple[OnnxInput, ...]:
    inputs: dict[str, OnnxInput] = {}
    constants: set[str] = set()
    graphs = _parts(data, (0, len(data)), _GRAPH)
    if not graphs:
        raise _NotOnnx
    for number, wire, start, end in _fields(data, graphs[-1]):
        if number == _INPUT and wire == _BYTES:
            read = _input(data, (start, end))
            inputs[read.name] = read
        elif number == _INITIALIZER and wire == _BYTES:
            constants.update(_text(data, part) for part in _parts(data, (start, end), _TENSOR_NAME))
    return tuple(read for read in inputs.values() if read.name not in constants)


def _input(data: mmap.mmap, span: _Span) -> OnnxInput:
    name = "".join(_text(data, part) for part in _parts(data, span, _VALUE_NAME)[-1:])
    tensors = [tensor for part in _parts(data, span, _VALUE_TYPE) for tensor in _parts(data, part, _TENSOR_TYPE)]
    shapes = [shape for tensor in tensors for shape in _parts(data, tensor, _SHAPE)]
    if not shapes:
        return OnnxInput(name, None)
    dimensions = tuple(_size(data, part) for part in _parts(data, shapes[-1], _DIMENSION))
    is_whole = any(kind in _WHOLE_NUMBERS for kind in _numbers(data, tensors[-1], _ELEMENT_TYPE)[-1:])
    return OnnxInput(name, dimensions, len(dimensions) <= 1 and is_whole)


def _size(data: mmap.mmap, span: _Span) -> int:
    sizes = _numbers(data, span, _DIMENSION_VALUE)
    # Any size: symbolic, missing, 0 or negative (64-bit two's complement).
    return sizes[-1] if sizes and 0 < sizes[-1] < 1 << 63 else -1


def _text(data: mmap.mmap, span: _Span) -> str:
    return bytes(data[span[0] : span[1]]).decode("utf-8", "replace")


def _parts(data: mmap.mmap, span: _Span, wanted: int) -> list[_Span]:
    """Spans of the fields of this number that contain bytes."""
    return [(start, end) for number, wire, start, end in _fields(data, span) if (number, wire) == (wanted, _BYTES)]


def _numbers(data: mmap.mmap, span: _Span, wanted: int) -> list[int]:
    return [value for number, wire, value, _ in _fields(data, span) if (number, wire) == (wanted, _VARINT)]


def _fields(data: mmap.mmap, span: _Span) -> Iterator[tuple[int, int, int, int]]:
    """(number, wire type, value or start, end)."""
    start, end = span
    for _ in range(_MOST_FIELDS):
        if start >= end:
            return
        key, start = _varint(data, start, end)
        number, wire = key >> 3, key & 7
        value = start
        if wire == _VARINT:
            value, start = _varint(data, start, end)
        elif wire == _BYTES:
            size, value = _varint(data, start, end)
            start = value + size
        elif wire in (_EIGHT_BYTES, _FOUR_BYTES):
            start += 8 if wire == _EIGHT_BYTES else 4
        else:
            raise _NotOnnx
        if start > end or number == 0:
            raise _NotOnnx
        yield number, wire, value, start
    raise _NotOnnx


def _varint(data: mmap.mmap, start: int, end: int) -> tuple[int, int]:
    value = 0
    for index in range(min(_LONGEST_VARINT, end - start)):
        byte = data[start + index]
        value |= (byte & 0x7F) << 7 * index
        if byte < 0x80:
            return value, start + index + 1
    raise _NotOnnx

"""Bytes of an ONNX model → refused if it has far more parts than a model of its size.

Two bytes are an operator, a tensor or a dimension, which takes hundreds of bytes in memory: so they are counted before
protobuf makes an object of each.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from trex.core.errors import TrexError

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor

# Parts are messages, texts, and numbers outside of tensors' data. In the package onnx, the models of a few operators
# have one in 6 bytes, large ones one in 8, without weights.
_MOST_PARTS, _BYTES_PER_PART = 500_000, 8
# Entries are parts that become objects of Python, too. These models have one in 43 bytes or more.
_MOST_ENTRIES, _BYTES_PER_ENTRY = 200_000, 64
_ENTRIES = frozenset({"NodeProto", "GraphProto", "TensorProto", "ValueInfoProto", "FunctionProto"})
_NUMBERS = {"dims": 0, "ints": 0, "floats": 4}  # fields: bytes of each number, 0 if they differ
_DEPTH = 100  # protobuf's
_VARINT, _BYTES = 0, 2  # protobuf's wire types
_FIXED_BYTES = {1: 8, 5: 4}
_VARINT_BYTES = 10
_CONTINUED = bytes(range(128, 256))


@dataclass(slots=True)
class _MessageFields:
    """Of a kind of message. inner: {field: the messages in it}. numbers: {field: as ``_NUMBERS``}."""

    is_entry: bool
    inner: dict[int, _MessageFields] = field(default_factory=dict)
    numbers: dict[int, int] = field(default_factory=dict)


def check_parts(data: bytes, where: str) -> None:
    """Raises TrexError for a model with too many parts, ValueError or IndexError for one that is damaged."""
    end = len(data)
    if end < 2 * _MOST_ENTRIES:  # no shorter model has too many
        return
    most_parts, most_entries = _MOST_PARTS + end // _BYTES_PER_PART, _MOST_ENTRIES + end // _BYTES_PER_ENTRY
    parts = entries = at = 0
    message = _model()
    inner, numbers = message.inner, message.numbers
    around: list[tuple[_MessageFields, int]] = []
    while at < end or around:
        if parts > most_parts:
            raise _too_many(most_parts, "dimensions, texts and other parts", len(data), where)
        if entries > most_entries:
            raise _too_many(most_entries, "operators, tensors, values and graphs", len(data), where)
        if at >= end:
            message, end = around.pop()
            inner, numbers = message.inner, message.numbers
            continue
        tag = data[at]
        at += 1
        if tag > 127:
            tag, at = _varint(data, at - 1)
        if tag < 8:
            raise ValueError("no field has the number 0")
        kind = tag & 7
        if kind == _BYTES:
            size = data[at]
            at += 1
            if size > 127:
                size, at = _varint(data, at - 1)
            if at + size > end:
                raise ValueError("a field ends after its message")
            parts += 1
            if tag >> 3 in inner:
                around.append((message, end))
                if len(around) > _DEPTH:
                    raise ValueError("the messages are nested too deep")
                message, end = inner[tag >> 3], at + size
                inner, numbers = message.inner, message.numbers
                entries += message.is_entry
            else:
                if tag >> 3 in numbers:
                    parts += _count(data[at : at + size], numbers[tag >> 3])
                at += size
        elif kind == _VARINT:
            parts += tag >> 3 in numbers
            while data[at] > 127:
                at += 1
            at += 1
        elif kind in _FIXED_BYTES:
            parts += tag >> 3 in numbers
            at += _FIXED_BYTES[kind]
        else:
            raise ValueError("ONNX has no groups")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """(the number, where it ends)."""
    value = shift = 0
    for index in range(at, at + _VARINT_BYTES):
        value |= (data[index] & 127) << shift
        if data[index] < 128:
            return value, index + 1
        shift += 7
    raise ValueError("a number does not end")


def _count(numbers: bytes, number_bytes: int) -> int:
    return len(numbers) // number_bytes if number_bytes else len(numbers.translate(None, _CONTINUED))


def _too_many(most: int, what: str, size: int, where: str) -> TrexError:
    return TrexError(
        f"the model has more than {most:,} {what}, the most that is read from {size:,} bytes",
        "check that this is the right file; onnx.checker.check_model(path) checks the model",
        where,
    )


@lru_cache
def _model() -> _MessageFields:
    import onnx

    return _message(onnx.ModelProto.DESCRIPTOR, {})


def _message(descriptor: Descriptor, known: dict[str, _MessageFields]) -> _MessageFields:
    message = known.get(descriptor.full_name)
    if message is None:
        message = known[descriptor.full_name] = _MessageFields(descriptor.name in _ENTRIES)
        for entry in descriptor.fields:
            if entry.message_type is not None:
                message.inner[entry.number] = _message(entry.message_type, known)
            elif entry.name in _NUMBERS:
                message.numbers[entry.number] = _NUMBERS[entry.name]
    return message

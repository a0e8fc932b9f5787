"""Parsed ONNX protobuf → Operators and Values, without weights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trex.core.data_type import DataType
from trex.core.operator import AttributeValue, Number, Operator, Subgraph, Value
from trex.core.shape import Shape
from trex.ingest.spelling.data_types import data_type_of

if TYPE_CHECKING:
    import onnx

MAX_NUMBERS = 1024
# More or larger dimensions are damage, and their products overflow floats.
_MAX_RANK = 32
_MAX_DIM = 1 << 40
_EXTERNAL = 1  # TensorProto.DataLocation
_OWN_DOMAINS = frozenset({"", "ai.onnx"})
# AttributeProto.AttributeType
_FLOAT, _INT, _STRING, _TENSOR, _GRAPH = 1, 2, 3, 4, 5
_FLOATS, _INTS, _STRINGS = 6, 7, 8


@lru_cache
def onnx_type(number: int) -> DataType:
    """The type of a number in TensorProto.DataType; UNKNOWN for strings, UINT4, 2- and 6-bit types."""
    import onnx

    try:
        return data_type_of(onnx.TensorProto.DataType.Name(number))
    except ValueError:
        return DataType.UNKNOWN


def text_of(value: str | bytes) -> str:
    """A string of the file; protobuf returns bytes if it is not UTF-8."""
    return value if isinstance(value, str) else bytes(value).decode("utf-8", "replace")


def domain_of(value: str | bytes) -> str:
    domain = text_of(value)
    return "" if domain in _OWN_DOMAINS else domain


def is_external(tensor: onnx.TensorProto) -> bool:
    """True if the data is in a separate file."""
    return tensor.data_location == _EXTERNAL


def is_large(tensor: onnx.TensorProto) -> bool:
    """True if the data is no shape, axis or scale: more than ``MAX_NUMBERS`` elements, or in a separate file."""
    return is_external(tensor) or _count(tensor.dims) > MAX_NUMBERS


def stored_value(tensor: onnx.TensorProto) -> Value:
    """An initializer, or the tensor of an attribute; without numbers if the data contradicts the dimensions."""
    location = ""
    for entry in tensor.external_data:
        if text_of(entry.key) == "location":
            location = text_of(entry.value)
    return Value(
        text_of(tensor.name),
        _static(tensor.dims),
        onnx_type(tensor.data_type),
        is_stored=True,
        numbers=None if is_large(tensor) else _numbers(tensor),
        location=location if is_external(tensor) else "",
    )


def described_value(info: onnx.ValueInfoProto) -> Value:
    """A value with its written shape and type; both unknown for sequences, maps and optionals."""
    if not info.type.HasField("tensor_type"):
        return Value(text_of(info.name), None, onnx_type(0))
    tensor = info.type.tensor_type
    shape: Shape | None = None
    if tensor.HasField("shape") and len(tensor.shape.dim) <= _MAX_RANK:
        shape = tuple([_dim(dim.dim_value) if dim.HasField("dim_value") else None for dim in tensor.shape.dim])
    return Value(text_of(info.name), shape, onnx_type(tensor.elem_type))


def operators_of(nodes: Iterable[onnx.NodeProto]) -> Iterator[Operator]:
    """The nodes as facts, numbered in their order."""
    for index, node in enumerate(nodes):
        outputs = tuple([text_of(name) for name in node.output])
        written = text_of(node.name)
        yield Operator(
            index,
            written or (f"node_of_{outputs[0]}" if outputs else ""),
            text_of(node.op_type),
            domain_of(node.domain),
            tuple([text_of(name) for name in node.input]),
            outputs,
            {text_of(entry.name): value for entry in node.attribute if (value := _attribute(entry)) is not None},
        )


def _attribute(attribute: onnx.AttributeProto) -> AttributeValue | None:
    kind = attribute.type
    if kind == _INT:
        return int(attribute.i)
    if kind == _FLOAT:
        return float(attribute.f)
    if kind == _STRING:
        return text_of(attribute.s)
    if kind == _INTS:
        return tuple(map(int, attribute.ints))
    if kind == _FLOATS:
        return tuple(map(float, attribute.floats))
    if kind == _STRINGS:
        return tuple(map(text_of, attribute.strings))
    if kind == _TENSOR:
        return stored_value(attribute.t)
    if kind == _GRAPH:
        return _subgraph(attribute.g)
    return None


def _subgraph(graph: onnx.GraphProto) -> Subgraph:
    count, captures = 0, dict.fromkeys(_captures(graph))
    pending: list[Any] = [graph]
    while pending:
        one = pending.pop()
        count += len(one.node)
        pending.extend(graphs_in(one.node))
    return Subgraph(text_of(graph.name), count, tuple(captures))


def _captures(graph: onnx.GraphProto) -> list[str]:
    """Names that a graph, or a graph inside it, reads but does not write."""
    own = {text_of(entry.name) for group in (graph.input, graph.initializer) for entry in group}
    own.update(text_of(name) for node in graph.node for name in node.output)
    read = [text_of(name) for node in graph.node for name in node.input if name]
    read += [text_of(output.name) for output in graph.output]
    for inner in graphs_in(graph.node):
        read += _captures(inner)
    return [name for name in dict.fromkeys(read) if name not in own]


def graphs_in(nodes: Iterable[onnx.NodeProto]) -> Iterator[onnx.GraphProto]:
    """The graphs in attributes of these nodes, one level down."""
    for node in nodes:
        for attribute in node.attribute:
            if attribute.type == _GRAPH:
                yield attribute.g
            yield from attribute.graphs


def _dim(size: int) -> int | None:
    return size if 0 <= size <= _MAX_DIM else None


def _static(dims: Iterable[int]) -> Shape | None:
    shape = tuple(map(_dim, dims))
    return shape if len(shape) <= _MAX_RANK else None


def _count(dims: Iterable[int]) -> int:
    """Number of elements; one more than ``MAX_NUMBERS`` for any larger number."""
    count = 1
    for dim in dims:
        count *= max(0, dim)
        if count > MAX_NUMBERS:
            return MAX_NUMBERS + 1
    return count


def _numbers(tensor: onnx.TensorProto) -> tuple[Number, ...] | None:
    from onnx import numpy_helper

    try:
        array = numpy_helper.to_array(tensor)
    except (ValueError, TypeError, KeyError, OSError, AttributeError):  # what onnx raises for data that does not match
        return None
    if array.dtype.kind not in "iufb":
        try:
            array = array.astype("float32")  # FP8 and other types that NumPy does not have
        except (TypeError, ValueError):
            return None
    return tuple(array.reshape(-1).tolist())

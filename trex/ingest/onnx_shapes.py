"""Parsed ONNX protobuf → the shape of every value, by ONNX's own inference from the shapes of the inputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.core.note import Note
from trex.core.operator import Value
from trex.core.printable import printable
from trex.core.shape import Shape, is_static, shape_text
from trex.ingest.onnx_child import inferred
from trex.ingest.onnx_facts import described_value, graphs_in, is_large, text_of

if TYPE_CHECKING:
    import onnx

_TENSOR = 4  # AttributeProto.AttributeType
_LARGEST = 2**63 - 1  # TensorShapeProto.Dimension.dim_value is an int64
_FLOATS = frozenset({1, 10, 11, 16})  # TensorProto.DataType: no shape depends on their data


def set_input_shapes(
    graph: onnx.GraphProto, names: Iterable[str], shapes: Mapping[str, Shape], where: str, *, is_asked: bool
) -> tuple[Note, ...]:
    """Writes the shapes into the graph's inputs; a symbol (``batch``) gets its size everywhere.

    names: of the inputs without initializers, in order. is_asked: the user gave the shapes: they replace static ones,
    and a name or rank that does not match raises TrexError. Otherwise they only replace unknown dimensions, and a Note
    reports contradictions.
    """
    written_inputs = {text_of(info.name): info for info in graph.input if info.type.HasField("tensor_type")}
    inputs = {name: written_inputs[name] for name in names if name in written_inputs}
    symbols: dict[str, int] = {}
    notes: list[Note] = []
    changed = []
    for name, shape in shapes.items():
        info = inputs.get(name)
        if info is None:
            if is_asked:
                raise TrexError(f"the model has no input {name!r}", _inputs_hint(name, inputs), where)
            continue
        if any(size is not None and size > _LARGEST for size in shape):
            message = f"the shape {shape_text(shape)} of the input {name!r} is too large for ONNX"
            if is_asked:
                raise TrexError(message, f"give sizes of at most {_LARGEST}", where)
            notes.append(Note("model-input-differs", message, "check the shapes in the engine's files", where))
            continue
        written = described_value(info).shape
        fits = written is None or len(written) == len(shape)
        differs = [
            axis for axis, (old, new) in enumerate(zip(written or (), shape)) if None not in (old, new) and old != new
        ]
        if is_asked and not fits:
            hint = f"in the model it is {shape_text(written)}"
            raise TrexError(f"the shape {shape_text(shape)} does not match the input {name!r}", hint, where)
        if not is_asked and (not fits or differs):
            message = f"input {name!r} is {shape_text(written)} in the model and {shape_text(shape)} in the engine"
            notes.append(Note("model-input-differs", message, "check that the engine was built from this model", where))
            continue
        if differs:
            changed.append(name)
        _write(info, shape, written, symbols)
    _set_symbols(graph, symbols)
    if changed:
        _forget_shapes(graph)
        message = f"the given shape of {', '.join(map(repr, changed))} replaces the model's static one"
        notes.append(Note("model-shape-changed", message, "constants inside may still have the old size", where))
    return tuple(notes)


def _inputs_hint(name: str, inputs: Iterable[str]) -> str:
    names = tuple(inputs)
    return did_you_mean(name, names, f"its inputs are {', '.join(names[:8]) or 'none'}")


def _write(info: onnx.ValueInfoProto, shape: Shape, written: Shape | None, symbols: dict[str, int]) -> None:
    dims = info.type.tensor_type.shape.dim
    if written is None:
        info.type.tensor_type.shape.SetInParent()
        for _ in shape:
            dims.add()
    for dim, size in zip(dims, shape):
        if size is not None:
            if dim.dim_param:
                symbols[text_of(dim.dim_param)] = size
            dim.dim_value = size


def _set_symbols(graph: onnx.GraphProto, symbols: Mapping[str, int]) -> None:
    if not symbols:
        return
    for info in (*graph.input, *graph.output, *graph.value_info):
        for dim in info.type.tensor_type.shape.dim if info.type.HasField("tensor_type") else ():
            if dim.HasField("dim_param") and (size := symbols.get(text_of(dim.dim_param))) is not None:
                dim.dim_value = size


def _forget_shapes(graph: onnx.GraphProto) -> None:
    """Removes shapes that belong to the old shapes of the inputs."""
    del graph.value_info[:]
    for info in graph.output:
        if info.type.HasField("tensor_type"):
            info.type.tensor_type.ClearField("shape")


def without_weights(graph: onnx.GraphProto) -> None:
    """Turns stored weights into inputs, so that no step copies gigabytes; data that shapes depend on stays."""
    inputs = {text_of(info.name) for info in graph.input}
    for index in reversed(range(len(graph.initializer))):
        tensor = graph.initializer[index]
        if is_large(tensor):
            _add_input(graph, text_of(tensor.name), tensor, inputs)
            del graph.initializer[index]
    pending = [*graphs_in(graph.node)]
    while pending:
        inner = pending.pop()
        for tensor in inner.initializer:
            if is_large(tensor) and tensor.data_type in _FLOATS:
                tensor.ClearField("raw_data")
        pending.extend(graphs_in(inner.node))


def without_constants(graph: onnx.GraphProto) -> None:
    """As ``without_weights``, for Constant operators."""
    inputs = {text_of(info.name) for info in graph.input}
    for index in reversed(range(len(graph.node))):
        constant = _large_constant(graph.node[index])
        if constant is not None and graph.node[index].output:
            _add_input(graph, text_of(graph.node[index].output[0]), constant, inputs)
            del graph.node[index]


def _large_constant(node: onnx.NodeProto) -> onnx.TensorProto | None:
    if node.op_type != "Constant":
        return None
    return next((entry.t for entry in node.attribute if entry.type == _TENSOR and is_large(entry.t)), None)


def _add_input(graph: onnx.GraphProto, name: str, tensor: onnx.TensorProto, inputs: set[str]) -> None:
    if name in inputs:
        return
    inputs.add(name)
    info = graph.input.add()
    info.name = name
    info.type.tensor_type.elem_type = tensor.data_type
    info.type.tensor_type.shape.SetInParent()
    for size in tensor.dims:
        info.type.tensor_type.shape.dim.add().dim_value = size


def infer_shapes(model: onnx.ModelProto, where: str, spent_s: float = 0.0) -> tuple[dict[str, Value], tuple[Note, ...]]:
    """Values of the main graph by name, with ONNX's shape inference and data propagation.

    A Note counts the values whose shapes stay unknown and quotes the first error. spent_s: as of ``inferred``.
    """
    notes: list[Note] = []
    data = model.SerializeToString()
    result = inferred(data, spent_s=spent_s)
    graph = type(model).FromString(result.data).graph if result.data else model.graph
    values = {}
    for group in (graph.input, graph.output, graph.value_info):
        for info in group:
            value = described_value(info)
            values[value.name] = value
    if result.problem:
        message = f"ONNX's shape inference failed: {printable(result.problem)}"
        hint = "onnx.checker.check_model names what is wrong with the model"
        notes.append(Note("model-inference-failed", message, hint, where))
    else:
        notes.extend(_unknown(model, data, values, where, spent_s + result.seconds))
    return values, tuple(notes)


def _unknown(
    model: onnx.ModelProto, data: bytes, values: Mapping[str, Value], where: str, spent_s: float
) -> list[Note]:
    names = [text_of(name) for node in model.graph.node for name in node.output if name]
    outputs = list(map(values.get, names))
    rankless = sum(value is None or value.shape is None for value in outputs)
    dynamic = sum(value is not None and value.shape is not None and not is_static(value.shape) for value in outputs)
    notes = []
    if rankless:
        message = f"the shapes of {rankless} of {len(names)} values in the model could not be inferred"
        if complaint := inferred(data, is_strict=True, spent_s=spent_s).problem:
            message += f": {printable(complaint)}"
        notes.append(
            Note("model-shapes-unknown", message, "add value_info for the outputs of operators of other domains", where)
        )
    if dynamic:
        message = f"{dynamic} of {len(names)} values in the model have dimensions known only at run time"
        hint = "give the inputs' shapes, or an engine whose bindings are static"
        notes.append(Note("model-shapes-dynamic", message, hint, where, "info"))
    return notes

"""Parsed ONNX protobuf → the shape of every value: those given for the inputs, carried on by ONNX's own inference."""

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
_FLOATS = frozenset({1, 10, 11, 16})  # TensorProto.DataType: no shape hangs on their data


def set_input_shapes(
    graph: onnx.GraphProto, names: Iterable[str], shapes: Mapping[str, Shape], where: str, *, is_asked: bool
) -> tuple[Note, ...]:
    """Writes the shapes into the graph's inputs; a symbol (``batch``) takes its size wherever it is written.

    names: of the inputs that a caller fills, in their order. is_asked: a person named these shapes: they win over what
    the model fixes, and a name or rank that does not fit raises TrexError. Otherwise they only fill what the model
    leaves open, and what does not fit is told.
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
        written = described_value(info).shape
        fits = written is None or len(written) == len(shape)
        differs = [
            axis for axis, (old, new) in enumerate(zip(written or (), shape)) if None not in (old, new) and old != new
        ]
        if is_asked and not fits:
            hint = f"in the model it is {shape_text(written)}"
            raise TrexError(f"the shape {shape_text(shape)} does not fit the input {name!r}", hint, where)
        if not is_asked and (not fits or differs):
            message = f"input {name!r} is {shape_text(written)} in the model and {shape_text(shape)} in the engine"
            notes.append(Note("model-input-differs", message, "is it the model the engine was built from?", where))
            continue
        if differs:
            changed.append(name)
        _write(info, shape, written, symbols)
    _set_symbols(graph, symbols)
    if changed:
        _forget_shapes(graph)
        message = f"the model fixes another shape of {', '.join(map(repr, changed))}; the given one was used"
        notes.append(Note("model-shape-changed", message, "constants inside may still hold the old size", where))
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
    """Shapes of another input shape contradict the new ones."""
    del graph.value_info[:]
    for info in graph.output:
        if info.type.HasField("tensor_type"):
            info.type.tensor_type.ClearField("shape")


def without_weights(graph: onnx.GraphProto) -> None:
    """Turns stored weights into inputs of their shape, so that no step copies gigabytes; what shapes hang on stays."""
    inputs = {text_of(info.name) for info in graph.input}
    for place in reversed(range(len(graph.initializer))):
        tensor = graph.initializer[place]
        if is_large(tensor):
            _add_input(graph, text_of(tensor.name), tensor, inputs)
            del graph.initializer[place]
    pending = [*graphs_in(graph.node)]
    while pending:
        inner = pending.pop()
        for tensor in inner.initializer:
            if is_large(tensor) and tensor.data_type in _FLOATS:
                tensor.ClearField("raw_data")
        pending.extend(graphs_in(inner.node))


def without_constants(graph: onnx.GraphProto) -> None:
    """As ``without_weights``, for what Constant operators store."""
    inputs = {text_of(info.name) for info in graph.input}
    for place in reversed(range(len(graph.node))):
        constant = _large_constant(graph.node[place])
        if constant is not None and graph.node[place].output:
            _add_input(graph, text_of(graph.node[place].output[0]), constant, inputs)
            del graph.node[place]


def _large_constant(node: onnx.NodeProto) -> onnx.TensorProto | None:
    if node.op_type != "Constant":
        return None
    return next((each.t for each in node.attribute if each.type == _TENSOR and is_large(each.t)), None)


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


def infer_shapes(model: onnx.ModelProto, where: str) -> tuple[dict[str, Value], tuple[Note, ...]]:
    """Values of the main graph by name, as ONNX's shape inference with data propagation finds them.

    What it cannot find stays unknown; a Note counts those values and quotes its first complaint.
    """
    notes: list[Note] = []
    data = model.SerializeToString()
    made = inferred(data)
    graph = type(model).FromString(made.data).graph if made.data else model.graph
    values = {}
    for group in (graph.input, graph.output, graph.value_info):
        for info in group:
            value = described_value(info)
            values[value.name] = value
    if made.problem:
        message = f"ONNX's shape inference failed: {printable(made.problem)}"
        hint = "onnx.checker.check_model names what is wrong with the model"
        notes.append(Note("model-inference-failed", message, hint, where))
    else:
        notes.extend(_unknown(model, data, values, where))
    return values, tuple(notes)


def _unknown(model: onnx.ModelProto, data: bytes, values: Mapping[str, Value], where: str) -> list[Note]:
    names = [text_of(name) for node in model.graph.node for name in node.output if name]
    found = list(map(values.get, names))
    rankless = sum(value is None or value.shape is None for value in found)
    dynamic = sum(value is not None and value.shape is not None and not is_static(value.shape) for value in found)
    notes = []
    if rankless:
        message = f"the shapes of {rankless} of {len(names)} values in the model could not be inferred"
        if complaint := inferred(data, is_strict=True).problem:
            message += f": {printable(complaint)}"
        notes.append(Note("model-shapes-unknown", message, "operators of other domains need value_info", where))
    if dynamic:
        message = f"{dynamic} of {len(names)} values in the model have dimensions known only at run time"
        hint = "give the inputs' shapes, or an engine whose bindings are static"
        notes.append(Note("model-shapes-dynamic", message, hint, where, "info"))
    return notes

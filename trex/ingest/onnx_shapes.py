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
from trex.ingest.onnx_facts import described_value, graphs_in, is_large, text_of

if TYPE_CHECKING:
    import onnx

_REASON_CHARS = 300
_TENSOR = 4  # AttributeProto.AttributeType


def set_input_shapes(
    graph: onnx.GraphProto, shapes: Mapping[str, Shape], where: str, *, is_asked: bool
) -> tuple[Note, ...]:
    """Writes the shapes into the graph's inputs; a symbol (``batch``) takes its size wherever it is written.

    is_asked: a person named these shapes: they win over what the model fixes, and a name or rank that does not fit
    raises TrexError. Otherwise they only fill what the model leaves open, and what does not fit is told.
    """
    inputs = {text_of(info.name): info for info in graph.input if info.type.HasField("tensor_type")}
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


def without_data(model: onnx.ModelProto) -> None:
    """Turns weights into inputs of their shape, so that inference copies no gigabyte; what shapes hang on stays."""
    graph = model.graph
    inputs = {text_of(info.name) for info in graph.input}
    for place in reversed(range(len(graph.initializer))):
        tensor = graph.initializer[place]
        if is_large(tensor):
            _add_input(graph, text_of(tensor.name), tensor, inputs)
            del graph.initializer[place]
    for place in reversed(range(len(graph.node))):
        constant = _large_constant(graph.node[place])
        if constant is not None and graph.node[place].output:
            _add_input(graph, text_of(graph.node[place].output[0]), constant, inputs)
            del graph.node[place]
    pending = [*graphs_in(graph.node)]
    while pending:
        inner = pending.pop()
        for tensor in inner.initializer:
            if is_large(tensor):
                tensor.ClearField("raw_data")
        pending.extend(graphs_in(inner.node))


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
    from onnx import shape_inference

    notes: list[Note] = []
    inferred = model
    try:
        inferred = shape_inference.infer_shapes(model, check_type=False, strict_mode=False, data_prop=True)
    except Exception as error:  # the C++ library raises its own kinds, and plain RuntimeErrors
        notes.append(_failed(str(error), where))
    graph = inferred.graph
    values = {}
    for group in (graph.input, graph.output, graph.value_info):
        for info in group:
            value = described_value(info)
            values[value.name] = value
    if not notes:
        notes.extend(_unknown(model, values, where))
    return values, tuple(notes)


def _unknown(model: onnx.ModelProto, values: Mapping[str, Value], where: str) -> list[Note]:
    names = [text_of(name) for node in model.graph.node for name in node.output if name]
    found = list(map(values.get, names))
    rankless = sum(value is None or value.shape is None for value in found)
    dynamic = sum(value is not None and value.shape is not None and not is_static(value.shape) for value in found)
    notes = []
    if rankless:
        message = f"the shapes of {rankless} of {len(names)} values in the model could not be inferred"
        if reason := _complaint(model):
            message += f": {reason}"
        notes.append(Note("model-shapes-unknown", message, "operators of other domains need value_info", where))
    if dynamic:
        message = f"{dynamic} of {len(names)} values in the model have dimensions known only at run time"
        hint = "give the inputs' shapes, or an engine whose bindings are static"
        notes.append(Note("model-shapes-dynamic", message, hint, where, "info"))
    return notes


def _complaint(model: onnx.ModelProto) -> str:
    from onnx import shape_inference

    try:
        shape_inference.infer_shapes(model, check_type=False, strict_mode=True, data_prop=True)
    except Exception as error:  # as above: this is asked for its complaint alone
        return _one_line(str(error))
    return ""


def _failed(reason: str, where: str) -> Note:
    hint = "onnx.checker.check_model names what is wrong with the model"
    return Note("model-inference-failed", f"ONNX's shape inference failed: {_one_line(reason)}", hint, where)


def _one_line(text: str) -> str:
    told = " ".join(text.split())
    return printable(told[:_REASON_CHARS])

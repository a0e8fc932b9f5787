"""ONNX file → Model: operators, and values with inferred shapes, without weights."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from trex.core.collector import collector_paused
from trex.core.counted import counted
from trex.core.errors import TrexError, missing_extra
from trex.core.model import Model
from trex.core.note import Note
from trex.core.operator import Operator, Value
from trex.core.shape import Shape
from trex.ingest.onnx_child import inlined
from trex.ingest.onnx_facts import described_value, stored_value, text_of
from trex.ingest.onnx_parts import check_parts
from trex.ingest.onnx_shapes import infer_shapes, set_input_shapes, without_constants, without_weights
from trex.ingest.onnx_structure import checked_operators
from trex.ingest.source import Source, read_binary, read_head

if TYPE_CHECKING:
    import onnx

# Protobuf's limit for one message; larger models have their weights in separate files.
_MAX_BYTES = (1 << 31) - 1
# Of a model with its functions inlined: functions that call each other twice double with each of them.
_MOST_INLINED_BYTES, _MOST_TIMES = 8 << 20, 16
_IR_VERSION, _CUT_OFF = b"\x08", bytes(64)
_NO_MODEL_HINT = "give the .onnx file that the engine was built from"


def read_model(
    path: str | os.PathLike[str], shapes: Mapping[str, Iterable[int | None]] | None = None, *, is_asked: bool = True
) -> Model:
    """The model in a file, with inferred shapes. External data may be missing.

    shapes: {input: shape}, for symbolic dimensions. is_asked: the user gave them, so they replace static shapes of the
    model; otherwise (they are an engine's) a Note reports contradictions.

    Raises TrexError for a file that is missing, too large for protobuf (2 GiB) or no ONNX model, for shapes that match
    no input, and if the package ``onnx`` is not installed. Notes report what else was not understood: graphs inside If,
    Loop and Scan are not read, functions that cannot be inlined stay operators.
    """
    with collector_paused():
        return _read(os.fspath(path), {name: tuple(shape) for name, shape in (shapes or {}).items()}, is_asked)


def input_shapes(path: str | os.PathLike[str]) -> dict[str, Shape | None]:
    """{input without initializer: its written shape, None if its rank is unknown}. As ``written_ends``."""
    return {value.name: value.shape for value in written_ends(path)[0]}


def written_ends(path: str | os.PathLike[str]) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
    """(inputs without initializer, outputs) with their written shapes. Raises TrexError as ``read_model``.

    Shapes are not inferred, so this takes milliseconds.
    """
    source = _bytes_of(path)
    graph = _parse(source.data, source.path).graph
    stored = {text_of(tensor.name) for tensor in graph.initializer}
    stored |= {text_of(tensor.values.name) for tensor in graph.sparse_initializer}
    inputs = tuple(value for value in map(described_value, graph.input) if value.name not in stored)
    return inputs, tuple(map(described_value, graph.output))


def _read(path: str, shapes: dict[str, Shape], is_asked: bool) -> Model:
    source = _bytes_of(path)
    where = source.path
    model = _parse(source.data, where)
    graph = model.graph
    stored = [*map(stored_value, graph.initializer)]
    names = {value.name for value in stored}
    inputs = [name for info in graph.input if (name := text_of(info.name)) not in names]
    outputs = [text_of(info.name) for info in graph.output]
    without_weights(graph)
    inlining, spent_s = _inline(model, where)
    notes: list[Note] = [*source.notes, *inlining]
    graph = model.graph
    operators, sorting = checked_operators(model, where)
    notes += sorting
    notes += set_input_shapes(graph, inputs, shapes, where, is_asked=is_asked)
    without_constants(graph)
    values, more = infer_shapes(model, where, spent_s)
    values.update((value.name, value) for value in stored)
    values.update(_constants(operators, values))
    notes += (*more, *_closed(operators, where), *_external(stored, where))
    return Model(
        operators,
        values,
        tuple([values[name] for name in inputs if name in values]),
        tuple([values[name] for name in outputs if name in values]),
        text_of(graph.name),
        where,
        tuple(notes),
    )


def _bytes_of(path: str | os.PathLike[str]) -> Source:
    """The file; one that begins with a zero byte, which no message does, is not read."""
    if read_head(path, 1) == b"\0":
        raise TrexError("this is not an ONNX model: it begins with a zero byte", _NO_MODEL_HINT, os.fspath(path))
    return read_binary(path, _MAX_BYTES, _too_large)


def _too_large(size: int, where: str) -> TrexError:
    return TrexError(
        f"the model has {size:,} bytes, more than the 2 GiB that protobuf reads",
        "save it with its weights in separate files: onnx.save(model, path, save_as_external_data=True)",
        where,
    )


def _parse(data: bytes, where: str) -> onnx.ModelProto:
    try:
        import onnx
        from google.protobuf.message import DecodeError
    except ImportError as error:
        raise missing_extra("onnx", "onnx", "reading an ONNX model") from error
    try:
        check_parts(data, where)
        model = onnx.load_model_from_string(data)
    except (DecodeError, ValueError, IndexError) as error:
        opening = data[:40].decode("latin-1")
        if data.startswith(_IR_VERSION) and data.endswith(_CUT_OFF):
            message = "the model is damaged: it ends in NUL bytes, as after a crash, or a download that was cut off"
            raise TrexError(message, "copy or download the file again", where) from error
        raise TrexError("this is not an ONNX model, or it is damaged", _NO_MODEL_HINT, where, opening) from error
    graph = model.graph
    if not (graph.node or graph.output) or not model.opset_import:
        raise TrexError("this is not an ONNX model: it has no graph", _NO_MODEL_HINT, where)
    return model


def _inline(model: onnx.ModelProto, where: str) -> tuple[list[Note], float]:
    """Inlines the model's own functions, if this release of onnx can: (notes, seconds that it took)."""
    if not model.functions:
        return [], 0.0
    what = counted(len(model.functions), "function")
    data = model.SerializeToString()
    result = inlined(data)
    problem = result.problem
    if len(result.data) > _MOST_INLINED_BYTES + _MOST_TIMES * len(data):
        problem = f"they grow from {len(data):,} to {len(result.data):,} bytes"
    if problem:
        message = f"{what} of the model stay operators: {problem}"
        return [Note("model-functions-closed", message, "", where)], result.seconds
    model.ParseFromString(result.data)
    message = f"{what} of the model inlined; the names inside are the inliner's"
    return [Note("model-functions-inlined", message, "", where, "info")], result.seconds


def _constants(operators: Iterable[Operator], values: Mapping[str, Value]) -> dict[str, Value]:
    """Outputs of Constant operators, with their numbers."""
    constants = {}
    for operator in operators:
        if operator.type == "Constant" and not operator.domain and operator.outputs:
            tensor = operator.attributes.get("value")
            if isinstance(tensor, Value):
                name = operator.outputs[0]
                constants[name] = Value(name, tensor.shape, tensor.data_type, False, tensor.numbers, tensor.location)
            elif (known := values.get(operator.outputs[0])) is not None:
                constants[known.name] = Value(known.name, known.shape, known.data_type, False, _scalars(operator))
    return constants


def _scalars(operator: Operator) -> tuple[int | float, ...] | None:
    for key, written in operator.attributes.items():
        if key in ("value_int", "value_float") and isinstance(written, int | float):
            return (written,)
        if key in ("value_ints", "value_floats") and isinstance(written, tuple):
            return tuple([number for number in written if isinstance(number, int | float)])
    return None


def _closed(operators: Iterable[Operator], where: str) -> list[Note]:
    holders = [operator for operator in operators if operator.subgraphs]
    if not holders:
        return []
    inside = sum(graph.operator_count for operator in holders for graph in operator.subgraphs)
    kinds = ", ".join(sorted({operator.type for operator in holders})[:8])
    message = (
        f"{counted(len(holders), 'operator')} ({kinds}) with graphs inside, whose {counted(inside, 'operator')} are "
        "not read"
    )
    return [Note("model-subgraphs-closed", message, "", where)]


def _external(stored: Iterable[Value], where: str) -> list[Note]:
    elsewhere = sum(bool(value.location) for value in stored)
    if not elsewhere:
        return []
    message = f"the data of {counted(elsewhere, 'initializer')} is in separate files and was not read"
    return [Note("model-external-data", message, "", where, "info")]

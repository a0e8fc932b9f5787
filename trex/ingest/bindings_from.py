"""Engine whose file lacks its inputs and outputs → the engine with those of the run's log or of the ONNX model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.core.engine import Engine
from trex.core.errors import TrexError
from trex.core.note import Note
from trex.core.shape import volume
from trex.core.tensor import Binding, Tensor
from trex.core.tensor_format import UNKNOWN_FORMAT
from trex.ingest.logs.log_run import LogRun
from trex.ingest.spelling.data_types import data_type_of

LARGEST_MODEL = 1 << 29
"""Bytes of an ONNX file that is read for nothing but its inputs and outputs. Our choice: half a second."""


def bindings_of(run: LogRun) -> tuple[Binding, ...]:
    """The inputs and outputs that trtexec created for the inference."""
    return tuple(
        Binding(io.name, io.is_input, _tensor(io.name, io.shape, data_type_of(io.type_text))) for io in run.io_tensors
    )


def with_bindings(engine: Engine, runs: Sequence[LogRun], model: str | None) -> Engine:
    """The engine with tensors for the bindings that have none, and with bindings if it has none.

    runs: of this engine; the first with inputs and outputs counts. model: the path of an ONNX model next to the engine,
    used if no run has them: its shapes, but no types, which the build may have changed. Unchanged if nothing is missing
    or nothing else is known.
    """
    if engine.bindings and any(binding.tensor is not None for binding in engine.bindings):
        return engine
    run = next((run for run in runs if run.io_tensors), None)
    if run is not None:
        return _completed(engine, bindings_of(run), "bindings-from-log", next(iter(run.metadata.sources), ""))
    return _completed(engine, _of_model(model), "bindings-from-model", model or "") if model else engine


def _completed(engine: Engine, known: Iterable[Binding], code: str, source: str) -> Engine:
    by_name = {binding.name: binding for binding in known}
    bindings = tuple(by_name.get(binding.name, binding) for binding in engine.bindings) or tuple(by_name.values())
    count = sum(binding.tensor is not None for binding in bindings)
    if not count:
        return engine
    message = f"{counted(count, 'input and output', 'inputs and outputs')} are from {Path(source).name}"
    note = Note(code, message, "", source, "info")
    return replace(engine, bindings=bindings, notes=(*engine.notes, note))


def _of_model(path: str) -> tuple[Binding, ...]:
    """Inputs and outputs of an ONNX model; () if it is large or cannot be read."""
    from trex.ingest.onnx_model import written_ends

    try:
        if Path(path).stat().st_size > LARGEST_MODEL:
            return ()
        inputs, outputs = written_ends(path)
    except (OSError, TrexError):  # the model was not asked for
        return ()
    return tuple(
        Binding(value.name, is_input, _tensor(value.name, value.shape, DataType.UNKNOWN))
        for values, is_input in ((inputs, True), (outputs, False))
        for value in values
    )


def _tensor(name: str, shape: tuple[int | None, ...] | None, data_type: DataType) -> Tensor:
    return Tensor(name, shape, data_type, UNKNOWN_FORMAT, data_type.size_bytes(volume(shape)), "", {"Name": name})

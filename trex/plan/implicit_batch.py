"""Engine whose shapes leave the batch out (implicit batch, TensorRT up to 9) → the same engine with it in front.

A kernel of such an engine computes as many items as ``execute`` is given, whatever its shapes: work, bytes and filling
of the GPU by these shapes are those of one item, and times those of all. Source: TensorRT 8 Developer Guide, "Explicit
Versus Implicit Batch".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import prod
from typing import Any

from trex.core.engine import Engine
from trex.core.layer import Layer, Role
from trex.core.metadata import Metadata
from trex.core.note import Note
from trex.core.shape import Shape
from trex.core.tensor import Binding, Tensor
from trex.ingest.spelling.shape_options import run_shapes
from trex.ingest.spelling.shapes import MAX_DIM, read_dim, read_shape
from trex.ingest.spelling.written_number import written_number

IMPLICIT_BATCH, UNKNOWN_BATCH = "implicit-batch", "implicit-batch-unknown"
_CONVOLUTIONS = (("Kernel", ""), ("ConvKernel", "Conv"), ("ConvolutionKernel", "Convolution"))
"""(key of the window, prefix of the other keys); the last two are of ConvActPool in TensorRT 8.4 and later."""
_POOLING = "WindowSize"
_WINDOWS = frozenset((_POOLING, *(key for key, _ in _CONVOLUTIONS)))


def with_batch(engine: Engine, run: Metadata, build: Metadata) -> tuple[Engine, tuple[Note, ...]]:
    """The engine with the batch of its run as first dimension of all that layers compute, and a Note on that.

    The dimension is unknown if no file states the batch; then sizes and work are unknown, too. Constants have no batch.
    An engine whose shapes have the batch stays as it is.
    """
    lacks = lacks_batch(engine)
    if lacks is False or (lacks is None and not _is_stated(engine, run, build)):
        return engine, ()
    batch = _batch_of_run(run, build)
    batched = _Batched(engine, batch)
    layers, bindings = map(batched.layer, engine.layers), map(batched.binding, engine.bindings)
    message = "the shapes in the file leave the batch out (implicit batch)"
    if batch is None:
        message = f"{message}, and no file states that of the run: sizes, work and how full the GPU is are unknown"
        hint = "keep the log or the metadata of the run next to the graph"
        note = Note(UNKNOWN_BATCH, message, hint, engine.source)
    else:
        note = Note(IMPLICIT_BATCH, f"{message}: here that of the run, {batch}, is first", "", engine.source, "info")
    return replace(engine, layers=tuple(layers), bindings=tuple(bindings)), (note,)


def lacks_batch(engine: Engine) -> bool | None:
    """Whether the shapes leave the batch out, by its convolutions and poolings; None if they leave it open.

    A window of two extents moves over shapes of three dimensions if there is no batch, else of four. One layer whose
    shapes have a batch refutes all others.
    """
    answers: set[bool | None] = set()
    for layer in engine.layers:
        if not _WINDOWS.isdisjoint(layer.raw):
            answers.update(_answers(layer))
            if False in answers:
                return False
    return True if True in answers else None


def _answers(layer: Layer) -> Iterator[bool | None]:
    """Whether the layer's shapes lack the batch, by each window in its record; None if that is open."""
    record = layer.raw
    source, output = (side[0].shape if side else None for side in (layer.inputs, layer.outputs))
    if source is None or output is None or len(source) != len(output):
        return
    for key, prefix in (*_CONVOLUTIONS, (_POOLING, "")):
        window = read_shape(record.get(key)) or ()
        missing = len(window) + 2 - len(source)
        if len(window) < 2 or None in window or missing not in (0, 1):
            continue
        if not missing:
            yield False
        elif key == _POOLING:
            yield (source[0] == output[0] and not _may_be_one(window)) or None
        else:
            first = _fits(record, prefix, window, source[0], output[0])
            second = source[0] == output[0] and _fits(record, prefix, window, source[1], output[1])
            is_open = first == second and (_may_be_one(window) or not first)
            yield None if is_open else first


def _may_be_one(window: Shape) -> bool:
    """Whether it may be of one spatial dimension, which TensorRT computes as two: a sequence has no other."""
    return 1 in window


def _fits(record: Mapping[str, Any], prefix: str, window: Shape, channels: int | None, written: int | None) -> bool:
    """Whether these dimensions of input and output are the channels, by the outputs and weights in the record."""
    maps, groups = read_dim(record.get(f"{prefix}OutMaps")), read_dim(record.get(f"{prefix}Groups", 1))
    weights = record.get(f"{prefix}Weights")
    count = weights.get("Count") if isinstance(weights, dict) else None
    if not maps or maps != written or not groups or not channels:
        return False
    is_known = type(count) is int and count > 0
    return not is_known or count == maps * channels // groups * prod(extent or 1 for extent in window)


def _is_stated(engine: Engine, run: Metadata, build: Metadata) -> bool:
    """Whether the metadata state a batch that is in no shape.

    trtexec prints ``Batch: 1`` of every engine that it loads, so one item is implicit only if the build allows more.
    """
    batch, allowed = _count(run.inference_options.get("Batch")), _allowed(run, build)
    if batch is None or run_shapes(run) or any("explicit" in str(option).lower() for option in allowed):
        return False
    if max((batch, *(_count(option) or 1 for option in allowed))) == 1:
        return False
    inputs = [binding.tensor for binding in engine.bindings if binding.is_input and binding.tensor is not None]
    return not any(tensor.shape is None or None in tensor.shape or tensor.shape[:1] == (batch,) for tensor in inputs)


def _batch_of_run(run: Metadata, build: Metadata) -> int | None:
    batch = _count(run.inference_options.get("Batch"))
    return 1 if batch is None and 1 in map(_count, _allowed(run, build)) else batch


def _allowed(run: Metadata, build: Metadata) -> list[Any]:
    options = (metadata.build_options.get("Max batch") for metadata in (run, build))
    return [option for option in options if option is not None]


def _count(value: Any) -> int | None:
    """A number of at least 1; None of other values."""
    number = written_number(value)
    return int(number) if number is not None and 1 <= number <= MAX_DIM else None


class _Batched:
    """Facts of one engine with the batch in front."""

    def __init__(self, engine: Engine, batch: int | None) -> None:
        self.batch = batch
        stored = (layer for layer in engine.layers if layer.role is Role.CONSTANT)
        self.stored = {tensor.name for layer in stored for tensor in layer.outputs}
        self.known: dict[int, tuple[Tensor, Tensor]] = {}

    def layer(self, layer: Layer) -> Layer:
        sides = {"Inputs": layer.inputs, "Outputs": layer.outputs}
        inputs, outputs = (tuple(map(self.tensor, side)) for side in sides.values())
        records = {key: self._records(layer.raw[key], side) for key, side in sides.items() if key in layer.raw}
        return replace(layer, inputs=inputs, outputs=outputs, raw={**layer.raw, **records})

    def binding(self, binding: Binding) -> Binding:
        return binding if binding.tensor is None else replace(binding, tensor=self.tensor(binding.tensor))

    def tensor(self, tensor: Tensor) -> Tensor:
        if not self._has_batch(tensor) or tensor.shape is None:
            return tensor
        known = self.known.get(id(tensor))
        if known is None:
            shape = (self.batch, *tensor.shape)
            size, record = tensor.size_bytes_at(shape), self._record(tensor.raw)
            known = self.known[id(tensor)] = (tensor, replace(tensor, shape=shape, size_bytes=size, raw=record))
        return known[1]

    def _has_batch(self, tensor: Tensor) -> bool:
        return tensor.name not in self.stored and tensor.location != "Host"

    def _records(self, records: Any, tensors: Iterable[Tensor]) -> Any:
        """Those of the tensors; a list of inputs has those of stored operands as well."""
        written = (tensor.raw.get("Name") for tensor in tensors if self._has_batch(tensor))
        names = {name for name in written if isinstance(name, str)}  # a damaged one may be a list
        if not isinstance(records, list):
            return records
        return [self._record(record) if _is_named(record, names) else record for record in records]

    def _record(self, record: dict[str, Any]) -> dict[str, Any]:
        dimensions = record.get("Dimensions")
        if not isinstance(dimensions, list):
            return record
        return {**record, "Dimensions": [-1 if self.batch is None else self.batch, *dimensions]}


def _is_named(record: Any, names: set[str]) -> bool:
    name = record.get("Name") if isinstance(record, dict) else None
    return isinstance(name, str) and name in names

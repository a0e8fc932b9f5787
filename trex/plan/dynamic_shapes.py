"""Engine with dimensions known only at run time → the same engine at given input shapes."""

from __future__ import annotations

import difflib
import operator
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from trex.core.engine import Engine
from trex.core.errors import TrexError
from trex.core.layer import Layer
from trex.core.note import Note
from trex.core.shape import Shape, fill_unknown, shape_text
from trex.core.tensor import Binding, Tensor
from trex.ingest.shapes import read_shape

POINTS = {"min": "minimum", "opt": "optimum", "max": "maximum"}


def input_shapes(engine: Engine, point: str, profile: int = 0) -> dict[str, Shape]:
    """The inputs' shapes at a profile's ``min``, ``opt`` or ``max``.

    Raises TrexError when a dynamic input's range is not known.
    """
    if point not in POINTS:
        raise TrexError(f"{point!r} is no point of a profile", "use min, opt or max")
    shapes: dict[str, Shape] = {}
    for binding in engine.bindings:
        if not binding.is_input:
            continue
        ranges = binding.profiles[profile] if profile < len(binding.profiles) else None
        shape = getattr(ranges, POINTS[point]) if ranges else None
        if shape is not None:
            shapes[binding.name] = shape
        elif binding.tensor is not None and binding.tensor.shape is not None and None in binding.tensor.shape:
            raise TrexError(
                f"the {point} shape of input {binding.name!r} is not known",
                "keep the build log or its metadata beside the graph, or pass shapes={'name': (…)}",
                engine.source,
            )
    return shapes


def at_shapes(engine: Engine, shapes: Mapping[str, Shape]) -> tuple[Engine, tuple[Note, ...]]:
    """The engine with unknown dimensions filled in, and Notes on how far that goes.

    Raises TrexError for a name that is no input and for a shape that does not fit its input.

    Inputs take their given shapes. Inside the engine the file does not tell which dimension follows which input; only
    when every unknown dimension of every input is its first one, all of one value (a batch), is an unknown first
    dimension of an inner tensor taken to be that batch. All other dimensions stay unknown.
    """
    shapes = {name: _given(engine, name, shape) for name, shape in shapes.items()}
    batch = _batch(engine, shapes)
    known: dict[int, Tensor] = {}

    def filled(tensor: Tensor) -> Tensor:
        if tensor.shape is None or None not in tensor.shape:
            return tensor
        result = known.get(id(tensor))
        if result is None:
            shape: Shape | None = shapes.get(tensor.name)
            if shape is None or not _fits(tensor.shape, shape):
                shape = fill_unknown(tensor.shape, {} if batch is None else {0: batch})
            result = replace(tensor, shape=shape, size_bytes=tensor.size_bytes_at(shape) if shape else None)
            known[id(tensor)] = result
        return result

    def layer_at(layer: Layer) -> Layer:
        return replace(layer, inputs=tuple(map(filled, layer.inputs)), outputs=tuple(map(filled, layer.outputs)))

    def binding_at(binding: Binding) -> Binding:
        return replace(binding, tensor=filled(binding.tensor)) if binding.tensor else binding

    result = replace(
        engine,
        layers=tuple(map(layer_at, engine.layers)),
        bindings=tuple(map(binding_at, engine.bindings)),
    )
    still = sum(1 for tensor in known.values() if tensor.shape is None or None in tensor.shape)
    notes = []
    if known:
        told = ", ".join(f"{name} {'x'.join(map(str, shape))}" for name, shape in shapes.items())
        how = f"; inner tensors take {batch} as their first dimension" if batch is not None else ""
        notes.append(Note("evaluated-at-shapes", f"sizes are for {told}{how}", "", engine.source, "info"))
    if still:
        notes.append(
            Note(
                "still-dynamic",
                f"{still} tensors keep dimensions that the inputs' shapes do not tell",
                "",
                engine.source,
            )
        )
    return result, tuple(notes)


def _given(engine: Engine, name: str, shape: Any) -> Shape:
    binding = engine.binding_by_name.get(name)
    if binding is None or binding.is_input is False:
        inputs = [binding.name for binding in engine.bindings if binding.is_input is not False]
        near = difflib.get_close_matches(name, inputs, 3) or inputs[:8]
        raise TrexError(
            f"the engine has no input {name!r}", f"its inputs: {', '.join(near) or 'none is known'}", engine.source
        )
    try:
        known = read_shape([operator.index(dim) for dim in shape])
    except TypeError:
        known = None
    if known is None or None in known:
        raise TrexError(f"{shape!r} is no shape", "give whole numbers, one per dimension", engine.source)
    declared = binding.tensor.shape if binding.tensor else None
    if declared is not None and not _fits(declared, known):
        raise TrexError(
            f"the shape {shape_text(known)} does not fit input {name!r}, which is {shape_text(declared)}",
            "give one number per dimension, and the engine's own where it has one",
            engine.source,
        )
    return known


def _batch(engine: Engine, shapes: Mapping[str, Shape]) -> int | None:
    values: set[int | None] = set()
    for binding in engine.bindings:
        shape = binding.tensor.shape if binding.is_input and binding.tensor else None
        if shape is None or None not in shape:
            continue
        given = shapes.get(binding.name)
        if shape.count(None) != 1 or shape[0] is not None or given is None or not _fits(shape, given):
            return None
        values.add(given[0])
    return values.pop() if len(values) == 1 else None


def _fits(shape: Shape, given: Shape) -> bool:
    return len(shape) == len(given) and all(dim is None or dim == new for dim, new in zip(shape, given))

"""Engine with dynamic shapes → the same engine at given input shapes."""

from __future__ import annotations

import difflib
import operator
from collections.abc import Iterable, Mapping
from dataclasses import replace
from math import prod
from typing import Any

from trex.core.counted import counted
from trex.core.engine import Engine
from trex.core.errors import TrexError
from trex.core.layer import Layer
from trex.core.note import Note
from trex.core.shape import Shape, is_static, shape_text, volume
from trex.core.tensor import Binding, Tensor
from trex.ingest.spelling.shapes import read_shape

_MOVERS = frozenset({"NoOp", "Shuffle", "Reformat", "MyelinReformat", "reshape", "Squeeze", "Unsqueeze"})
_RESHAPE = "Resh"
_MOVING_TOKENS = frozenset({_RESHAPE, "Tran", "Cast", "Move"})
POINTS = {"min": "minimum", "opt": "optimum", "max": "maximum"}


def input_shapes(engine: Engine, point: str, profile: int = 0) -> dict[str, Shape]:
    """The inputs' shapes at a profile's ``min``, ``opt`` or ``max``.

    Raises TrexError if the range of a dynamic input is unknown.
    """
    if point not in POINTS:
        raise TrexError(f"{point!r} is not a point of a profile", "use min, opt or max")
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
                f"the {point} shape of input {binding.name!r} is unknown",
                "keep the build log or its metadata next to the graph, or pass shapes={'name': (…)}",
                engine.source,
            )
    return shapes


def at_shapes(engine: Engine, shapes: Mapping[str, Iterable[Any]]) -> tuple[Engine, tuple[Note, ...]]:
    """The engine with dynamic dimensions filled in, and Notes on the result.

    Raises TrexError for a name that is no input, and for a shape that does not fit its input.

    Shapes propagate from inputs and writers to readers. The file does not state which dimension of an output depends on
    which dimension of an input. Two assumptions are made: layers that only move data (reshapes, copies) keep the number
    of elements; other layers keep a dynamic first dimension (the batch) if it is the only dynamic dimension of their
    inputs and has one value, unless they also reshape. A view with strides is as long as the tensor that it is a view
    of. All other dimensions stay unknown.
    """
    given = {name: _given(engine, name, shape) for name, shape in shapes.items()}
    evaluation = _Evaluation(given)
    layers = tuple(map(evaluation.layer, engine.layers))
    bindings = tuple(map(evaluation.binding, engine.bindings))
    notes = []
    if evaluation.filled:
        inputs = ", ".join(f"{name} {shape_text(shape)}" for name, shape in given.items())
        how = "; first dimensions were propagated through the layers" if evaluation.propagated else ""
        message = f"sizes are for {inputs}, times for the shapes of the run{how}"
        notes.append(Note("evaluated-at-shapes", message, "", engine.source, "info"))
    if evaluation.unknown:
        message = f"{counted(evaluation.unknown, 'tensor')} with dimensions that the input shapes do not determine"
        notes.append(Note("still-dynamic", message, "", engine.source))
    return replace(engine, layers=layers, bindings=bindings), tuple(notes)


class _Evaluation:
    """One pass over the layers in execution order. shapes: of the value last written to each name. stored: number of
    elements from its first to its last, where its strides are known.
    """

    def __init__(self, given: dict[str, Shape]) -> None:
        self.shapes: dict[str, Shape] = dict(given)
        self.stored: dict[str, int | None] = {}
        self.filled = self.propagated = self.unknown = 0

    def layer(self, layer: Layer) -> Layer:
        inputs = tuple(self._at(tensor, self.shapes.get(tensor.name)) for tensor in layer.inputs)
        outputs = tuple(self._output(layer, tensor, inputs) for tensor in layer.outputs)
        for tensor in outputs:
            self.stored[tensor.name] = _stored(tensor)
            if tensor.shape is None:
                self.shapes.pop(tensor.name, None)
            else:
                self.shapes[tensor.name] = tensor.shape
        return (
            layer
            if inputs == layer.inputs and outputs == layer.outputs
            else replace(layer, inputs=inputs, outputs=outputs)
        )

    def binding(self, binding: Binding) -> Binding:
        if binding.tensor is None or is_static(binding.tensor.shape):
            return binding
        shape = self.shapes.get(binding.name)
        fits = shape is not None and binding.tensor.shape is not None and _fits(binding.tensor.shape, shape)
        return replace(binding, tensor=_reshaped(binding.tensor, shape)) if fits and shape else binding

    def _at(self, tensor: Tensor, written: Shape | None) -> Tensor:
        """A tensor as its reader sees it: the written shape, or another view with as many elements."""
        if tensor.shape is None or is_static(tensor.shape):
            return tensor
        if written is None:
            return self._count(tensor, tensor.shape)
        if _fits(tensor.shape, written):
            return self._count(tensor, written)
        stride = _outer_stride(tensor)
        if stride is None or stride == prod(size for size in tensor.shape if size is not None):
            return self._count(tensor, _of_volume(tensor.shape, volume(written)))
        stored = self.stored.get(tensor.name)  # a view of a part of each row
        rows = None if stored is None or stored % stride else stored // stride
        return self._count(tensor, tuple(rows if size is None else size for size in tensor.shape))

    def _output(self, layer: Layer, tensor: Tensor, inputs: tuple[Tensor, ...]) -> Tensor:
        if tensor.shape is None or is_static(tensor.shape):
            return tensor
        if _only_moves(layer):
            moved = [source for source in inputs if source.location != "Host"]  # a reshape may also read its shape
            return self._count(tensor, _of_volume(tensor.shape, moved[0].volume if len(moved) == 1 else None))
        leads = {
            new.shape[0] if new.shape and old.shape.index(None) == 0 and old.shape.count(None) == 1 else None
            for old, new in zip(layer.inputs, inputs)
            if old.shape is not None and None in old.shape
        }
        keeps_batch = all(old.shape is not None for old in layer.inputs) and _RESHAPE not in layer.name_parts.tokens
        if tensor.shape[0] is None and len(leads) == 1 and None not in leads and keeps_batch:
            self.propagated += 1
            return self._count(tensor, (leads.pop(), *tensor.shape[1:]))
        return self._count(tensor, tensor.shape)

    def _count(self, tensor: Tensor, shape: Shape) -> Tensor:
        if None in shape:
            self.unknown += 1
        if shape == tensor.shape:
            return tensor
        self.filled += 1
        return _reshaped(tensor, shape)


def _reshaped(tensor: Tensor, shape: Shape) -> Tensor:
    return replace(tensor, shape=shape, size_bytes=tensor.size_bytes_at(shape))


def _outer_stride(tensor: Tensor) -> int | None:
    """The stride of the only unknown dimension, if it is the outermost; None if that is not known."""
    strides, shape = tensor.raw.get("Strides"), tensor.shape
    if not isinstance(strides, list) or shape is None or len(strides) != len(shape) or shape.count(None) != 1:
        return None
    stride = strides[shape.index(None)]
    if not all(isinstance(size, int) for size in strides):
        return None
    return stride if all(0 < size <= stride for size in strides) else None


def _stored(tensor: Tensor) -> int | None:
    strides, shape = tensor.raw.get("Strides"), tensor.shape
    if not isinstance(strides, list) or shape is None or None in shape or len(strides) != len(shape):
        return None
    if not all(isinstance(stride, int) and stride > 0 for stride in strides):
        return None
    return max((stride * (size or 0) for stride, size in zip(strides, shape)), default=1)


def _only_moves(layer: Layer) -> bool:
    """Whether the layer's outputs are the elements of its inputs, in another order or shape."""
    if layer.type in _MOVERS:
        return True
    return layer.type == "kgen" and bool(layer.name_parts.tokens) and _MOVING_TOKENS.issuperset(layer.name_parts.tokens)


def _of_volume(shape: Shape, elements: int | None) -> Shape:
    """The shape whose only unknown dimension follows from the number of elements; unchanged if impossible."""
    known = prod(dim for dim in shape if dim is not None)
    if elements is None or shape.count(None) != 1 or not known or elements % known:
        return shape
    return tuple(elements // known if dim is None else dim for dim in shape)


def _given(engine: Engine, name: str, shape: Any) -> Shape:
    binding = engine.binding_by_name.get(name)
    if binding is None or binding.is_input is False:
        inputs = [binding.name for binding in engine.bindings if binding.is_input is not False]
        near = difflib.get_close_matches(name, inputs, 3) or inputs[:8]
        raise TrexError(
            f"the engine has no input {name!r}", f"its inputs: {', '.join(near) or 'unknown'}", engine.source
        )
    try:
        known = read_shape([operator.index(dim) for dim in shape])
    except TypeError:
        known = None
    if known is None or None in known:
        raise TrexError(f"{shape!r} is not a shape", "pass whole numbers, one per dimension", engine.source)
    declared = binding.tensor.shape if binding.tensor else None
    if declared is not None and not _fits(declared, known):
        raise TrexError(
            f"the shape {shape_text(known)} does not fit input {name!r}, which is {shape_text(declared)}",
            "pass one number per dimension, equal to the engine's where it is static",
            engine.source,
        )
    return known


def _fits(shape: Shape, given: Shape) -> bool:
    return len(shape) == len(given) and all(dim is None or dim == new for dim, new in zip(shape, given))

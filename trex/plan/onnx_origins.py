"""Layers and an ONNX model → the operators of each layer; advice if layers name no ONNX nodes.

The operators follow from a layer's ONNX origins; without any (engines before 8.6, or without detailed verbosity) from
the operations in its name. A region with only its two ends (``{ForeignNode[a...b]}``) has the operators that its last
one depends on and that no other layer names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trex.core.counted import counted
from trex.core.engine import Engine
from trex.core.layer import Layer, Role
from trex.core.model import Model
from trex.core.note import Note
from trex.core.operator import Operator
from trex.core.shape import Shape
from trex.ingest.spelling.layer_names import inserted_for, parse_name

# A model with a smaller share of the engine's origins is of another engine.
LEAST_SHARE = 0.5
FIRST_WITH_ORIGINS = (8, 6)
"""The first TensorRT whose engines contain the ONNX nodes of their layers, if built with detailed verbosity."""
_LISTED = 3
_VERBOSITY = "--profilingVerbosity=detailed"
_VERSION = re.compile(r"v?(\d{1,4})\.(\d{1,4})")
_UNNAMED = "(Unnamed Layer*"
_REGION = "foreign"
_OF_NODES = frozenset({Role.KERNEL, Role.NOOP})


@dataclass(frozen=True)
class OnnxOrigins:
    """The operators of a model that the layers of an engine came from.

    operators: per layer; () for none (a reformat). complete: per layer, False if an origin is not in the model or its
    name is not unique. regions: positions of the layers whose operators lie between two ends. named, matched: number of
    different origins that the layers name, and of those that are in the model. missing: the first few that are not.
    """

    operators: tuple[tuple[Operator, ...], ...]
    complete: tuple[bool, ...]
    regions: frozenset[int]
    named: int
    matched: int
    missing: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """Share of the named origins that are in the model, 0 to 1; 0 if none is named."""
        return self.matched / self.named if self.named else 0.0

    @property
    def is_same_model(self) -> bool:
        """Whether the engine was probably built from this model."""
        return self.share >= LEAST_SHARE


def find_origins(layers: Sequence[Layer], model: Model) -> OnnxOrigins:
    """The operators of every layer."""
    named = [names_of(layer, model) for layer in layers]
    different = dict.fromkeys(name for names in named for name in names)
    missing = [name for name in different if name not in model.by_name]
    by_name = [_operators(names, model) for names in named]
    operators = [group for group, _ in by_name]
    complete = [is_complete for _, is_complete in by_name]
    claimed = {operator.index for group in operators for operator in group}
    regions = set()
    for position, layer in enumerate(layers):
        if _REGION in layer.name_parts.fusion and _ends_only(layer):
            inside = _between(layer, named[position], model, claimed)
            complete[position] = inside is not None
            if inside is not None:
                operators[position] = inside
                regions.add(position)
                claimed.update(operator.index for operator in inside)
    return OnnxOrigins(
        tuple(operators),
        tuple(complete),
        frozenset(regions),
        len(different),
        len(different) - len(missing),
        tuple(missing[:_LISTED]),
    )


def _ends_only(layer: Layer) -> bool:
    """Whether a region names only its ends."""
    return not layer.origins or {*layer.origins} <= {*_in_name(layer)}


def names_of(layer: Layer, model: Model) -> tuple[str, ...]:
    """Names of a layer's ONNX nodes, without layers that TensorRT inserted and initializers of the model."""
    if layer.origins:
        return layer.origins
    if layer.role not in _OF_NODES or layer.name_parts.wraps:
        return ()
    return tuple(name for name in _in_name(layer) if _is_node(name, model))


def _in_name(layer: Layer) -> Iterable[str]:
    operations: Iterable[str] = layer.name_parts.operations
    if _REGION in layer.name_parts.fusion:
        operations = (operation for end in operations for operation in parse_name(end).operations)
    return dict.fromkeys(operations)


def _is_node(name: str, model: Model) -> bool:
    if name in model.by_name:
        return True
    value = model.values.get(name)
    return not name.startswith(_UNNAMED) and inserted_for(name) is None and (value is None or not value.is_stored)


def _operators(names: Iterable[str], model: Model) -> tuple[tuple[Operator, ...], bool]:
    """(operators with a unique name among ``names``, whether these are all)."""
    groups = [model.by_name.get(name, ()) for name in names]
    return tuple([group[0] for group in groups if len(group) == 1]), all(len(group) == 1 for group in groups)


def _between(layer: Layer, ends: tuple[str, ...], model: Model, claimed: set[int]) -> tuple[Operator, ...] | None:
    """The operators that the region's ends and outputs depend on, without those of other layers; None if an end is
    missing."""
    own, is_complete = _operators(ends, model)
    if not own or not is_complete:
        return None
    pending = [*own]
    pending += [model.producers[tensor.name] for tensor in layer.outputs if tensor.name in model.producers]
    ends_of_region = {operator.index for operator in own}
    inside: dict[int, Operator] = {}
    read = {tensor.name for tensor in layer.inputs}
    while pending:
        operator = pending.pop()
        is_of_others = operator.index in claimed and operator.index not in ends_of_region
        if is_of_others or operator.index in inside:
            continue
        inside[operator.index] = operator
        pending += [model.producers[name] for name in operator.reads if name not in read and name in model.producers]
    return tuple(inside[index] for index in sorted(inside))


def input_shapes_of(engine: Engine) -> dict[str, Shape]:
    """{name: shape} of the engine's inputs with a known shape."""
    return {
        binding.name: binding.tensor.shape
        for binding in engine.bindings
        if binding.is_input and binding.tensor is not None and binding.tensor.shape is not None
    }


def origins_notes(origins: OnnxOrigins, model: Model, hint: str = "") -> tuple[Note, ...]:
    """Notes on how well the model fits; () if it has every origin. hint: next step if the layers name no origins."""
    if origins.matched == origins.named and origins.named:
        return ()
    if not origins.named:
        message = "the layers name no ONNX nodes, so the model is not used"
        return (Note("no-onnx-origins", message, hint, model.source),)
    share = f"{origins.matched} of {counted(origins.named, 'origin')} of the layers ({origins.share:.0%})"
    missing = ", ".join(map(repr, origins.missing))
    if not origins.is_same_model:
        message = f"the model contains {share}, so it is not used; missing: {missing}"
        hint = "pass the model that the engine was built from"
        return (Note("model-of-another-engine", message, hint, model.source, "problem"),)
    message = f"the model contains {share}; missing: {missing}"
    return (Note("model-lacks-origins", message, "", model.source, "info"),)


def origins_hint(layers: Sequence[Layer], tensorrt_version: str) -> str:
    """The next step for layers that name no ONNX nodes."""
    match = _VERSION.match(tensorrt_version)
    version = (int(match[1]), int(match[2])) if match else None
    if version is not None and version < FIRST_WITH_ORIGINS:
        return f"build with TensorRT 8.6 or later and {_VERBOSITY}: older engines do not contain ONNX nodes"
    if _has_names_only(layers):
        return f"build with {_VERBOSITY}" + ("" if version else " and TensorRT 8.6 or later")
    if version is None:
        return f"build from ONNX with TensorRT 8.6 or later and {_VERBOSITY}"
    return "build from ONNX: engines of other parsers contain the names of their network"


def _has_names_only(layers: Sequence[Layer]) -> bool:
    return not any(layer.inputs or layer.outputs or layer.tactic for layer in layers)

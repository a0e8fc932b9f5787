"""Layers and an ONNX model → the operators that each layer came from, and how much of the engine the model explains.

A layer tells its operators by its ONNX origins; one without any (engines before 8.6, or without detailed verbosity) by
the operations in its name. A region that tells only its two ends (``{ForeignNode[a...b]}``) has the operators that its
last one needs and that no other layer names.
"""

from __future__ import annotations

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

# A model that explains fewer of the engine's origins is another one's.
LEAST_SHARE = 0.5
_LISTED = 3
_UNNAMED = "(Unnamed Layer*"
_REGION = "foreign"
_OF_NODES = frozenset({Role.KERNEL, Role.NOOP})


@dataclass(frozen=True)
class OnnxOrigins:
    """Which operators of a model the layers of an engine came from.

    operators: per layer, those that were found; () where it came from none (a reformat). complete: per layer, False
    where an origin is not in the model or its name is not unique. regions: places of the layers whose operators were
    found between two ends. told, found: how many different origins the layers tell, and how many of them the model
    has. missing: the first few it has not.
    """

    operators: tuple[tuple[Operator, ...], ...]
    complete: tuple[bool, ...]
    regions: frozenset[int]
    told: int
    found: int
    missing: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """Part of the origins told that the model has, 0 … 1; 0 when none is told."""
        return self.found / self.told if self.told else 0.0

    @property
    def is_same_model(self) -> bool:
        """Whether the model is to be taken for the one the engine was built from."""
        return self.share >= LEAST_SHARE


def find_origins(layers: Sequence[Layer], model: Model) -> OnnxOrigins:
    """The operators of every layer."""
    named = [names_of(layer, model) for layer in layers]
    different = dict.fromkeys(name for names in named for name in names)
    missing = [name for name in different if name not in model.by_name]
    found_by_name = [_operators(names, model) for names in named]
    operators = [found for found, _ in found_by_name]
    complete = [is_complete for _, is_complete in found_by_name]
    claimed = {operator.index for group in operators for operator in group}
    regions = set()
    for place, layer in enumerate(layers):
        if _REGION in layer.name_parts.fusion and _ends_only(layer):
            inside = _between(layer, named[place], model, claimed)
            complete[place] = inside is not None
            if inside is not None:
                operators[place] = inside
                regions.add(place)
                claimed.update(operator.index for operator in inside)
    found = len(different) - len(missing)
    shown = tuple(missing[:_LISTED])
    return OnnxOrigins(tuple(operators), tuple(complete), frozenset(regions), len(different), found, shown)


def _ends_only(layer: Layer) -> bool:
    """True for a region that tells no more than its ends."""
    return not layer.origins or {*layer.origins} <= {*_in_name(layer)}


def names_of(layer: Layer, model: Model) -> tuple[str, ...]:
    """Names of the ONNX nodes a layer tells; what TensorRT inserted and the model's initializers are none."""
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
    """(those that are found by a name that only they have, whether these are all)."""
    groups = [model.by_name.get(name, ()) for name in names]
    return tuple([group[0] for group in groups if len(group) == 1]), all(len(group) == 1 for group in groups)


def _between(layer: Layer, ends: tuple[str, ...], model: Model, claimed: set[int]) -> tuple[Operator, ...] | None:
    """The operators that the region's ends and outputs need and no other layer has; None when an end is not found."""
    own, is_complete = _operators(ends, model)
    if not own or not is_complete:
        return None
    pending = [*own]
    pending += [model.producers[each.name] for each in layer.outputs if each.name in model.producers]
    others = claimed - {operator.index for operator in own}
    inside: dict[int, Operator] = {}
    read = {tensor.name for tensor in layer.inputs}
    while pending:
        operator = pending.pop()
        if operator.index in inside or operator.index in others:
            continue
        inside[operator.index] = operator
        pending += [model.producers[name] for name in operator.reads if name not in read and name in model.producers]
    return tuple(inside[index] for index in sorted(inside))


def input_shapes_of(engine: Engine) -> dict[str, Shape]:
    """Shapes of the engine's inputs by name, as far as they are known."""
    return {
        binding.name: binding.tensor.shape
        for binding in engine.bindings
        if binding.is_input and binding.tensor is not None and binding.tensor.shape is not None
    }


def origins_notes(origins: OnnxOrigins, model: Model, hint: str = "") -> tuple[Note, ...]:
    """What a reader should know about how well the model fits; nothing when it explains every origin. hint: what would
    make layers tell origins that tell none.
    """
    if origins.found == origins.told and origins.told:
        return ()
    told, missing = counted(origins.told, "origin"), ", ".join(map(repr, origins.missing))
    if not origins.told:
        message = "the engine's layers tell no ONNX nodes, so that the model explains none of them"
        return (Note("no-onnx-origins", message, hint, model.source),)
    share = f"{origins.found} of {told} of the engine's layers"
    if not origins.is_same_model:
        message = f"the model has {share} ({origins.share:.0%}), so that it is not used; it lacks {missing}"
        hint = "give the model that the engine was built from"
        return (Note("model-of-another-engine", message, hint, model.source, "problem"),)
    message = f"the model has {share} ({origins.share:.0%}); it lacks {missing}"
    return (Note("model-lacks-origins", message, "", model.source, "info"),)

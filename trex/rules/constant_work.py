"""Layers that compute on stored constants alone, with the same result at every inference."""

from __future__ import annotations

from trex.core.layer import Layer, Role
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.plugins import is_plugin

_RANDOM = ("rand", "bernoulli", "multinomial", "dropout")
_FILLS = frozenset({"move", "mov", "fill", "fil", "iota", "iot"})
_BY_SHAPE = frozenset({"expand", "range", "constantofshape", "shape", "fill", "fil", "iota", "iot"})


def constant_positions(engine: AnalyzedEngine) -> list[int]:
    """Positions of the kernels that no input of the engine reaches, in execution order.

    A tensor without a known writer counts as an input. Not counted: kernels that only fill or copy a buffer, those
    whose result is random or, in an engine of dynamic shapes, depends on a shape, and plugins, which may do anything.
    """
    is_dynamic = bool(engine.dynamic_inputs)
    is_constant: dict[str, bool] = {}
    positions = []
    for layer in engine.plan.engine.layers:
        if not layer.lists_tensors or not layer.outputs or layer.lacks_inputs:
            continue
        position = engine.position_of.get(layer.index)
        is_own = all(is_constant.get(tensor.name, False) for tensor in layer.inputs) and (
            layer.role in (Role.CONSTANT, Role.NOOP)
            or (layer.role is Role.KERNEL and position is not None and _repeats(engine, layer, position, is_dynamic))
        )
        for tensor in layer.outputs:
            if tensor.name:
                is_constant[tensor.name] = is_own
        if is_own and layer.role is Role.KERNEL and position is not None and not _only_fills(engine, position):
            positions.append(position)
    return positions


def _repeats(engine: AnalyzedEngine, layer: Layer, position: int, is_dynamic: bool) -> bool:
    """Whether the same inputs give the same result."""
    words = engine.operations.words[position]
    if is_plugin(layer) or any(word.startswith(_RANDOM) for word in words):
        return False
    return not (is_dynamic and not words.isdisjoint(_BY_SHAPE))


def _only_fills(engine: AnalyzedEngine, position: int) -> bool:
    tokens = engine.layers[position].name_parts.tokens
    return bool(tokens) and _FILLS.issuperset(map(str.lower, tokens))

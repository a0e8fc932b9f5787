"""Layers that only move data: transposes, paddings, concatenations and slices, and what they do to inputs."""

from __future__ import annotations

from trex.core.layer import Role
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.type_flow import FLOATS, QUANTIZED

GENERATED = ("kgen", "runtime_function")
"""Types of the kernels that Myelin generates, or takes from its library, whose names consist of tokens."""
MOVING_TYPES = ("Shuffle", "Slice")
MOVING = frozenset({"move", "transpose", "reshape", "concat", "slice", "expand", "pad", "cast"})
_QUANTIZING = MOVING | {"mul", "min", "max", "round", "quantizelinear"}


def only_moves(engine: AnalyzedEngine, position: int) -> bool:
    """Whether a kernel writes values that it reads, in another order, size or type, and is not named a reformat."""
    layer = engine.layers[position]
    if layer.type in MOVING_TYPES:
        return layer.role is Role.KERNEL
    words = engine.operations.tokens(position) if layer.type in GENERATED else frozenset()
    return bool(words) and words <= MOVING


def input_chain(engine: AnalyzedEngine, start: int) -> tuple[int, ...]:
    """The layers that only move, convert or quantize one input of the engine before any other layer reads it.

    Positions in execution order; empty if the layer at ``start`` does not begin such a chain. An input that other
    layers read as it is needs no preparation: a transpose of it is the model's own.
    """
    if not engine.flow.reads_binding(start) or not _prepares(engine, start):
        return ()
    consumers = engine.plan.engine.consumers.get(engine.layers[start].inputs[0].name, ())
    if len(consumers) > 1 and not engine.flow.is_copy(start):
        return ()
    chain = [start]
    while len(after := engine.after(chain[-1])) == 1 and _prepares(engine, after[0]):
        chain.append(after[0])
    return tuple(chain)


def _prepares(engine: AnalyzedEngine, position: int) -> bool:
    layer, flow = engine.layers[position], engine.flow
    if len(layer.inputs) != 1 or len(layer.outputs) != 1 or flow.writes_binding(position):
        return False
    if flow.is_copy(position) or only_moves(engine, position):
        return True
    if flow.reads[position] not in FLOATS or flow.writes[position] not in QUANTIZED or layer.type not in GENERATED:
        return False
    words = engine.operations.tokens(position)
    return bool(words) and words <= _QUANTIZING

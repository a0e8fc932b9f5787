"""Engine → bytes: how much its activations and weights occupy, and how much of that is not known."""

from __future__ import annotations

from dataclasses import dataclass

from trex.core.engine import Engine
from trex.core.layer import Role


@dataclass(frozen=True, slots=True)
class Bytes:
    """A sum of sizes: the known ones added up, and how many were unknown and therefore left out."""

    known: int
    unknown_count: int


def activation_bytes(engine: Engine) -> Bytes:
    """Distinct activations: every output ever written (a reused name counts each time) and every tensor that is read
    but never written. Constants' outputs are weights, not activations.
    """
    sizes: list[int | None] = []
    written: set[str] = set()
    for layer in engine.layers:
        written.update(tensor.name for tensor in layer.outputs)
        if layer.role not in (Role.CONSTANT, Role.NOOP):
            sizes.extend(tensor.size_bytes for tensor in layer.outputs)
    unwritten = {t.name: t.size_bytes for layer in engine.layers for t in layer.inputs if t.name not in written}
    return _total([*sizes, *unwritten.values()])


def weights_bytes(engine: Engine) -> Bytes:
    """Weights, biases, Myelin's stored inputs and Constants; a Constant without a weights entry counts its output."""
    sizes: list[int | None] = []
    for layer in engine.layers:
        if layer.weights:
            sizes.extend(weights.size_bytes for weights in layer.weights)
        elif layer.role is Role.CONSTANT:
            sizes.extend(tensor.size_bytes for tensor in layer.outputs)
    return _total(sizes)


def _total(sizes: list[int | None]) -> Bytes:
    known = [size for size in sizes if size is not None]
    return Bytes(sum(known), len(sizes) - len(known))

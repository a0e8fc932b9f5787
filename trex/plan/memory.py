"""Engine → bytes: how much its activations and weights occupy, and how much of that is not known."""

from __future__ import annotations

from dataclasses import dataclass

from trex.core.engine import Engine
from trex.core.layer import Role, Weights
from trex.plan.values import values_of


@dataclass(frozen=True, slots=True)
class Bytes:
    """A sum of sizes: the known ones added up, and how many were unknown and therefore left out."""

    known: int
    unknown_count: int

    @property
    def total(self) -> float:
        """The sum of what is known; NaN when there is something, but nothing of it is known."""
        return float("nan") if self.unknown_count and not self.known else self.known


def activation_bytes(engine: Engine) -> Bytes:
    """Distinct activations: every value (see ``values_of``), be its memory the engine's, the caller's or the host's.

    A layer of which only the name is known counts as one activation of unknown size.
    """
    values = values_of(engine)
    return _total([*(value.size_bytes for value in values.all), *[None] * values.untold])


def weights_bytes(engine: Engine) -> Bytes:
    """Weights, biases, Myelin's stored inputs and Constants; a Constant without a weights entry counts its output.

    A stored input that several layers of one Myelin region read counts once; regions number theirs independently.
    """
    return _total([weights.size_bytes for _, weights in stored_weights(engine)])


def stored_weights(engine: Engine) -> list[tuple[int, Weights]]:
    """(position in ``engine.layers``, weights) of everything that ``weights_bytes`` counts, in execution order; what
    several layers share is with the first of them.
    """
    found: list[tuple[int, Weights]] = []
    shared: dict[tuple[int | None, str], int] = {}
    for position, layer in enumerate(engine.layers):
        for weights in layer.weights:
            if not weights.name:
                found.append((position, weights))
                continue
            place = shared.setdefault((layer.name_parts.region, weights.name), len(found))
            if place == len(found):
                found.append((position, weights))
        if layer.role is Role.CONSTANT and not layer.weights:
            for tensor in layer.outputs:
                found.append((position, Weights("constant", tensor.data_type, tensor.volume, tensor.size_bytes)))
    return found


def _total(sizes: list[int | None]) -> Bytes:
    known = [size for size in sizes if size is not None]
    return Bytes(sum(known), len(sizes) - len(known))

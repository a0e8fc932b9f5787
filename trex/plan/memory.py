"""Engine → bytes of its activations and weights."""

from __future__ import annotations

from dataclasses import dataclass

from trex.core.engine import Engine
from trex.core.layer import Role, Weights
from trex.plan.lifetimes import lifetimes_of


@dataclass(frozen=True, slots=True)
class Bytes:
    """known: sum of the known sizes. unknown_count: number of unknown sizes, which the sum omits."""

    known: int
    unknown_count: int

    @property
    def total(self) -> float:
        """The known sum; NaN if all sizes are unknown."""
        return float("nan") if self.unknown_count and not self.known else self.known


def activation_bytes(engine: Engine) -> Bytes:
    """Distinct activations: every value of ``lifetimes_of``, in memory of the engine, the caller or the host.

    A layer without listed outputs counts as one activation of unknown size.
    """
    values = lifetimes_of(engine)
    return _total([*(value.size_bytes for value in values.all), *[None] * values.unlisted_layers])


def weights_bytes(engine: Engine) -> Bytes:
    """Weights, biases, Myelin's stored inputs and Constants; for a Constant without weights, its output.

    A stored input that several layers of one Myelin region read counts once. Regions reuse each other's names.
    """
    return _total([weights.size_bytes for _, weights in stored_weights(engine)])


def stored_weights(engine: Engine) -> list[tuple[int, Weights]]:
    """(position in ``engine.layers``, weights) of everything that ``weights_bytes`` counts, in execution order. Shared
    weights are listed with their first layer.
    """
    stored: list[tuple[int, Weights]] = []
    shared: dict[tuple[int | None, str], int] = {}
    for position, layer in enumerate(engine.layers):
        for weights in layer.weights:
            if not weights.name:
                stored.append((position, weights))
                continue
            index = shared.setdefault((layer.name_parts.region, weights.name), len(stored))
            if index == len(stored):
                stored.append((position, weights))
        if layer.role is Role.CONSTANT and not layer.weights:
            for tensor in layer.outputs:
                stored.append((position, Weights("constant", tensor.data_type, tensor.volume, tensor.size_bytes)))
    return stored


def _total(sizes: list[int | None]) -> Bytes:
    known = [size for size in sizes if size is not None]
    return Bytes(sum(known), len(sizes) - len(known))

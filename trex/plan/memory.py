"""Engine → bytes: how much its activations and weights occupy, and how much of that is not known."""

from __future__ import annotations

from dataclasses import dataclass, field

from trex.core.engine import Engine
from trex.core.layer import Role


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
    """Distinct activations: every value ever written (a reused name counts each time) and every tensor that is read
    but never written. Constants' outputs are weights, not activations; NoOps write nothing new.

    Several layers that write a name which nobody reads in between write one value: the parts of a concatenation,
    which add up to what its readers see, or the branches of a condition, each of which writes the whole.
    A tensor without a name counts where it is written. A layer of which only the name is known counts as one activation
    of unknown size.
    """
    found: list[_Value] = []
    latest: dict[str, _Value] = {}
    unwritten: dict[str, int | None] = {}
    written = {tensor.name for layer in engine.layers for tensor in layer.outputs}
    for layer in engine.layers:
        for tensor in layer.inputs:
            value = latest.get(tensor.name)
            if not tensor.name:
                continue
            if value is not None:
                value.read.append(tensor.size_bytes)
            elif tensor.name not in written:
                unwritten.setdefault(tensor.name, tensor.size_bytes)
        if layer.role in (Role.CONSTANT, Role.NOOP):
            for tensor in layer.outputs:
                latest.pop(tensor.name, None)
            continue
        for tensor in layer.outputs:
            value = latest.get(tensor.name)
            if value is None or value.read or not tensor.name:
                value = latest[tensor.name] = _Value()
                found.append(value)
            value.written.append(tensor.size_bytes)
    untold = sum(layer.role is Role.KERNEL and not layer.tells_tensors for layer in engine.layers)
    return _total([*(value.size for value in found), *unwritten.values(), *[None] * untold])


def weights_bytes(engine: Engine) -> Bytes:
    """Weights, biases, Myelin's stored inputs and Constants; a Constant without a weights entry counts its output.

    A stored input that several layers of one Myelin region read counts once; regions number theirs independently.
    """
    sizes: list[int | None] = []
    shared: dict[tuple[int | None, str], int | None] = {}
    for layer in engine.layers:
        for weights in layer.weights:
            if weights.name:
                shared[layer.name_parts.region, weights.name] = weights.size_bytes
            else:
                sizes.append(weights.size_bytes)
        if layer.role is Role.CONSTANT and not layer.weights:
            sizes.extend(tensor.size_bytes for tensor in layer.outputs)
    return _total([*sizes, *shared.values()])


@dataclass(slots=True)
class _Value:
    """Sizes of one value, as its writers and its readers see it."""

    written: list[int | None] = field(default_factory=list)
    read: list[int | None] = field(default_factory=list)

    @property
    def size(self) -> int | None:
        if len(self.written) == 1:
            return self.written[0]
        sizes = [size for size in self.written if size is not None]
        if len(sizes) < len(self.written):
            return None
        seen = [size for size in self.read if size is not None]
        return min(sum(sizes), max(*sizes, *seen)) if seen else sum(sizes)


def _total(sizes: list[int | None]) -> Bytes:
    known = [size for size in sizes if size is not None]
    return Bytes(sum(known), len(sizes) - len(known))

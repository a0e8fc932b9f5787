"""Attention: the blocks of an engine that compute softmax(Q·Kᵀ)·V, fused into one kernel or as several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trex.core.data_type import DataType
from trex.core.tensor import Tensor

if TYPE_CHECKING:
    from trex.rules.analyzed_engine import Inspected

_MOST_HOPS = 6
_MOST_SEEN = 32


@dataclass(frozen=True, slots=True)
class AttentionBlock:
    """Places of the kernels of one block, in execution order. first, second: of the two products; softmax: of it.

    before: kernels between the first product and the softmax; after: between the softmax and the second product.
    """

    first: int
    softmax: int
    second: int
    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()

    @property
    def places(self) -> tuple[int, ...]:
        return tuple(sorted({self.first, *self.before, self.softmax, *self.after, self.second}))

    @property
    def vanishing(self) -> tuple[int, ...]:
        """Kernels that a fused block has not: all but the products."""
        return tuple(place for place in self.places if place not in (self.first, self.second))


def unfused_blocks(seen: Inspected) -> list[AttentionBlock]:
    """Every softmax that stands between two products of activations, with what lies between."""
    operations = seen.operations
    found: list[AttentionBlock] = []
    taken: set[int] = set()
    for place in range(len(seen.layers)):
        if place in taken or not operations.is_softmax(place):
            continue
        up = _path(place, seen.before, operations.multiplies_activations, operations.is_passed)
        down = _path(place, seen.after, operations.multiplies_activations, operations.is_passed)
        if up and down and up[-1] != down[-1]:
            block = AttentionBlock(up[-1], place, down[-1], tuple(reversed(up[:-1])), tuple(down[:-1]))
            taken.update(block.places)
            found.append(block)
    return found


def fused_blocks(seen: Inspected) -> list[int]:
    """Places of the kernels that compute a whole block."""
    return [
        place
        for place, layer in enumerate(seen.layers)
        if seen.kernels[place].kind == "attention" or "mha" in seen.operations.words[place]
        if not layer.type.startswith("Plugin")
    ]


def _path(
    start: int,
    following: Callable[[int], Sequence[int]],
    wanted: Callable[[int], bool],
    passes: Callable[[int], bool],
) -> list[int]:
    """Shortest way to a wanted place, through places that may be passed; empty without one."""
    came: dict[int, int] = {start: -1}
    level = [start]
    for _ in range(_MOST_HOPS):
        further: list[int] = []
        for place in level:
            for each in following(place):
                if each in came or len(came) > _MOST_SEEN:
                    continue
                came[each] = place
                if wanted(each):
                    way = [each]
                    while came[way[-1]] != start:
                        way.append(came[way[-1]])
                    return list(reversed(way))
                if passes(each):
                    further.append(each)
        level = further
    return []


@dataclass(frozen=True, slots=True)
class AttentionShape:
    """What a block's tensors tell; None where they do not. types: of the first and second product's operands."""

    head_size: int | None
    queries: int | None
    keys: int | None
    types: tuple[DataType, DataType]


def shape_of(seen: Inspected, block: AttentionBlock) -> AttentionShape:
    """Q and K as (…, tokens, width), scores as (…, queries, keys)."""
    first, second, softmax = seen.layers[block.first], seen.layers[block.second], seen.layers[block.softmax]
    scores = next((tensor.shape for tensor in softmax.inputs if tensor.shape and len(tensor.shape) >= 2), None)
    if scores is None and first.outputs:
        scores = first.outputs[0].shape
    queries, keys = (scores[-2], scores[-1]) if scores is not None and len(scores) >= 2 else (None, None)
    width = seen.performance.works[block.first].k
    if width is None and first.inputs and first.inputs[0].shape:
        width = first.inputs[0].shape[-1]
    return AttentionShape(width, queries, keys, (_operands(first.inputs), _operands(second.inputs)))


def _operands(inputs: Sequence[Tensor]) -> DataType:
    """The common type of the two operands, the wider where they differ."""
    types = [tensor.data_type for tensor in inputs[:2] if tensor.data_type.is_known]
    return max(types, key=lambda each: each.bits or 0, default=DataType.UNKNOWN)

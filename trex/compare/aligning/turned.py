"""Two products that are summed up, in the one of them here and in the other there → one match."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from trex.compare.aligning.dataflow import SMALL
from trex.compare.aligning.grouping import Grouping
from trex.compare.aligning.witnesses import is_attention, shapes_of

TURNED = "summed up in the other branch"
_CONFIDENCE = 0.6


def by_turn(found: Grouping) -> None:
    """Products of which on the left the second reads the first, and on the right the first the second; also where
    neither is in a match yet, by what both read.
    """
    sides = [set(_pairs(found, side)) for side in (0, 1)]
    mine, theirs = ({(found.group[one], found.group[other]) for one, other in side} for side in sides)
    back = {(other, one) for one, other in theirs}
    for one, other in sorted((mine & back) - theirs - {(other, one) for one, other in mine}):
        if min(one, other) >= 0 and found.groups[one][0] and found.groups[other][0]:
            found.unite(one, other)
            found.turned.add(one)
    seats: dict[Hashable, tuple[list[tuple[int, int]], list[tuple[int, int]]]] = {}
    for side, pairs in enumerate(sides):
        for first, second in sorted(pairs):
            if found.group[first] == found.group[second] == -1:
                seats.setdefault(_around(found, first, second, side), ([], []))[side].append((first, second))
    for ours, others in seats.values():
        if len(ours) == len(others) == 1:
            found.turned.add(len(found.groups))
            found.put([*ours[0], *others[0]], TURNED, _CONFIDENCE)


def _pairs(found: Grouping, side: int) -> Iterator[tuple[int, int]]:
    """Products of one side of which the second alone reads the first, and something else."""
    for second in range(found.start) if side == 0 else range(found.start, len(found.layers)):
        before = found.writers(second) if _is_product(found, second) else []
        if len(before) > 1:
            yield from (
                (first, second) for first in before if _is_product(found, first) and _is_read_once(found, first)
            )


def _is_product(found: Grouping, place: int) -> bool:
    layer = found.layers[place]
    return layer.type not in SMALL and not found.converts[place] and not is_attention(layer)


def _is_read_once(found: Grouping, place: int) -> bool:
    return len(found.readers(place)) == 1


def _around(found: Grouping, first: int, second: int, side: int) -> Hashable:
    """What the product without the sum on the left reads, what the other one, and who reads the sum; and its shape."""
    own = found.groups_of(found.writers(first))
    beside = found.groups_of(place for place in found.writers(second) if place != first)
    reads = (own, beside) if side == 0 else (beside, own)
    return (*reads, found.groups_of(found.readers(second)), shapes_of(found.layers[second].outputs[:1]))


def by_swap(found: Grouping) -> None:
    """The sums are in one match already, and both products are free that were left without; they belong to it."""
    seats: dict[Hashable, tuple[list[int], list[int]]] = {}
    for place in found.free():
        readers = found.groups_of(found.readers(place))
        layer = found.layers[place]
        if len(readers) == 1 and layer.outputs and _is_product(found, place) and _sums(found, place):
            key = (readers[0], layer.type, shapes_of(layer.outputs[:1]))
            seats.setdefault(key, ([], []))[place >= found.start].append(place)
    for mine, theirs in seats.values():
        if len(mine) == len(theirs) == 1:
            number = found.groups_of(found.readers(mine[0]))[0]
            found.join(mine[0], number)
            found.join(theirs[0], number)
            found.turned.add(number)


def _sums(found: Grouping, place: int) -> bool:
    """Whether what reads this product is one that sums it up."""
    return any(_is_product(found, reader) for reader in found.readers(place))

"""Match two GEMMs whose results are added if the add is fused into one of them here and into the other there."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from trex.compare.matching.match_builder import MatchBuilder
from trex.compare.matching.name_evidence import shapes_of

SWAPPED = "add fused into the other branch"
_CONFIDENCE = 0.6


def match_swapped_adds(builder: MatchBuilder) -> None:
    """Unites the matches of two GEMMs if the second reads the first on the left and the first reads the second on the
    right; also matches pairs that are still unmatched, by what they read.
    """
    sides = [set(_pairs(builder, side)) for side in (0, 1)]
    match_of = builder.match_of
    left, right = ({(match_of[one], match_of[other]) for one, other in side} for side in sides)
    reversed_right = {(other, one) for one, other in right}
    for one, other in sorted((left & reversed_right) - right - {(other, one) for one, other in left}):
        if min(one, other) >= 0 and builder.drafts[one].indexes and builder.drafts[other].indexes:
            builder.unite(one, other)
            builder.swapped.add(one)
    pairs_of: dict[Hashable, tuple[list[tuple[int, int]], list[tuple[int, int]]]] = {}
    for side, pairs in enumerate(sides):
        for first, second in sorted(pairs):
            if match_of[first] == match_of[second] == -1:
                pairs_of.setdefault(_context(builder, first, second, side), ([], []))[side].append((first, second))
    for left_pairs, right_pairs in pairs_of.values():
        if len(left_pairs) == len(right_pairs) == 1:
            builder.swapped.add(len(builder.drafts))
            builder.add([*left_pairs[0], *right_pairs[0]], SWAPPED, _CONFIDENCE)


def _pairs(builder: MatchBuilder, side: int) -> Iterator[tuple[int, int]]:
    """GEMMs of one side where only the second reads the first, among other inputs."""
    for second in range(builder.start) if side == 0 else range(builder.start, len(builder.layers)):
        before = builder.writers(second) if builder.is_gemm(second) else []
        if len(before) > 1:
            for first in before:
                if builder.is_gemm(first) and len(builder.readers(first)) == 1:
                    yield first, second


def _context(builder: MatchBuilder, first: int, second: int, side: int) -> Hashable:
    """The inputs of both GEMMs (that without the add on the left first), the readers of the sum, and its shape."""
    own = builder.matches_of(builder.writers(first))
    other = builder.matches_of(index for index in builder.writers(second) if index != first)
    reads = (own, other) if side == 0 else (other, own)
    readers = builder.matches_of(builder.readers(second))
    return (*reads, readers, shapes_of(builder.layers[second].outputs[:1]))


def join_swapped_gemms(builder: MatchBuilder) -> None:
    """If the GEMMs with the add are matched and both other GEMMs are unmatched, these join the match."""
    sides_of: dict[Hashable, tuple[list[int], list[int]]] = {}
    for index in builder.unmatched():
        readers = builder.matches_of(builder.readers(index))
        layer = builder.layers[index]
        is_added = builder.is_gemm(index) and any(map(builder.is_gemm, builder.readers(index)))
        if len(readers) == 1 and layer.outputs and is_added:
            key = (readers[0], layer.type, shapes_of(layer.outputs[:1]))
            sides_of.setdefault(key, ([], []))[index >= builder.start].append(index)
    for left, right in sides_of.values():
        if len(left) == len(right) == 1:
            number = builder.matches_of(builder.readers(left[0]))[0]
            builder.join(left[0], number)
            builder.join(right[0], number)
            builder.swapped.add(number)

"""Match two GEMMs whose results are added if the add is fused into one of them here and into the other there."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import cache

from trex.compare.matching.match_builder import MatchBuilder

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

    @cache
    def readers(first: int) -> list[int]:
        return builder.readers(first) if builder.is_gemm(first) else []

    for second in range(builder.start) if side == 0 else range(builder.start, len(builder.layers)):
        before = builder.writers(second) if builder.is_gemm(second) else []
        if len(before) > 1:
            yield from ((first, second) for first in before if readers(first) == [second])


def _context(builder: MatchBuilder, first: int, second: int, side: int) -> Hashable:
    """The inputs of both GEMMs (that without the add on the left first), the readers of the sum, and its shape."""
    own = builder.matches_of(builder.writers(first))
    other = builder.matches_of(index for index in builder.writers(second) if index != first)
    reads = (own, other) if side == 0 else (other, own)
    readers = builder.matches_of(builder.readers(second))
    return (*reads, readers, builder.output_shape[second])


def join_swapped_gemms(builder: MatchBuilder) -> None:
    """If the GEMMs with the add are matched and both other GEMMs are unmatched, these join the match."""
    sides_of: dict[Hashable, tuple[list[int], list[int]]] = {}
    for index in builder.unmatched():
        layer, readers = builder.layers[index], builder.readers(index)
        numbers = builder.matches_of(readers)
        is_added = builder.is_gemm(index) and any(map(builder.is_gemm, readers))
        if len(numbers) == 1 and layer.outputs and is_added:
            key = (numbers[0], layer.type, builder.output_shape[index])
            sides_of.setdefault(key, ([], []))[index >= builder.start].append(index)
    for left, right in sides_of.values():
        if len(left) == len(right) == 1:
            number = builder.matches_of(builder.readers(left[0]))[0]
            builder.join(left[0], number)
            builder.join(right[0], number)
            builder.swapped.add(number)

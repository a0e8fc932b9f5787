"""Layers that one engine runs alone and the other absorbs into a neighbor, and matches that leave this open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from trex.compare.matching.dataflow import SMALL
from trex.compare.matching.match_builder import MatchBuilder

REDUCTIONS = frozenset(("mean", "max", "sum", "soft"))
"""Words of operations that no GEMM absorbs."""


def join_by_result(builder: MatchBuilder) -> None:
    """An unmatched layer joins the preceding match if the other side's layer there writes the same tensor."""
    keyed = ((index, builder.names.tensors(index)) for index in range(len(builder.layers)))
    for left, right in builder.by_key(keyed).values():
        if len(left) != 1 or len(right) != 1:
            continue
        for index, other in ((left[0], right[0]), (right[0], left[0])):
            number = builder.match_of[other]
            if builder.match_of[index] < 0 <= number and number in builder.matches_of(builder.flow.before[index]):
                builder.join(index, number)


def join_fused(builder: MatchBuilder, *, guess: bool) -> None:
    """An unmatched layer joins a neighboring match whose other side contains its work, by the words in the names.

    guess: without words, also by tensors and shapes.
    """
    words_of = builder.names.words
    evidence = _Evidence(builder)
    for index in sorted(builder.unmatched(), key=lambda index: -words_of(index).total()):
        if builder.converts[index]:
            continue
        for neighbor in (*builder.writers(index), *builder.readers(index)):
            number = builder.match_of[neighbor]
            if number < 0:
                continue
            fits = evidence.contains_words(number, index) or evidence.has_result(number, index, neighbor)
            if fits or (guess and evidence.may_contain(number, index, neighbor)):
                evidence.join(index, number)
                break


@dataclass(slots=True)
class _Contents:
    """What a match contains. surplus: the words of its left side less those of its right side. omits_work: per side,
    whether a name may omit some of the work.
    """

    surplus: Counter[str]
    omits_work: list[bool]


class _Evidence:
    """Whether a match may contain a layer's work. What many layers ask about a match is computed once."""

    def __init__(self, builder: MatchBuilder) -> None:
        self.builder = builder
        self._contents: dict[int, _Contents] = {}
        self._matches_before = cache(lambda index: builder.matches_of(builder.matched_writers(index)))
        self._matches_after = cache(lambda index: builder.matches_of(builder.matched_readers(index)))

    def join(self, index: int, number: int) -> None:
        contents = self._contents_of(number)
        self.builder.join(index, number)
        self._add(index, contents)
        self._matches_before.cache_clear()
        self._matches_after.cache_clear()

    def _contents_of(self, number: int) -> _Contents:
        if number not in self._contents:
            contents = self._contents[number] = _Contents(Counter(), [False, False])
            for index in self.builder.drafts[number].indexes:
                self._add(index, contents)
        return self._contents[number]

    def _add(self, index: int, contents: _Contents) -> None:
        is_right, names = index >= self.builder.start, self.builder.names
        (contents.surplus.subtract if is_right else contents.surplus.update)(names.words(index))
        contents.omits_work[is_right] |= not names.names_all_work(index)

    def _is_open(self, number: int, index: int) -> bool:
        """Whether the names on the other side of a match may omit some of its work."""
        return self._contents_of(number).omits_work[index < self.builder.start]

    def contains_words(self, number: int, index: int) -> bool:
        """Whether the other side of a match has the layer's words and its own side does not have them yet."""
        words, surplus = self.builder.names.words(index), self._contents_of(number).surplus
        sign = 1 if index >= self.builder.start else -1
        return bool(words) and all(sign * surplus[word] >= count for word, count in words.items())

    def has_result(self, number: int, index: int, writer: int) -> bool:
        """Whether the other side of the preceding match already writes the layer's output shape, unlike its own side.
        Counts only if a name may omit work: the layer has no words, or the other side is open.
        """
        if writer > index or (self.builder.names.words(index) and not self._is_open(number, index)):
            return False
        shape_of, (_, last) = self.builder.output_shape, self.builder.others(number, index)
        return bool(shape_of[index]) and shape_of[index] == shape_of[last] != shape_of[writer]

    def may_contain(self, number: int, index: int, neighbor: int) -> bool:
        """Whether a match whose names omit some work may contain this small layer: on the other side, the layers before
        and after it are adjacent.
        """
        builder = self.builder
        is_small = builder.layers[index].type in SMALL and REDUCTIONS.isdisjoint(builder.names.words(index))
        if not is_small or not self._is_open(number, index):
            return False
        first, last = builder.others(number, index)
        before, after = self._matches_before(index), self._matches_after(index)
        if number not in before:
            return not set(before).isdisjoint(self._matches_before(first))
        if builder.output_shape[index] != builder.output_shape[last]:
            return False
        own, adjacent, other = map(builder.names.tensors, (index, neighbor, last))
        if other and other is adjacent and other is not own:
            return False
        return not set(after).isdisjoint(self._matches_after(last))


def ambiguous_matches(builder: MatchBuilder) -> frozenset[int]:
    """Numbers of the matches with a small layer whose work may be gone or absorbed on the other side, and of their
    neighbors that may have absorbed it.
    """
    numbers = set[int]()
    evidence = _Evidence(builder)
    for number, draft in enumerate(builder.drafts):
        for index in _missing(builder, draft.indexes):
            numbers.add(number)
            for neighbor in (*builder.writers(index), *builder.readers(index)):
                other = builder.match_of[neighbor]
                if other not in (-1, number) and evidence.may_contain(other, index, neighbor):
                    numbers.add(other)
    return frozenset(numbers)


def _missing(builder: MatchBuilder, indexes: Sequence[int]) -> list[int]:
    """The small layers of a match without evidence that the other side absorbed them: the other side's names omit some
    of its work, and neither its words nor the tensor or shape that it writes are theirs.
    """
    sides: tuple[list[int], list[int]] = ([], [])
    for index in indexes:
        if not builder.converts[index]:
            sides[index >= builder.start].append(index)
    gemms = [[index for index in side if builder.layers[index].type not in SMALL] for side in sides]
    if not sides[0] or not sides[1] or len(gemms[0]) != len(gemms[1]):
        return []
    missing = list[int]()
    for own, others, own_gemms in ((*sides, gemms[0]), (*sides[::-1], gemms[1])):
        small = [index for index in own if builder.layers[index].type in SMALL]
        results = (builder.names.tensors, builder.output_shape.__getitem__)
        is_known = all(map(builder.names.names_all_work, others)) or any(
            _written_elsewhere(result, small, others, own_gemms) for result in results
        )
        if not is_known:
            missing += _without_words(builder, small, _words(builder, others) - _words(builder, own_gemms))
    return missing


def _without_words(builder: MatchBuilder, small: Sequence[int], words: Counter[str]) -> list[int]:
    """The layers with less than half of their words among these, each word used up as it is found."""
    available, missing = Counter(words), []
    for index in sorted(small, key=lambda index: -builder.names.words(index).total()):
        own = builder.names.words(index)
        if own and 2 * (own & available).total() >= own.total():
            available.subtract(own)
        else:
            missing.append(index)
    return missing


def _words(builder: MatchBuilder, indexes: Iterable[int]) -> Counter[str]:
    words = Counter[str]()
    for index in indexes:
        words.update(builder.names.words(index))
    return words


def _written_elsewhere(
    result: Callable[[int], Hashable], small: Iterable[int], others: Iterable[int], gemms: Iterable[int]
) -> bool:
    """Whether the other side writes a result that only the small layers write on this side."""
    return bool((set(map(result, small)) & set(map(result, others))) - set(map(result, gemms)) - {(), (None,)})

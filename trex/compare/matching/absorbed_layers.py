"""Layers that one engine runs alone and the other absorbs into a neighbor, and matches that leave this open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence

from trex.compare.matching.dataflow import SMALL
from trex.compare.matching.match_builder import MatchBuilder
from trex.compare.matching.name_evidence import shapes_of
from trex.core.shape import Shape

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
    for index in sorted(builder.unmatched(), key=lambda index: -words_of(index).total()):
        if builder.converts[index]:
            continue
        words = words_of(index)
        before, after = builder.writers(index), builder.readers(index)
        for neighbor in (*before, *after):
            number = builder.match_of[neighbor]
            if number < 0:
                continue
            fits = bool(words) and _contains_words(builder, number, index, words)
            is_open = not words or not all(map(builder.names.names_all_work, builder.others(number, index)))
            fits = fits or (neighbor in before and is_open and _has_result(builder, number, index, neighbor))
            if fits or (guess and _may_contain(builder, number, index, neighbor)):
                builder.join(index, number)
                break


def _contains_words(builder: MatchBuilder, number: int, index: int, words: Counter[str]) -> bool:
    """Whether the other side of a match has these words and the layer's own side does not have them yet."""
    surplus: Counter[str] = Counter()
    for other in builder.drafts[number].indexes:
        if (other < builder.start) == (index < builder.start):
            surplus.subtract(builder.names.words(other))
        else:
            surplus.update(builder.names.words(other))
    return all(surplus[word] >= count for word, count in words.items())


def _has_result(builder: MatchBuilder, number: int, index: int, writer: int) -> bool:
    """Whether the other side of the preceding match already writes the layer's output shape, unlike its own side."""
    outputs = _output_shape(builder, index)
    last = builder.others(number, index)[-1]
    return bool(outputs) and outputs == _output_shape(builder, last) != _output_shape(builder, writer)


def _may_contain(builder: MatchBuilder, number: int, index: int, neighbor: int) -> bool:
    """Whether a match whose names omit some work may contain this small layer: on the other side, the layers before
    and after it are adjacent.
    """
    others = builder.others(number, index)
    is_small = builder.layers[index].type in SMALL and REDUCTIONS.isdisjoint(builder.names.words(index))
    if not is_small or all(map(builder.names.names_all_work, others)):
        return False
    before = builder.matches_of(builder.matched_writers(index))
    after = builder.matches_of(builder.matched_readers(index))
    if number in before:
        if _output_shape(builder, index) != _output_shape(builder, others[-1]):
            return False
        own, adjacent, other = map(builder.names.tensors, (index, neighbor, others[-1]))
        if other and other == adjacent != own:
            return False
        readers = builder.matches_of(builder.matched_readers(others[-1]))
        return any(match in readers for match in after)
    writers = builder.matches_of(builder.matched_writers(others[0]))
    return any(match in writers for match in before)


def ambiguous_matches(builder: MatchBuilder) -> frozenset[int]:
    """Numbers of the matches with a small layer whose work may be gone or absorbed on the other side, and of their
    neighbors that may have absorbed it.
    """
    numbers = set[int]()
    for number, draft in enumerate(builder.drafts):
        for index in _missing(builder, draft.indexes):
            numbers.add(number)
            for neighbor in (*builder.writers(index), *builder.readers(index)):
                other = builder.match_of[neighbor]
                if other not in (-1, number) and _may_contain(builder, other, index, neighbor):
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
        results = (builder.names.tensors, lambda index: _output_shape(builder, index))
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
            available -= own
        else:
            missing.append(index)
    return missing


def _words(builder: MatchBuilder, indexes: Iterable[int]) -> Counter[str]:
    return sum((builder.names.words(index) for index in indexes), Counter[str]())


def _output_shape(builder: MatchBuilder, index: int) -> tuple[Shape | None, ...]:
    return shapes_of(builder.layers[index].outputs[:1])


def _written_elsewhere(
    result: Callable[[int], Hashable], small: Iterable[int], others: Iterable[int], gemms: Iterable[int]
) -> bool:
    """Whether the other side writes a result that only the small layers write on this side."""
    return bool((set(map(result, small)) & set(map(result, others))) - set(map(result, gemms)) - {(), (None,)})

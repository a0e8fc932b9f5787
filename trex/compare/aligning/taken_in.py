"""Free layers beside matches → members of those of which the other side does their work, too: other fusions."""

from __future__ import annotations

from collections import Counter

from trex.compare.aligning.dataflow import SMALL
from trex.compare.aligning.grouping import Grouping
from trex.compare.aligning.witnesses import shapes_of

REDUCTIONS = frozenset(("mean", "max", "sum", "soft"))
"""Words of work that no product takes in."""


def by_result(found: Grouping) -> None:
    """Layers behind a match of which the other side writes the tensor that they write: they are in there."""
    for mine, theirs in found.seats((place, found.told.tensors(place)) for place in range(len(found.layers))).values():
        if len(mine) != 1 or len(theirs) != 1:
            continue
        for place, other in ((mine[0], theirs[0]), (theirs[0], mine[0])):
            number = found.group[other]
            if found.group[place] < 0 <= number and number in found.groups_of(found.flow.before[place]):
                found.join(place, number)


def by_fusion(found: Grouping, *, guess: bool) -> None:
    """Layers that one side fused into a match beside them: the other side of it holds their work by the words in
    the names. guess: where the names do not tell, by tensors and shapes.
    """
    # What does much goes first, as it has the least choice.
    for place in sorted(found.free(), key=lambda each: -found.told.words(each).total()):
        if found.converts[place]:
            continue
        words = found.told.words(place)
        before, after = found.writers(place), found.readers(place)
        for other in (*before, *after):
            number = found.group[other]
            if number < 0:
                continue
            fits = bool(words) and _holds(found, number, place, words)
            is_open = not words or not all(map(found.told.tells_all, found.others(number, place)))
            fits = fits or (other in before and is_open and _gives(found, number, place, other))
            if fits or (guess and may_hold(found, number, place, other)):
                found.join(place, number)
                break


def _holds(found: Grouping, number: int, place: int, words: Counter[str]) -> bool:
    """Whether the other side of a match does what this layer does, and this side not yet."""
    surplus: Counter[str] = Counter()
    for each in found.groups[number][0]:
        if (each < found.start) == (place < found.start):
            surplus.subtract(found.told.words(each))
        else:
            surplus.update(found.told.words(each))
    return all(surplus[word] >= count for word, count in words.items())


def _gives(found: Grouping, number: int, place: int, writer: int) -> bool:
    """Whether the other side of the match before it already has its output's shape, and its own side has not."""
    outputs = shapes_of(found.layers[place].outputs[:1])
    last = found.others(number, place)[-1]
    return bool(outputs) and outputs == shapes_of(found.layers[last].outputs[:1]) != shapes_of(
        found.layers[writer].outputs[:1]
    )


def may_hold(found: Grouping, number: int, place: int, beside: int) -> bool:
    """Whether a match that does not tell all of its work may hold this small layer: on the other side, what is
    before it and what is behind it follow one another.
    """
    others = found.others(number, place)
    is_small = found.layers[place].type in SMALL and REDUCTIONS.isdisjoint(found.told.words(place))
    if not is_small or all(map(found.told.tells_all, others)):
        return False
    before, after = found.groups_of(found.sure_writers(place)), found.groups_of(found.sure_readers(place))
    if number in before:
        mine = shapes_of(found.layers[place].outputs[:1])
        if mine != shapes_of(found.layers[others[-1]].outputs[:1]):
            return False
        names = found.told.tensors(place), found.told.tensors(beside), found.told.tensors(others[-1])
        if names[2] and names[2] == names[1] != names[0]:
            return False
        return any(each in found.groups_of(found.sure_readers(others[-1])) for each in after)
    return any(each in found.groups_of(found.sure_writers(others[0])) for each in before)

"""Grouping → the matches that its files leave open: whether a small layer was taken in by its neighbor, or is gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence

from trex.compare.aligning.dataflow import SMALL
from trex.compare.aligning.grouping import Grouping
from trex.compare.aligning.taken_in import may_hold
from trex.compare.aligning.witnesses import shapes_of


def left_open(found: Grouping) -> frozenset[int]:
    """Numbers of the matches with a small layer beyond those of the other side of which nothing tells where its work
    is now, and of the matches beside it that may hold that work as well.
    """
    open_ = set[int]()
    for number, (places, _, _, _) in enumerate(found.groups):
        for place in _missing(found, places):
            open_.add(number)
            for other in (*found.writers(place), *found.readers(place)):
                beside = found.group[other]
                if beside not in (-1, number) and may_hold(found, beside, place, other):
                    open_.add(beside)
    return frozenset(open_)


def _missing(found: Grouping, places: Sequence[int]) -> list[int]:
    """The small layers of either side of a match, when nothing says that the other side took them in rather than that
    they are gone: what would hold their work tells only a part of its own, and neither its words nor the tensor or the
    shape that it writes are theirs.
    """
    sides: tuple[list[int], list[int]] = ([], [])
    for place in places:
        if not found.converts[place]:
            sides[place >= found.start].append(place)
    products = [[place for place in side if found.layers[place].type not in SMALL] for side in sides]
    if not sides[0] or not sides[1] or len(products[0]) != len(products[1]):
        return []
    lost = list[int]()
    for mine, theirs, others in ((*sides, products[0]), (*sides[::-1], products[1])):
        small = [place for place in mine if place not in others]
        tells = (found.told.tensors, lambda place: _shape(found, place))
        is_told = all(map(found.told.tells_all, theirs)) or any(_alone(tell, small, theirs, others) for tell in tells)
        lost += [] if is_told else _untold(found, small, _words(found, theirs) - _words(found, others))
    return lost


def _untold(found: Grouping, small: Sequence[int], told: Counter[str]) -> list[int]:
    """Of these layers those of whose words less than half are among the words told, each as often as it is there."""
    room, missing = Counter(told), []
    for place in sorted(small, key=lambda each: -found.told.words(each).total()):
        words = found.told.words(place)
        if words and 2 * (words & room).total() >= words.total():
            room -= words
        else:
            missing.append(place)
    return missing


def _words(found: Grouping, places: Iterable[int]) -> Counter[str]:
    return sum((found.told.words(place) for place in places), Counter[str]())


def _shape(found: Grouping, place: int) -> Hashable:
    return shapes_of(found.layers[place].outputs[:1])


def _alone(tell: Callable[[int], Hashable], small: Iterable[int], fewer: Iterable[int], others: Iterable[int]) -> bool:
    """Whether the other side writes what of this side the small layers alone write."""
    return bool((set(map(tell, small)) & set(map(tell, fewer))) - set(map(tell, others)) - {(), (None,)})

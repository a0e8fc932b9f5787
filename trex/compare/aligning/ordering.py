"""Free layers in the same order between the same matches → matches: for engines that share no names."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise

from trex.compare.aligning.dataflow import SMALL
from trex.compare.aligning.grouping import Grouping
from trex.compare.aligning.subsequence import ascending, best_pairs, common_subsequence
from trex.compare.aligning.witnesses import is_attention, shapes_of

SHAPES = "the same kind and shapes in this order"
WORDS = "the same words, in the order of execution"
_BY_WORDS = 0.4
MOST_STEPS = 10_000
FIRM = 4
LEAST_LIKENESS, SURE_LIKENESS = 0.4, 0.5
_SAME_SLOTS, _PRODUCT = 0.1, 2.0
_READ, _BOTH = 1.2, 1.5
"""Of products that read the same shape, and that write the same as well; that write the same alone: 1."""


def by_order(found: Grouping) -> None:
    """Matches layers of one kind and shape, but for the batch, in the order of data, between matches that are sure."""
    scores = _Scores(found)
    pairs = [pair for mine, theirs in _gaps(found) for pair in scores.in_order(mine, theirs)]
    for one, other in pairs:
        found.put([one, other], SHAPES, 0.5)
    for one, other in pairs:
        before = (found.groups_of(found.sure_writers(place)) for place in (one, other))
        if _read_unlike(*before) and found.layers[one].type not in SMALL:
            found.undo(found.group[one])


def by_words(found: Grouping) -> None:
    """Where files tell names alone, layers of the same words of which both sides have as many left, as they come."""
    if found.flow.is_told:
        return
    keyed = (
        (place, (found.layers[place].type, tuple(sorted(found.told.words(place).items())))) for place in found.free()
    )
    for mine, theirs in found.seats(keyed).values():
        if len(mine) == len(theirs) and found.told.words(mine[0]):
            for pair in zip(mine, theirs, strict=True):
                found.put(pair, WORDS, _BY_WORDS)


def _read_unlike(mine: Sequence[int], theirs: Sequence[int]) -> bool:
    """Whether what both read is known, and not the same: of two branches of a sum each can be taken for the other."""
    return bool(mine) and bool(theirs) and set(mine).isdisjoint(theirs)


class _Scores:
    """How alike layers are, worked out once for each pair of kinds."""

    def __init__(self, found: Grouping) -> None:
        self.found = found
        self._kinds: dict[Hashable, int] = {}
        self._kind = [0] * len(found.layers)
        self._known: dict[tuple[int, int], float] = {}
        self._signatures: dict[int, Hashable] = {}
        for place in range(len(found.layers)):
            if found.is_open(place):
                words = tuple(sorted(found.told.words(place).items()))
                key = (
                    self.signature(place),
                    words,
                    found.told.tells_all(place),
                    tuple(sorted(found.flow.slots[place])),
                )
                self._kind[place] = self._kinds.setdefault(key, len(self._kinds))

    def in_order(self, mine: Sequence[int], theirs: Sequence[int]) -> list[tuple[int, int]]:
        """Pairs of places. Few are compared each with each; of many the longest common subsequence divides them."""
        if len(mine) * len(theirs) <= MOST_STEPS:
            pairs = best_pairs(len(mine), len(theirs), lambda one, other: self.score(mine[one], theirs[other]))
            return [(mine[one], theirs[other]) for one, other in pairs]
        signatures = [self.signature(place) for place in (*mine, *theirs)]
        likeness = self.found.told.likeness
        sure = [
            (one, other)
            for one, other in common_subsequence(signatures[: len(mine)], signatures[len(mine) :])
            if likeness(mine[one], theirs[other]) >= SURE_LIKENESS
        ]
        firm = _in_rows(sure)
        pairs = [(mine[one], theirs[other]) for one, other in firm]
        at = 0
        for (low, their_low), (high, their_high) in pairwise([(-1, -1), *firm, (len(mine), len(theirs))]):
            ours, others = mine[low + 1 : high], theirs[their_low + 1 : their_high]
            first = at
            while at < len(sure) and sure[at][0] < high:
                at += 1
            if ours and others and len(ours) * len(others) <= MOST_STEPS:
                pairs += self.in_order(ours, others)
            else:
                pairs += [(mine[one], theirs[other]) for one, other in sure[first:at] if one > low]
        return pairs

    def score(self, one: int, other: int) -> float:
        """0.0 unless both are of one kind and write the same shape, or read it; more, the more their names share."""
        kinds = self._kind[one], self._kind[other]
        known = self._known.get(kinds)
        if known is None:
            known = self._known[kinds] = self._score(one, other)
        return known

    def _score(self, one: int, other: int) -> float:
        layers = self.found.layers
        mine, theirs = layers[one], layers[other]
        likeness = self.found.told.likeness(one, other)
        if mine.type != theirs.type or is_attention(mine) != is_attention(theirs) or likeness < LEAST_LIKENESS:
            return 0.0
        written = shapes_of(mine.outputs[:1]) == shapes_of(theirs.outputs[:1])
        if mine.type in SMALL:
            return 1.0 + likeness + self._in_the_same_place(one, other) if written else 0.0
        # A product that took in what moves or shrinks its result writes another shape, and reads the same; and whatever
        # became of the small layers around them, products are in both engines.
        read = bool(mine.inputs and theirs.inputs) and shapes_of(mine.inputs[:1]) == shapes_of(theirs.inputs[:1])
        if not written and not read:
            return 0.0
        alike = _BOTH if written and read else _READ if read else 1.0
        return _PRODUCT * (alike + likeness) + self._in_the_same_place(one, other)

    def _in_the_same_place(self, one: int, other: int) -> float:
        slots = self.found.flow.slots
        return _SAME_SLOTS if sorted(slots[one]) == sorted(slots[other]) else 0.0

    def signature(self, place: int) -> Hashable:
        """Kind and shapes, without the batch and the types: a change of either keeps them."""
        if place not in self._signatures:
            layer = self.found.layers[place]
            self._signatures[place] = (
                layer.type,
                is_attention(layer),
                shapes_of(layer.inputs[:2]),
                shapes_of(layer.outputs[:1]),
            )
        return self._signatures[place]


def _in_rows(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those of at least ``FIRM`` that follow one another without a gap on either side: beside a gap, what repeats may
    have been paired with its like of another branch.
    """
    found: list[tuple[int, int]] = []
    row: list[tuple[int, int]] = []
    for pair in [*pairs, None]:
        if pair is not None and row and (pair[0] - row[-1][0], pair[1] - row[-1][1]) == (1, 1):
            row.append(pair)
            continue
        if len(row) >= FIRM:
            found += row
        row = [] if pair is None else [pair]
    return found


def _gaps(found: Grouping) -> Iterator[tuple[list[int], list[int]]]:
    """Free places between matches that are in the same order of data on both sides."""
    rank, order = found.flow.rank, found.flow.order
    anchors = []
    for places, _, _, _ in found.groups:
        mine = min(rank[place] for place in places if place < found.start)
        anchors.append((mine, min(rank[place] for place in places if place >= found.start)))
    anchors.sort()
    kept = [anchors[number] for number in ascending([theirs for _, theirs in anchors])]
    lows = [(-1, found.start - 1), *kept]
    highs = [*kept, (found.start, len(found.layers))]
    for (low, their_low), (high, their_high) in zip(lows, highs, strict=True):
        ours = [order[at] for at in range(low + 1, high) if found.is_open(order[at])]
        others = [order[at] for at in range(their_low + 1, their_high) if found.is_open(order[at])]
        if ours and others:
            yield ours, others

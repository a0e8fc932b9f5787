"""Match layers by their order between the same matches, for engines that share no names."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise

from trex.compare.matching.dataflow import SMALL
from trex.compare.matching.match_builder import MatchBuilder
from trex.compare.matching.name_evidence import is_attention, shapes_of
from trex.compare.matching.subsequence import ascending, best_pairs, common_subsequence

ORDER = "same type and shapes, in order"
WORDS = "same words in the name, in order"
_WORDS_CONFIDENCE = 0.4
MOST_STEPS = 10_000
MOST_KNOWN = 100_000
"""How many scores are kept: a few times those of one comparison in full."""
FIRM = 4
LEAST_SIMILARITY, SURE_SIMILARITY = 0.4, 0.5
_SAME_SLOTS, _GEMM = 0.1, 2.0
_SAME_INPUT, _SAME_BOTH = 1.2, 1.5
"""Score of GEMMs that read the same shape, and that also write the same shape. Same output shape alone: 1."""


def match_by_order(builder: MatchBuilder) -> None:
    """Matches layers of one type and shape (without the batch) in the order of data, between certain matches."""
    scores = _Scores(builder)
    pairs = [pair for left, right in _gaps(builder) for pair in scores.in_order(left, right)]
    for one, other in pairs:
        builder.add([one, other], ORDER, 0.5)
    for one, other in pairs:
        before = (builder.matches_of(builder.matched_writers(index)) for index in (one, other))
        if _read_different(*before) and builder.layers[one].type not in SMALL:
            builder.undo(builder.match_of[one])


def match_by_words(builder: MatchBuilder) -> None:
    """For files with layer names only: matches layers with the same words if both sides have equally many."""
    if builder.flow.has_tensors:
        return
    names = builder.names
    keyed = (
        (index, (builder.layers[index].type, tuple(sorted(names.words(index).items()))))
        for index in builder.unmatched()
    )
    for left, right in builder.by_key(keyed).values():
        if len(left) == len(right) and names.words(left[0]):
            for pair in zip(left, right, strict=True):
                builder.add(pair, WORDS, _WORDS_CONFIDENCE)


def _read_different(left: Sequence[int], right: Sequence[int]) -> bool:
    """Whether both inputs are matched and differ: the two branches of an add are easily confused."""
    return bool(left) and bool(right) and set(left).isdisjoint(right)


class _Scores:
    """How similar two layers are, computed once per pair of kinds."""

    def __init__(self, builder: MatchBuilder) -> None:
        self.builder = builder
        self._kinds: dict[Hashable, int] = {}
        self._kind = [0] * len(builder.layers)
        self._known: dict[tuple[int, int], float] = {}
        self._signatures: dict[int, Hashable] = {}
        names, slots = builder.names, builder.flow.slots
        for index in range(len(builder.layers)):
            if builder.is_orderable(index):
                words = tuple(sorted(names.words(index).items()))
                key = (self.signature(index), words, names.names_all_work(index), tuple(sorted(slots[index])))
                self._kind[index] = self._kinds.setdefault(key, len(self._kinds))

    def in_order(self, left: Sequence[int], right: Sequence[int]) -> list[tuple[int, int]]:
        """Pairs of indexes. Short sequences are compared in full; long ones are first divided at their longest common
        subsequence.
        """
        if len(left) * len(right) <= MOST_STEPS:
            pairs = best_pairs(len(left), len(right), lambda one, other: self.score(left[one], right[other]))
            return [(left[one], right[other]) for one, other in pairs]
        signatures = [self.signature(index) for index in (*left, *right)]
        similarity = self.builder.names.similarity
        sure = [
            (one, other)
            for one, other in common_subsequence(signatures[: len(left)], signatures[len(left) :])
            if similarity(left[one], right[other]) >= SURE_SIMILARITY
        ]
        firm = _in_rows(sure)
        pairs = [(left[one], right[other]) for one, other in firm]
        at = 0
        for (low, right_low), (high, right_high) in pairwise([(-1, -1), *firm, (len(left), len(right))]):
            gap, other_gap = left[low + 1 : high], right[right_low + 1 : right_high]
            first = at
            while at < len(sure) and sure[at][0] < high:
                at += 1
            if gap and other_gap and len(gap) * len(other_gap) <= MOST_STEPS:
                pairs += self.in_order(gap, other_gap)
            else:
                pairs += [(left[one], right[other]) for one, other in sure[first:at] if one > low]
        return pairs

    def score(self, one: int, other: int) -> float:
        """0.0 unless both have one type and write or read the same shape; higher, the more words they share."""
        kinds = self._kind[one], self._kind[other]
        known = self._known.get(kinds)
        if known is None:
            if len(self._known) >= MOST_KNOWN:
                self._known.clear()
            known = self._known[kinds] = self._score(one, other)
        return known

    def _score(self, one: int, other: int) -> float:
        left, right = self.builder.layers[one], self.builder.layers[other]
        similarity = self.builder.names.similarity(one, other)
        if left.type != right.type or is_attention(left) != is_attention(right) or similarity < LEAST_SIMILARITY:
            return 0.0
        same_output = self.builder.output_shape[one] == self.builder.output_shape[other]
        slots = self.builder.flow.slots
        same_slots = _SAME_SLOTS if sorted(slots[one]) == sorted(slots[other]) else 0.0
        if left.type in SMALL:
            return 1.0 + similarity + same_slots if same_output else 0.0
        # A GEMM fused with a layer that reshapes or pools its result writes another shape but reads the same one. And
        # whatever happens to the small layers around them, both engines have the GEMMs.
        same_input = bool(left.inputs and right.inputs) and shapes_of(left.inputs[:1]) == shapes_of(right.inputs[:1])
        if not same_output and not same_input:
            return 0.0
        shapes = _SAME_BOTH if same_output and same_input else _SAME_INPUT if same_input else 1.0
        return _GEMM * (shapes + similarity) + same_slots

    def signature(self, index: int) -> Hashable:
        """Type and shapes, without batch and data types, which may change."""
        if index not in self._signatures:
            layer = self.builder.layers[index]
            shapes = shapes_of(layer.inputs[:2]), self.builder.output_shape[index]
            self._signatures[index] = (layer.type, is_attention(layer), *shapes)
        return self._signatures[index]


def _in_rows(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pairs in runs of at least ``FIRM`` without a gap on either side. Next to a gap, a repeated layer may have been
    paired with its copy in another branch.
    """
    firm: list[tuple[int, int]] = []
    run: list[tuple[int, int]] = []
    for pair in [*pairs, None]:
        if pair is not None and run and (pair[0] - run[-1][0], pair[1] - run[-1][1]) == (1, 1):
            run.append(pair)
            continue
        if len(run) >= FIRM:
            firm += run
        run = [] if pair is None else [pair]
    return firm


def _gaps(builder: MatchBuilder) -> Iterator[tuple[list[int], list[int]]]:
    """Unmatched layers between matches that are in the same order of data on both sides."""
    rank, order = builder.flow.rank, builder.flow.order
    anchors = []
    for draft in builder.drafts:
        left = min(rank[index] for index in draft.indexes if index < builder.start)
        anchors.append((left, min(rank[index] for index in draft.indexes if index >= builder.start)))
    anchors.sort()
    kept = [anchors[number] for number in ascending([right for _, right in anchors])]
    lows = [(-1, builder.start - 1), *kept]
    highs = [*kept, (builder.start, len(builder.layers))]
    for (low, right_low), (high, right_high) in zip(lows, highs, strict=True):
        left_gap = [order[at] for at in range(low + 1, high) if builder.is_orderable(order[at])]
        right_gap = [order[at] for at in range(right_low + 1, right_high) if builder.is_orderable(order[at])]
        if left_gap and right_gap:
            yield left_gap, right_gap

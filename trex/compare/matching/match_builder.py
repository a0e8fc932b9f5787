"""MatchBuilder: the matches while they are built, and the lookups that every matching step uses."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field

from trex.compare.matching.dataflow import SMALL, Dataflow
from trex.compare.matching.name_evidence import NameEvidence, is_attention, is_conversion, shapes_of
from trex.core.layer import Layer
from trex.plan.engine_plan import EnginePlan

FUSED = "fused on the other side"
_FUSED_CONFIDENCE = 0.75
MOST_PASSED = 64
"""How many layers a search for neighbors may pass through."""
MOST_NEIGHBORS = 256
"""How many neighbors a search follows: of the layer itself, and beyond the layers that it passes through."""

Seats = dict[Hashable, tuple[list[int], list[int]]]
"""{key: (indexes on the left, indexes on the right)}"""


@dataclass(slots=True)
class Draft:
    """A match while it is built. indexes: of both sides' layers, ascending; empty if the match was undone."""

    indexes: list[int]
    why: str
    confidence: float
    nodes: list[str] = field(default_factory=list)


class MatchBuilder:
    """Indexes 0 … n−1 are the left side's layers, n … n+m−1 the right side's.

    match_of: number of each layer's match, −1 if it is unmatched. drafts: the matches by number. swapped: numbers of
    the matches of two GEMMs whose add is fused into different ones of the two. output_shape: of each layer's first
    output, () without one.
    """

    def __init__(self, left: EnginePlan, right: EnginePlan) -> None:
        self.left, self.right = left, right
        self.layers: tuple[Layer, ...] = (*left.working_layers, *right.working_layers)
        self.start = len(left.working_layers)
        self.match_of: list[int] = [-1] * len(self.layers)
        self.drafts: list[Draft] = []
        self.swapped: set[int] = set()
        self.names = NameEvidence(self.layers, self.start)
        self.flow = Dataflow(self.layers, self.start)
        self.converts = [is_conversion(layer) for layer in self.layers]
        self.output_shape = [shapes_of(layer.outputs[:1]) for layer in self.layers]

    def unmatched(self) -> list[int]:
        return [index for index, number in enumerate(self.match_of) if number < 0]

    def add(self, indexes: Sequence[int], why: str, confidence: float, nodes: tuple[str, ...] = ()) -> None:
        for index in indexes:
            self.match_of[index] = len(self.drafts)
        self.drafts.append(Draft(sorted(indexes), why, confidence, list(nodes)))

    def undo(self, number: int) -> None:
        """Removes a match; its number stays unused."""
        for index in self.drafts[number].indexes:
            self.match_of[index] = -1
        self.drafts[number] = Draft([], "", 0.0)

    def join(self, index: int, number: int, nodes: tuple[str, ...] = ()) -> None:
        """Adds a layer to an existing match."""
        draft = self.drafts[number]
        self.match_of[index] = number
        insort(draft.indexes, index)
        draft.nodes += nodes
        self._note_fusion(draft)

    def unite(self, number: int, other: int) -> None:
        """Moves the layers of the other match into the first."""
        draft, moved = self.drafts[number], self.drafts[other]
        self.drafts[other] = Draft([], "", 0.0)
        for index in moved.indexes:
            self.match_of[index] = number
        draft.indexes = sorted(draft.indexes + moved.indexes)
        draft.nodes += moved.nodes
        self._note_fusion(draft)

    def _note_fusion(self, draft: Draft) -> None:
        if not draft.why.endswith(FUSED):
            draft.why = f"{draft.why}; {FUSED}"
        draft.confidence = min(draft.confidence, _FUSED_CONFIDENCE)

    def by_key(self, keyed: Iterable[tuple[int, Hashable]]) -> Seats:
        """Indexes by key, for the keys that both sides have; empty keys don't count."""
        seats: Seats = {}
        for index, key in keyed:
            if key:
                seats.setdefault(key, ([], []))[index >= self.start].append(index)
        return {key: sides for key, sides in seats.items() if sides[0] and sides[1]}

    def matches_of(self, indexes: Iterable[int]) -> tuple[int, ...]:
        """Numbers of the matches that contain these layers."""
        return tuple(sorted({self.match_of[index] for index in indexes if self.match_of[index] >= 0}))

    def writers(self, index: int) -> list[int]:
        """Layers that write the inputs of a layer, looking through conversions."""
        return self._beyond(index, self.flow.before, self.converts.__getitem__)

    def readers(self, index: int) -> list[int]:
        """Layers that read the outputs of a layer, looking through conversions."""
        return self._beyond(index, self.flow.after, self.converts.__getitem__)

    def matched_writers(self, index: int) -> list[int]:
        """Like ``writers``, also looking through small unmatched layers."""
        return self._beyond(index, self.flow.before, self._is_passed)

    def matched_readers(self, index: int) -> list[int]:
        return self._beyond(index, self.flow.after, self._is_passed)

    def _is_passed(self, index: int) -> bool:
        return self.converts[index] or (self.match_of[index] < 0 and self.layers[index].type in SMALL)

    def _beyond(self, index: int, neighbors: Sequence[Sequence[int]], passes: Callable[[int], bool]) -> list[int]:
        ends: dict[int, None] = {}
        seen = set[int]()
        pending = list(reversed(neighbors[index][:MOST_NEIGHBORS]))
        room = MOST_NEIGHBORS
        while pending:
            other = pending.pop()
            if other in seen:
                continue
            seen.add(other)
            beyond = neighbors[other][:room] if len(seen) < MOST_PASSED and passes(other) else ()
            if beyond:
                room -= len(beyond)
                pending += reversed(beyond)
            else:
                ends[other] = None
        return list(ends)

    def others(self, number: int, index: int) -> tuple[int, int]:
        """The first and the last layer of a match on the side opposite to this layer's."""
        indexes = self.drafts[number].indexes
        middle = bisect_left(indexes, self.start)
        return (indexes[middle], indexes[-1]) if index < self.start else (indexes[0], indexes[middle - 1])

    def is_orderable(self, index: int) -> bool:
        """Whether an unmatched layer can be matched by its order: not a conversion with known neighbors."""
        has_neighbors = self.flow.before[index] or self.flow.after[index]
        return self.match_of[index] < 0 and not (self.converts[index] and has_neighbors)

    def is_gemm(self, index: int) -> bool:
        """Whether the layer is neither small nor a conversion nor all of attention."""
        layer = self.layers[index]
        return layer.type not in SMALL and not self.converts[index] and not is_attention(layer)

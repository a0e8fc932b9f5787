"""Grouping: matches as they come about, and what each step of an alignment looks up."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

from trex.compare.aligning.dataflow import SMALL, Dataflow
from trex.compare.aligning.witnesses import Witnesses, is_conversion
from trex.core.layer import Layer
from trex.plan.engine_plan import EnginePlan

FUSED = "fused on the other side"
_JOINED = 0.75
MOST_PASSED = 64
"""Layers that are looked through for what lies beyond: a neighbor farther off is none."""


class Grouping:
    """Places of the left side are 0 … n−1, those of the right side n … n+m−1.

    group: the number of each layer's match, −1 for one that is free. groups: of each match its places, ascending, why
    it is one, how sure that is, and the ONNX nodes that are on both sides. turned: numbers of those whose two products
    are summed up in the other of the two on the other side.
    """

    def __init__(self, left: EnginePlan, right: EnginePlan) -> None:
        self.left, self.right = left, right
        self.layers: tuple[Layer, ...] = (*left.layers, *right.layers)
        self.start = len(left.layers)
        self.group: list[int] = [-1] * len(self.layers)
        self.groups: list[tuple[tuple[int, ...], str, float, tuple[str, ...]]] = []
        self.turned: set[int] = set()
        self.told = Witnesses(self.layers, self.start)
        self.flow = Dataflow(self.layers, self.start)
        self.converts = [is_conversion(layer) for layer in self.layers]

    def free(self) -> list[int]:
        return [place for place, group in enumerate(self.group) if group < 0]

    def put(self, places: Sequence[int], why: str, confidence: float, nodes: tuple[str, ...] = ()) -> None:
        for place in places:
            self.group[place] = len(self.groups)
        self.groups.append((tuple(sorted(places)), why, confidence, nodes))

    def undo(self, number: int) -> None:
        """The layers of a match are free again; its number stays empty."""
        places, why, _, _ = self.groups[number]
        for place in places:
            self.group[place] = -1
        self.groups[number] = ((), why, 0.0, ())

    def join(self, place: int, number: int, nodes: tuple[str, ...] = ()) -> None:
        """The layer goes into a match that there is already."""
        places, why, confidence, common = self.groups[number]
        self.group[place] = number
        why = why if why.endswith(FUSED) else f"{why}; {FUSED}"
        self.groups[number] = (tuple(sorted((*places, place))), why, min(confidence, _JOINED), (*common, *nodes))

    def unite(self, number: int, other: int) -> None:
        """The layers of the other match go into the first."""
        places, _, _, nodes = self.groups[other]
        self.undo(other)
        for place in places:
            self.join(place, number)
        mine, why, confidence, common = self.groups[number]
        self.groups[number] = (mine, why, confidence, (*common, *nodes))

    def seats(self, keyed: Iterable[tuple[int, Hashable]]) -> dict[Hashable, tuple[list[int], list[int]]]:
        """{key: (places left, places right)} of the keys that both sides have."""
        found: dict[Hashable, tuple[list[int], list[int]]] = {}
        for place, key in keyed:
            if key:
                found.setdefault(key, ([], []))[place >= self.start].append(place)
        return {key: seats for key, seats in found.items() if seats[0] and seats[1]}

    def groups_of(self, places: Iterable[int]) -> tuple[int, ...]:
        return tuple(sorted({self.group[place] for place in places if self.group[place] >= 0}))

    def writers(self, place: int) -> list[int]:
        """What writes the inputs of a layer, beyond the conversions between."""
        return self._beyond(place, self.flow.before, self.converts.__getitem__)

    def readers(self, place: int) -> list[int]:
        """What reads its outputs, beyond the conversions between."""
        return self._beyond(place, self.flow.after, self.converts.__getitem__)

    def sure_writers(self, place: int) -> list[int]:
        """What writes its inputs, beyond conversions and beyond small layers that are free."""
        return self._beyond(place, self.flow.before, self._is_passing)

    def sure_readers(self, place: int) -> list[int]:
        return self._beyond(place, self.flow.after, self._is_passing)

    def _is_passing(self, place: int) -> bool:
        return self.converts[place] or (self.group[place] < 0 and self.layers[place].type in SMALL)

    def _beyond(self, place: int, beside: Sequence[Sequence[int]], passes: Callable[[int], bool]) -> list[int]:
        found: dict[int, None] = {}
        seen = set[int]()
        pending = list(reversed(beside[place]))
        while pending:
            other = pending.pop()
            if other in seen:
                continue
            seen.add(other)
            if len(seen) < MOST_PASSED and passes(other) and beside[other]:
                pending += reversed(beside[other])
            else:
                found[other] = None
        return list(found)

    def others(self, number: int, place: int) -> list[int]:
        """Layers of a match that are on the other side of this layer's."""
        return [each for each in self.groups[number][0] if (each < self.start) != (place < self.start)]

    def is_open(self, place: int) -> bool:
        """Free, and no conversion whose neighbors could tell more than its order."""
        is_told = self.flow.before[place] or self.flow.after[place]
        return self.group[place] < 0 and not (self.converts[place] and is_told)

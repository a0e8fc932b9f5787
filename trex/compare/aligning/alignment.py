"""Two plans → Alignment: which of their layers do the same work, by several witnesses, the surest first.

1. ONNX nodes: layers that come from one node belong together, whatever they were fused into; as fusions differ, a match
   may hold several layers on each side. Nodes that only convert (quantize, cast, reshape) join layers without others.
2. Names of output tensors, then names of layers, among what is left; then what writes the tensor that the other side's
   layer of the match before it writes.
3. Conversions that TensorRT put in: by the matches of the layers they stand between.
4. Neighbors: layers of one kind between the same matches.
5. Parts: one layer here and the few there that alone lie between the same matches: another fusion.
6. Order: layers of one kind and shape, but for the batch, in the same order of data (the longest common subsequence
   between two matches that are sure), for engines that share no name; where files tell names alone, then the words.
7. Turns: of two products that are summed up, one side adds the sum to the one, the other side to the other. All four
   are one match.
8. Fusion: a layer that is left joins a match beside it of which the other side holds its work, by the words in the
   names; without words, the match before it when the other side's layer has its output's shape, and its own side's has
   not; at last a small one the match that may hold it, which is then not proven (``proof``).

What none of them joins is only on one side. Every step is linear in layers and nodes but the order, which is bounded.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator
from operator import itemgetter

from trex.compare.aligning.dataflow import POINTWISE
from trex.compare.aligning.grouping import FUSED as FUSED
from trex.compare.aligning.grouping import Grouping
from trex.compare.aligning.match import Alignment, Match
from trex.compare.aligning.ordering import LEAST_LIKENESS, by_order, by_words
from trex.compare.aligning.proof import left_open
from trex.compare.aligning.taken_in import by_fusion, by_result
from trex.compare.aligning.turned import by_swap, by_turn
from trex.compare.aligning.witnesses import is_attention, is_view, shapes_of
from trex.compare.aligning.witnesses import is_minor as is_minor
from trex.core.collector import collector_paused
from trex.core.note import Note
from trex.plan.engine_plan import EnginePlan

ORIGINS, TENSORS, NAMES = "the same ONNX nodes", "the same output tensor", "the same name"
BETWEEN, NEIGHBORS, PARTS = "between the same layers", "the same neighbors", "alone between the same layers"
LEAST_SHARE = 0.5
MOST_PARTS = 12
UNPROVEN = 0.5
_START, _END = -2, -3


def align(left: EnginePlan, right: EnginePlan) -> Alignment:
    """The correspondence of two plans' working layers; unlike models match little, and a Note says so."""
    with collector_paused():
        return _aligned(left, right)


def _aligned(left: EnginePlan, right: EnginePlan) -> Alignment:
    found = _Matches(left, right)
    found.by_nodes(minor=False)
    found.by_nodes(minor=True)
    found.by_key(TENSORS, 0.9, found.told.tensors)
    found.by_key(NAMES, 0.85, found.told.name)
    by_result(found)
    for confidence in (0.8, 0.75, 0.7):
        found.by_neighbors(BETWEEN, confidence, conversions=True)
        found.by_neighbors(NEIGHBORS, confidence - 0.1, conversions=False)
        if not found.by_parts(confidence - 0.2, most=1):
            break
    by_order(found)
    by_words(found)
    by_turn(found)
    for confidence in (0.6, 0.55):
        found.by_neighbors(BETWEEN, confidence, conversions=True, partly=True)
        by_swap(found)
        by_fusion(found, guess=False)
        found.by_neighbors(NEIGHBORS, confidence - 0.1, conversions=False, partly=True)
        found.by_parts(confidence - 0.2, most=MOST_PARTS)
    by_fusion(found, guess=True)
    found.by_neighbors(BETWEEN, 0.5, conversions=True, partly=True)
    return found.alignment()


class _Matches(Grouping):
    """The steps that go by names and by neighbors."""

    def by_nodes(self, *, minor: bool) -> None:
        """Layers of both sides that share a node, and all that hang together through such nodes."""
        owners: dict[str, list[int]] = defaultdict(list)
        for place, nodes in enumerate(self.told.nodes):
            if self.group[place] < 0:
                wanted = [node for node in nodes if is_minor(node) == minor]
                if minor and len(wanted) < len(nodes):
                    continue
                for node in wanted:
                    owners[node].append(place)
        parent = list(range(len(self.layers)))

        def root(place: int) -> int:
            while parent[place] != place:
                parent[place] = parent[parent[place]]
                place = parent[place]
            return place

        shared: list[tuple[str, int]] = []
        for node, places in owners.items():
            if places[0] < self.start <= places[-1]:
                shared.append((node, places[0]))
                first = root(places[0])
                for place in places[1:]:
                    parent[root(place)] = first
        members: dict[int, list[int]] = defaultdict(list)
        joined: dict[int, list[str]] = defaultdict(list)
        for node, place in shared:
            joined[root(place)].append(node)
        for place in range(len(self.layers)):
            if (top := root(place)) in joined and self.group[place] < 0:
                members[top].append(place)
        for top, places in members.items():
            common = joined[top]
            every = {node for place in places for node in self.told.nodes[place]}
            confidence = (0.95 if minor else 1.0) if len(common) == len(every) else 0.8 if minor else 0.9
            self.put(places, ORIGINS, confidence, tuple(common))
        if minor:
            self._take_in_views()

    def _take_in_views(self) -> None:
        """Layers that only move values join the match whose layers of the other side hold all of that."""
        holders: dict[tuple[str, bool], int] = {}
        for place, nodes in enumerate(self.told.nodes):
            if self.group[place] >= 0:
                for node in nodes:
                    holders.setdefault((node, place < self.start), self.group[place])
        for place in self.free():
            nodes = self.told.nodes[place]
            held = {holders.get((node, place >= self.start), -1) for node in nodes}
            if len(held) == 1 and min(held) >= 0 and all(map(is_view, nodes)):
                self.join(place, held.pop(), nodes)

    def by_key(self, why: str, confidence: float, key: Callable[[int], Hashable]) -> None:
        """Layers that are left and alone on their side with a key that the other side has once, too."""
        seats = self.seats((place, key(place)) for place in self.free())
        for mine, theirs in seats.values():
            if len(mine) == len(theirs) == 1:
                self.put([*mine, *theirs], why, confidence)

    def by_neighbors(self, why: str, confidence: float, *, conversions: bool, partly: bool = False) -> None:
        """Layers of one type whose neighbors on both sides are in the same matches, in their order.

        partly: when some of the neighbors are in no match, too.
        """

        def key(place: int) -> Hashable:
            before, after = self.flow.before[place], self.flow.after[place]
            if not partly and any(self.group[each] < 0 for each in (*before, *after)):
                return ()
            around = (self.groups_of(before), self.groups_of(after))
            if not any(around):
                return ()
            layer = self.layers[place]
            slots = () if partly else tuple(sorted(self.flow.slots[place]))
            # Conversions may stand before a pooling here and behind it there; what computes keeps its shape.
            shape = () if conversions else shapes_of(layer.outputs[:1])
            return ("" if conversions else layer.type, shape, slots, *around)

        free = [place for place in self.free() if self.converts[place] == conversions]
        for mine, theirs in self.seats((place, key(place)) for place in free).values():
            for one, other in zip(mine, theirs):
                if self.told.likeness(one, other) >= LEAST_LIKENESS:
                    self.put([one, other], why, confidence if len(mine) == len(theirs) else confidence - 0.2)

    def by_parts(self, confidence: float, most: int) -> int:
        """Free layers that hang together here and there between the same matches, at most ``most`` on the side that has
        fewer; returns how many such there were.
        """
        seen: set[int] = set()
        keyed: list[tuple[tuple[int, ...], Hashable]] = []
        for first in self.free():
            if first in seen:
                continue
            part, pending, around = list[int](), [first], (set[int](), set[int]())
            seen.add(first)
            while pending:
                place = pending.pop()
                part.append(place)
                beside = self.flow.before[place], self.flow.after[place]
                for side, others, end in zip(around, beside, (_START, _END), strict=True):
                    if not others and (self.layers[place].inputs, self.layers[place].outputs)[end == _END]:
                        side.add(end)
                    for other in others:
                        if self.group[other] >= 0:
                            side.add(self.group[other])
                        elif other not in seen:
                            seen.add(other)
                            pending.append(other)
            is_work = any(not self.converts[place] for place in part)
            if len(part) <= MOST_PARTS and around[0] and around[1] and is_work:
                keyed.append((tuple(sorted(part)), (tuple(sorted(around[0])), tuple(sorted(around[1])))))
        seats: dict[Hashable, tuple[list[tuple[int, ...]], list[tuple[int, ...]]]] = {}
        for places, key in keyed:
            seats.setdefault(key, ([], []))[places[0] >= self.start].append(places)
        count = 0
        for mine, theirs in seats.values():
            if len(mine) != 1 or len(theirs) != 1 or min(len(mine[0]), len(theirs[0])) > most:
                continue
            if alike := self._that_do_alike(mine[0], theirs[0]):
                self.put(alike, PARTS, confidence)
                count += 1
        return count

    def _that_do_alike(self, mine: tuple[int, ...], theirs: tuple[int, ...]) -> list[int]:
        """Of both parts what computes; where their names share words, without layers that share none. Nothing when one
        side alone works by elements: no product becomes that.
        """
        sides = [[place for place in part if not self.converts[place]] for part in (mine, theirs)]
        told = [Counter[str](), Counter[str]()]
        if len({all(self.layers[place].type in POINTWISE for place in side) for side in sides}) == 2:
            return []
        for side, places in enumerate(sides):
            for place in places:
                told[side].update(self.told.words(place))
        if (told[0] & told[1]).total():
            for side, places in enumerate(sides):
                sides[side] = self._fitting(places, told[1 - side])
            if self._tell_unlike([*sides[0], *sides[1]]) and _likeness(*told) < LEAST_LIKENESS:
                return []
        elif max(map(len, sides)) > 1 and self._tell_unlike([*sides[0], *sides[1]]):
            return []
        return [*sides[0], *sides[1]] if sides[0] and sides[1] else []

    def _fitting(self, places: list[int], told: Counter[str]) -> list[int]:
        """Those with words among these, each word as often as it is there: first what is in there as a whole, then what
        does much.
        """
        room = Counter(told)
        kept = []
        by_size = sorted(places, key=lambda each: -self.told.words(each).total())
        for place in sorted(by_size, key=lambda each: not self.told.words(each) <= told):
            words = self.told.words(place)
            tells_nothing = not words and not self.told.tells_all(place)
            if tells_nothing or (words & room).total():
                kept.append(place)
                room -= words
        return kept

    def _tell_unlike(self, places: list[int]) -> bool:
        """Whether all tell all that they do; the one kernel of attention never does."""
        attends = any(is_attention(self.layers[place]) for place in places)
        return not attends and all(map(self.told.tells_all, places))

    def alignment(self) -> Alignment:
        """All matches, and everything else as what only one side has."""
        seats: list[tuple[float, int, Match]] = []
        count, unproven = self.start, left_open(self)
        for number, (places, why, confidence, nodes) in enumerate(self.groups):
            if not places:
                continue
            mine = tuple(place for place in places if place < count)
            theirs = tuple(place - count for place in places if place >= count)
            proven = number not in unproven
            sure = confidence if proven else min(confidence, UNPROVEN)
            seats.append((mine[0], number, Match(mine, theirs, why, sure, nodes, proven, number in self.turned)))
        last = -1.0
        for place in range(len(self.layers)):
            if self.group[place] >= 0:
                if place >= count:
                    last = max(last, self.groups[self.group[place]][0][0])
            elif place < count:
                seats.append((place, -1, Match((place,), (), "only on the left", 1.0, self.told.nodes[place])))
            else:
                seats.append(
                    (last + 0.5, place, Match((), (place - count,), "only on the right", 1.0, self.told.nodes[place]))
                )
        seats.sort(key=itemgetter(0, 1))
        found = Alignment(self.left, self.right, tuple(match for _, _, match in seats))
        return Alignment(self.left, self.right, found.matches, tuple(_notes(found)))


def _notes(found: Alignment) -> Iterator[Note]:
    if found.matched_share < LEAST_SHARE:
        yield Note(
            "unlike-engines",
            f"only {100 * found.matched_share:.0f} % of the layers correspond: the models may be different ones",
            "compare engines built from the same ONNX model",
        )
    if count := sum(len(match.left) != len(match.right) and not match.is_proven for match in found.matches):
        yield Note(
            "fusion-or-removal",
            f"in {count} match{'es' * (count > 1)} a small kernel is on one side alone, beside one that may hold more "
            "than it tells: whether that took it in, or it is gone, nobody can know, and its time stays unexplained",
            "build both from the ONNX model with TensorRT 8.6 or later and --profilingVerbosity=detailed: then "
            "the files tell the ONNX nodes of each kernel",
        )


def _likeness(mine: Counter[str], theirs: Counter[str]) -> float:
    """How much of what both do is in both, 0 to 1."""
    return 2.0 * (mine & theirs).total() / (mine.total() + theirs.total())

"""Two plans → Alignment: which of their layers do the same work, by several witnesses, the surest first.

1. ONNX nodes: layers that come from one node belong together, whatever they were fused into; as fusions differ, a match
   may hold several layers on each side. Nodes that only convert (quantise, cast, reshape) join layers without others.
2. Names of output tensors, then names of layers, among what is left.
3. Conversions that TensorRT put in: by the matches of the layers they stand between.
4. Neighbours: layers of one kind between the same matches.
5. Shapes: layers of one kind and shape, but for the batch, in the same order (the longest common subsequence between
   two matches that are sure), for engines that share no name.
6. Fusion: a layer that is left joins the match before it when the other side's layer already has its output's shape,
   and its own side's has not: the other side has fused it.
Exporters that number all nodes of a model (``Conv_22``, ``onnx::Add_129``) number them anew when one is added, so that
a name means another node then: such names are no witnesses unless most of them are on both sides.

What none of them joins is only on one side. Every step is linear in layers and nodes but the last, which is bounded.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence

from trex.compare.match import Alignment, Match
from trex.compare.subsequence import common_subsequence
from trex.core.layer import Layer
from trex.core.note import Note
from trex.core.tensor import Tensor
from trex.plan.engine_plan import EnginePlan

ORIGINS, TENSORS, NAMES = "the same ONNX nodes", "the same output tensor", "the same name"
BETWEEN, NEIGHBOURS, SHAPES = "between the same layers", "the same neighbours", "the same kind and shapes in this order"
FUSED = "fused on the other side"
LEAST_SHARE = 0.5
_MINOR = re.compile(
    r"(?:De)?[Qq]uantize(?:Linear)?|Cast|Identity|Constant|Reshape|Squeeze|Unsqueeze|Flatten|Transpose|Shape|Expand"
)
_CONVERSIONS = frozenset(("Reformat", "MyelinReformat"))
LEAST_SHARED_NUMBERS = 0.6
# A name that ends in a number, and is no step of a path: Conv_22, onnx::Conv_129, input.24, 422.
_NUMBERED = re.compile(r"^[^/]*?(?:^|[_.:])\d+$")
_ANY_NUMBER = re.compile(r"_\d+(?![\w/])")


def align(left: EnginePlan, right: EnginePlan) -> Alignment:
    """The correspondence of two plans' working layers; unlike models match little, and a Note says so."""
    aligner = _Aligner(left, right)
    aligner.by_nodes(minor=False)
    aligner.by_nodes(minor=True)
    aligner.by_key(TENSORS, 0.9, aligner.tensors_of)
    aligner.by_key(NAMES, 0.85, aligner.name_of)
    aligner.by_neighbours(BETWEEN, 0.8, lambda layer: layer.type in _CONVERSIONS)
    aligner.by_neighbours(NEIGHBOURS, 0.7, lambda layer: layer.type not in _CONVERSIONS)
    aligner.by_order()
    aligner.by_neighbours(BETWEEN, 0.6, lambda layer: layer.type in _CONVERSIONS)
    aligner.by_fusion()
    return aligner.alignment()


class _Aligner:
    """Places of the left side are 0 … n−1, those of the right side n … n+m−1."""

    def __init__(self, left: EnginePlan, right: EnginePlan) -> None:
        self.left, self.right = left, right
        self.layers: tuple[Layer, ...] = (*left.layers, *right.layers)
        self.start = len(left.layers)
        self.group: list[int] = [-1] * len(self.layers)
        self.groups: list[tuple[tuple[int, ...], str, float, tuple[str, ...]]] = []
        self.nodes = [_nodes(layer) for layer in self.layers]
        self.trusts_numbers = self._numbers_agree()
        if not self.trusts_numbers:
            self.nodes = [tuple(node for node in nodes if not _NUMBERED.search(node)) for nodes in self.nodes]
        self.before, self.after = _neighbours(self.layers, self.start)

    def by_nodes(self, *, minor: bool) -> None:
        """Layers of both sides that share a node, and all that hang together through such nodes."""
        owners: dict[str, list[int]] = defaultdict(list)
        for place, nodes in enumerate(self.nodes):
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
            every = {node for place in places for node in self.nodes[place]}
            confidence = (0.95 if minor else 1.0) if len(common) == len(every) else 0.8 if minor else 0.9
            self._put(places, ORIGINS, confidence, tuple(common))

    def _numbers_agree(self) -> bool:
        """Whether most numbered nodes of the side that has fewer are on the other side, too."""
        sides: tuple[set[str], set[str]] = (set(), set())
        for place, nodes in enumerate(self.nodes):
            sides[place >= self.start].update(node for node in nodes if _NUMBERED.search(node) and not is_minor(node))
        fewer = min(map(len, sides))
        return fewer == 0 or len(sides[0] & sides[1]) >= LEAST_SHARED_NUMBERS * fewer

    def tensors_of(self, layer: Layer) -> Hashable:
        """Names of its outputs, without numbered ones where numbers are no witnesses."""
        names = sorted(tensor.name for tensor in layer.outputs if tensor.name)
        return tuple(name for name in names if self.trusts_numbers or not _NUMBERED.search(name))

    def name_of(self, layer: Layer) -> Hashable:
        """Its name and type; nothing where numbers in it are no witnesses."""
        if not layer.name or (not self.trusts_numbers and _ANY_NUMBER.search(layer.name)):
            return ()
        return (layer.name, layer.type)

    def by_key(self, why: str, confidence: float, key: Callable[[Layer], Hashable]) -> None:
        """Layers that are left and alone on their side with a key that the other side has once, too."""
        seats = self._seats((place, key(self.layers[place])) for place in self._free())
        for mine, theirs in seats.values():
            if len(mine) == len(theirs) == 1:
                self._put([*mine, *theirs], why, confidence)

    def by_neighbours(self, why: str, confidence: float, wanted: Callable[[Layer], bool]) -> None:
        """Layers of one type whose neighbours on both sides are in the same matches, in their order."""

        def key(place: int) -> Hashable:
            around = (self._groups(self.before[place]), self._groups(self.after[place]))
            layer = self.layers[place]
            # Conversions may stand before a pooling here and behind it there; what computes keeps its shape.
            shape = () if layer.type in _CONVERSIONS else _shapes(layer.outputs[:1])
            return (layer.type, shape, *around) if any(around) else ()

        free = [place for place in self._free() if wanted(self.layers[place])]
        for mine, theirs in self._seats((place, key(place)) for place in free).values():
            for one, other in zip(mine, theirs):
                self._put([one, other], why, confidence if len(mine) == len(theirs) else confidence - 0.2)

    def by_order(self) -> None:
        """Between two matches that stand in the same order on both sides: layers of alike shapes, in order."""
        for mine, theirs in self._gaps():
            signatures = [_signature(self.layers[place]) for place in (*mine, *theirs)]
            pairs = common_subsequence(signatures[: len(mine)], signatures[len(mine) :])
            for one, other in pairs:
                self._put([mine[one], theirs[other]], SHAPES, 0.5)

    def by_fusion(self) -> None:
        """Layers that one side fused into a match: its output has the shape that only they give on the other side."""
        for place in self._free():
            outputs = _shapes(self.layers[place].outputs[:1])
            for writer in self.before[place]:
                number = self.group[writer]
                if number < 0 or not outputs or self.layers[place].type in _CONVERSIONS:
                    continue
                places, why, confidence, nodes = self.groups[number]
                is_left = place < self.start
                others = [each for each in places if (each < self.start) != is_left]
                if outputs == _shapes(self.layers[others[-1]].outputs[:1]) != _shapes(self.layers[writer].outputs[:1]):
                    self.group[place] = number
                    joined = tuple(sorted((*places, place)))
                    self.groups[number] = (joined, f"{why}; {FUSED}", min(confidence, 0.75), nodes)
                    break

    def alignment(self) -> Alignment:
        """All matches, and everything else as what only one side has."""
        seats: list[tuple[float, int, Match]] = []
        count = self.start
        for number, (places, why, confidence, nodes) in enumerate(self.groups):
            mine = tuple(place for place in places if place < count)
            theirs = tuple(place - count for place in places if place >= count)
            seats.append((mine[0], number, Match(mine, theirs, why, confidence, nodes)))
        last = -1.0
        for place in range(len(self.layers)):
            if self.group[place] >= 0:
                if place >= count:
                    last = max(last, self.groups[self.group[place]][0][0])
            elif place < count:
                seats.append((place, -1, Match((place,), (), "only on the left", 1.0, self.nodes[place])))
            else:
                seats.append(
                    (last + 0.5, place, Match((), (place - count,), "only on the right", 1.0, self.nodes[place]))
                )
        seats.sort(key=lambda seat: seat[:2])
        found = Alignment(self.left, self.right, tuple(match for _, _, match in seats))
        if found.matched_share < LEAST_SHARE:
            note = Note(
                "unlike-engines",
                f"only {100 * found.matched_share:.0f} % of the layers correspond: the models may be different ones",
                "compare engines built from the same ONNX model",
            )
            found = Alignment(self.left, self.right, found.matches, (note,))
        return found

    def _free(self) -> list[int]:
        return [place for place, group in enumerate(self.group) if group < 0]

    def _put(self, places: Sequence[int], why: str, confidence: float, nodes: tuple[str, ...] = ()) -> None:
        for place in places:
            self.group[place] = len(self.groups)
        self.groups.append((tuple(sorted(places)), why, confidence, nodes))

    def _seats(self, keyed: Iterable[tuple[int, Hashable]]) -> dict[Hashable, tuple[list[int], list[int]]]:
        """{key: (places left, places right)} of the keys that both sides have."""
        found: dict[Hashable, tuple[list[int], list[int]]] = {}
        for place, key in keyed:
            if key:
                found.setdefault(key, ([], []))[place >= self.start].append(place)
        return {key: seats for key, seats in found.items() if seats[0] and seats[1]}

    def _groups(self, places: Iterable[int]) -> tuple[int, ...]:
        return tuple(sorted({self.group[place] for place in places if self.group[place] >= 0}))

    def _gaps(self) -> Iterable[tuple[list[int], list[int]]]:
        """Free places between matches that are in the same order on both sides."""
        anchors = []
        for places, _, _, _ in self.groups:
            anchors.append((places[0], next(place for place in places if place >= self.start)))
        anchors.sort()
        kept: list[tuple[int, int]] = []
        for anchor in anchors:  # a match out of order is no landmark
            if not kept or anchor[1] > kept[-1][1]:
                kept.append(anchor)
        lows = [(-1, self.start - 1), *kept]
        highs = [*kept, (self.start, len(self.layers))]
        for (low, their_low), (high, their_high) in zip(lows, highs, strict=True):
            ours = [place for place in range(low + 1, high) if self.group[place] < 0]
            others = [place for place in range(their_low + 1, their_high) if self.group[place] < 0]
            if ours and others:
                yield ours, others


def is_minor(node: str) -> bool:
    """True for a node that only converts or moves, by the name that exporters give it."""
    step = node.rpartition("/")[2].rpartition(".")[2]
    return _MINOR.match(step) is not None


def _nodes(layer: Layer) -> tuple[str, ...]:
    """ONNX nodes of a layer; of one without origins, the operations in its name. None for an inserted conversion."""
    if layer.type in _CONVERSIONS and layer.name_parts.wraps:
        return ()
    return layer.origins or layer.name_parts.operations


def _neighbours(layers: Sequence[Layer], start: int) -> tuple[list[list[int]], list[list[int]]]:
    """Places of writers and readers of each layer, of the same side."""
    before: list[list[int]] = [[] for _ in layers]
    after: list[list[int]] = [[] for _ in layers]
    writers: dict[str, int] = {}
    for place, layer in enumerate(layers):
        if place == start:
            writers = {}
        for name in dict.fromkeys(tensor.name for tensor in layer.inputs):
            if name in writers:
                before[place].append(writers[name])
                after[writers[name]].append(place)
        for tensor in layer.outputs:
            if tensor.name:
                writers[tensor.name] = place
    return before, after


def _signature(layer: Layer) -> Hashable:
    """Kind and shapes, without the batch and the types: a change of either keeps them."""
    return (layer.type, _shapes(layer.inputs[:2]), _shapes(layer.outputs[:1]))


def _shapes(tensors: Sequence[Tensor]) -> tuple[Hashable, ...]:
    """Shapes without their first dimension."""
    return tuple(None if tensor.shape is None else tensor.shape[1:] for tensor in tensors)

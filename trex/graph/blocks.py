"""PlanGraph → Blocks: layers that come again and again, such as the 24 alike layers of a transformer."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from trex.core.layer import Layer
from trex.core.tensor import Tensor
from trex.graph.plan_graph import BETWEEN_KINDS, MemoryNode, PlanGraph
from trex.graph.repeats import find_runs

# Folding fewer layers than this away makes nothing clearer.
LEAST_SAVED = 2
# Of the places at which a repetition may be said to begin, so many are looked at.
_MOST_STARTS = 48
# Steps of work per layer and edge; what would take more stays unfolded.
_EFFORT = 60
# Keys of a layer's record that name this one layer, or say how it runs instead of what it is.
_NOT_STRUCTURE = frozenset(
    ("Name", "Metadata", "Inputs", "Outputs", "TacticName", "TacticValue", "StreamId", "tactic", "Index")
)


@dataclass(frozen=True, slots=True)
class Block:
    """``count`` repetitions of ``length`` layers each, one after the other. first: id of the first layer's node."""

    first: int
    length: int
    count: int

    @property
    def occurrences(self) -> tuple[int, ...]:
        """Id of the first layer of each repetition."""
        return tuple(range(self.first, self.end, self.length))

    @property
    def end(self) -> int:
        """The id behind its last layer's."""
        return self.first + self.length * self.count

    @property
    def saved(self) -> int:
        """How many layers fewer are drawn when it is folded."""
        return self.length * (self.count - 1)


def find_blocks(graph: PlanGraph) -> tuple[Block, ...]:
    """The repeated blocks of a graph, apart from one another, in execution order; close to linear in its layers.

    Layers are alike when type, subtype, precision, attributes, stored parameters and the shapes, types and formats
    of all tensors are; names, streams, tactics and times may differ. Repetitions are alike when their layers are and
    each reads from as far back, or the same value from outside, or data of its own (its stored parameters, an input
    of the engine). Only what the first repetition takes from outside may come from the repetition before in the
    others, and only the last may hand out more than the others do. Of blocks that overlap, the one that folds more
    layers away goes first; of the places where a repetition may begin, those where a numbered module does, then those
    where few values are alive.

    Not found, then, are the stages of a U-Net, alike but for their sizes and the copies between layouts, and the
    blocks of a ControlNet, each of which hands its result to a convolution of its own outside: drawn once, the block
    could not say which of its repetitions a reader reads.
    """
    return tuple(_Search(graph).blocks())


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Where repetitions may begin so that a layer reads what its counterpart a period before reads: behind ``after``;
    an entry only holds between the first two repetitions, when they begin no later than ``upto``; an exit, only when
    the later of the two repetitions is the last."""

    after: int
    upto: int
    is_entry: bool = False
    is_exit: bool = False

    def holds_everywhere(self) -> bool:
        return self.after < 0 and not self.is_entry and not self.is_exit


class _Search:
    def __init__(self, graph: PlanGraph) -> None:
        self.graph = graph
        self.count = len(graph.layer_nodes)
        self.effort = _EFFORT * (self.count + len(graph.edges)) + 1000
        self.signs = _signs(node.layer for node in graph.layer_nodes)
        self.reads = reads_of(graph)
        self.readers = self._readers()
        self.cuts = self._cuts()
        self.borders = _borders([node.layer.module for node in graph.layer_nodes])
        self.taken: list[tuple[int, int]] = []
        self.waiting: list[tuple[int, int, int, int]] = []

    def blocks(self) -> list[Block]:
        """The best first, until nothing is left that pays."""
        for run in find_runs(self.signs):
            self._offer(run.first, run.end, run.period)
        found = []
        while self.waiting and self.effort > 0:
            _, period, first, end = heappop(self.waiting)
            free = self._free(first, end)
            if free != [(first, end)]:
                for low, high in free:
                    self._offer(low, high, period)
                continue
            block = self._block(first, end, period)
            if block is not None:
                found.append(block)
                insort(self.taken, (block.first, block.end))
                self._offer(first, block.first, period)
                self._offer(block.end, end, period)
        return sorted(found, key=lambda block: block.first)

    def _offer(self, first: int, end: int, period: int) -> None:
        saved = (end - first) // period * period - period
        if saved >= max(LEAST_SAVED, period):
            # Of two that save as much, the one with shorter repetitions is the simpler.
            heappush(self.waiting, (-saved, period, first, end))

    def _free(self, first: int, end: int) -> list[tuple[int, int]]:
        """The parts of a stretch that no block has taken."""
        free = []
        at = max(0, bisect_left(self.taken, (first, first)) - 1)
        while at < len(self.taken) and self.taken[at][0] < end:
            low, high = self.taken[at]
            if high > first:
                if low > first:
                    free.append((first, low))
                first = max(first, high)
            at += 1
            self.effort -= 1
        if first < end:
            free.append((first, end))
        return free

    def _block(self, first: int, end: int, period: int) -> Block | None:
        """The best block in a run of alike layers, None when no two repetitions read alike."""
        self.effort -= end - first
        bounds: dict[int, _Bounds | None] = {}
        for place in range(first + period, end):
            found = self._alike(place, period, first)
            if found is None or not found.holds_everywhere():
                bounds[place] = found
        odd = sorted(bounds)
        best: tuple[tuple[int, int, int, int], Block] | None = None
        for start in self._starts(first, end, period, odd):
            count = self._repetitions(start, end, period, odd, bounds)
            if count < 2 or period * (count - 1) < LEAST_SAVED:
                continue
            key = (-count, self.borders[start], self.cuts[start + period], start)
            if best is None or key < best[0]:
                best = (key, Block(start, period, count))
        return best[1] if best else None

    def _starts(self, first: int, end: int, period: int, odd: Sequence[int]) -> list[int]:
        latest = end - 2 * period
        stretch = range(first, min(first + period, latest + 1))
        self.effort -= len(stretch)
        natural = sorted(stretch, key=lambda place: (self.borders[place], self.cuts[place + period], place))
        # Right behind a place that is not alike, repetitions may begin afresh.
        behind = [place + step for place in odd[:_MOST_STARTS] for step in (1 - period, 1)]
        wanted = [first, *natural[: _MOST_STARTS // 2], *behind]
        return [place for place in dict.fromkeys(wanted) if first <= place <= latest][:_MOST_STARTS]

    def _repetitions(
        self, start: int, end: int, period: int, odd: Sequence[int], bounds: Mapping[int, _Bounds | None]
    ) -> int:
        """How many repetitions from ``start`` on are alike."""
        for at in range(bisect_left(odd, start + period), len(odd)):
            self.effort -= 1
            place = odd[at]
            if place >= end:
                break
            found = bounds[place]
            before = (place - start) // period
            if found is None or start <= found.after:
                return before
            if found.is_entry and not (before == 1 and start <= found.upto):
                return before
            if found.is_exit:
                end = min(end, start + (before + 1) * period)
        return (end - start) // period

    def _alike(self, place: int, period: int, first: int) -> _Bounds | None:
        """Whether a layer reads what the layer a period before it reads, and where repetitions must begin for that."""
        later, earlier = self.reads[place], self.reads[place - period]
        self.effort -= len(later)
        if len(later) != len(earlier):
            return None
        after, upto, is_entry = -1, place, False
        for (slot, source, carried), (other_slot, before, other_carried) in zip(later, earlier):
            if slot != other_slot or carried != other_carried:
                return None
            if source < self.count and source - before == period:
                continue
            if source == before:
                if first <= source < self.count:
                    after = max(after, source)
            elif source >= self.count:
                if before < self.count or self._kind(source) != self._kind(before):
                    return None
            elif carried or (before < self.count and before > source) or self._kind(before) in ("constant", "to"):
                return None
            else:
                is_entry = True
                after = max(after, source - period, before if before < self.count else -1)
                upto = min(upto, source)
        if not self._read_alike(place - period, place, period):
            return None
        return _Bounds(after, upto, is_entry, is_exit=not self._read_alike(place, place - period, -period))

    def _read_alike(self, place: int, other: int, shift: int) -> bool:
        """Whether what reads a layer from beyond the next repetition also reads the other, or its counterpart does."""
        readers, others = self.readers[place], self.readers[other]
        self.effort -= len(readers)
        near = place + 2 * abs(shift)
        return all(
            reader in others or (reader + shift in others and reader < self.count)
            for reader in readers
            if reader >= near
        )

    def _readers(self) -> list[set[int]]:
        """For each layer, the layers that read it; of memory only the kind, as a number behind all nodes."""
        readers: list[set[int]] = [set() for _ in range(self.count)]
        for place, reads in enumerate(self.reads):
            for _, source, _ in reads:
                if source < self.count:
                    readers[source].add(place)
        for node in self.graph.memory_nodes:
            if node.kind in ("output", "to"):
                for edge in self.graph.edges_into[node.id]:
                    if edge.source < self.count:
                        readers[edge.source].add(len(self.graph.nodes) + (node.kind == "to"))
        return readers

    def _kind(self, node: int) -> str:
        there = self.graph.nodes[node]
        return there.kind if isinstance(there, MemoryNode) else ""

    def _cuts(self) -> list[int]:
        """For each place between layers, how many layers' values are still to be read behind it."""
        last = list(range(self.count))
        for place, reads in enumerate(self.reads):
            for _, source, _ in reads:
                if source < self.count and place > last[source]:
                    last[source] = place
        change = [0] * (self.count + 1)
        for source, reader in enumerate(last):
            if reader > source:
                change[source + 1] += 1
                change[reader + 1 if reader < self.count else reader] -= 1
        cuts, alive = [], 0
        for each in change:
            alive += each
            cuts.append(alive)
        return cuts


def reads_of(graph: PlanGraph) -> list[list[tuple[int, int, bool]]]:
    """For each layer, what it reads: (which of its inputs, node that has it, carried), in the order of its inputs.

    Memory between layers is looked through: its last writer stands for it.
    """
    last_writer = {
        node.id: max((edge.source for edge in graph.edges_into[node.id]), default=node.id)
        for node in graph.memory_nodes
        if node.kind in BETWEEN_KINDS
    }
    reads: list[list[tuple[int, int, bool]]] = []
    for node in graph.layer_nodes:
        edges = graph.edges_into[node.id]
        slots: dict[str, int] = {}
        if len(edges) > 1:
            for slot, tensor in enumerate(node.layer.inputs):
                slots.setdefault(tensor.name, slot)
        reads.append(
            sorted(
                (slots.get(edge.tensor.name, 0), last_writer.get(edge.source, edge.source), edge.carried)
                for edge in edges
            )
        )
    return reads


def _signs(layers: Iterable[Layer]) -> list[int]:
    """A number for each layer, the same for layers that are alike."""
    numbers: dict[tuple[object, ...], int] = {}
    return [numbers.setdefault(_signature(layer), len(numbers)) for layer in layers]


def _signature(layer: Layer) -> tuple[object, ...]:
    return (
        layer.type,
        layer.subtype,
        layer.precision,
        tuple([_look(tensor) for tensor in layer.inputs]),
        tuple([_look(tensor) for tensor in layer.outputs]),
        tuple([(stored.kind, stored.data_type, stored.count) for stored in layer.weights]),
        tuple([(key, repr(value)) for key, value in layer.raw.items() if key not in _NOT_STRUCTURE]),
    )


def _look(tensor: Tensor) -> tuple[object, ...]:
    return (tensor.shape, tensor.data_type, tensor.format.label, tensor.location)


_NO_BORDER = 1 << 30


def _borders(modules: Sequence[str]) -> list[int]:
    """How far down the module tree another numbered module begins with a layer: ``/layer1/0/…`` before,
    ``/layer1/1/…`` now is 1; a great number where none does."""
    paths = [[step for step in module.split("/") if step] for module in modules]
    found = [_NO_BORDER] * len(paths)
    before: list[str] = []
    for place, path in enumerate(paths):
        depth = 0
        while depth < min(len(path), len(before)) and path[depth] == before[depth]:
            depth += 1
        if any(character.isdigit() for step in path[depth:] for character in step):
            found[place] = depth
        before = path
    return found

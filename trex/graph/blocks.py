"""PlanGraph → Blocks: repeated sequences of layers, such as the 24 equal layers of a transformer."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

from trex.core.layer import Layer
from trex.core.tensor import Tensor
from trex.graph.module_steps import Steps, module_steps, shared_steps
from trex.graph.plan_graph import BETWEEN_KINDS, MemoryNode, PlanGraph
from trex.graph.repeats import find_runs

# Minimum number of layers that folding must save.
LEAST_SAVED = 2
# Number of candidate starts of a repetition.
_MOST_STARTS = 48
# Limit of the work per layer and edge; the rest stays unfolded.
_EFFORT = 60
# Keys of a layer's record that identify the layer, or state how it runs instead of what it is.
_NOT_STRUCTURE = frozenset(
    ("Name", "Metadata", "Inputs", "Outputs", "TacticName", "TacticValue", "StreamId", "tactic", "Index")
)


@dataclass(frozen=True, slots=True)
class Block:
    """``count`` consecutive repetitions of ``length`` layers each. first: id of the first layer's node."""

    first: int
    length: int
    count: int

    @property
    def occurrences(self) -> tuple[int, ...]:
        """Id of the first layer of each repetition."""
        return tuple(range(self.first, self.end, self.length))

    @property
    def end(self) -> int:
        """The id after its last layer's."""
        return self.first + self.length * self.count

    @property
    def saved(self) -> int:
        """Number of layers that folding saves."""
        return self.length * (self.count - 1)


def find_blocks(graph: PlanGraph) -> tuple[Block, ...]:
    """The repeated blocks of a graph, disjoint, in execution order; nearly linear in its layers.

    Two layers are equal if their type, subtype, precision, attributes, stored parameters and the shapes, types and
    formats of all tensors are; names, streams, tactics and times may differ. Two repetitions are equal if their layers
    are, and each layer reads from the same distance, or the same external value, or its own data (stored parameters, an
    input of the engine). What the first repetition reads from outside may come from the previous repetition in the
    others; only the last repetition may have additional readers. Of overlapping blocks, the one that saves more layers
    wins. Preferred starts of a repetition are those of a numbered module, then those with few live values.

    Not found are the stages of a U-Net, which differ in sizes and reformats, and the blocks of a ControlNet, whose
    results each have a reader outside: a single drawn block could not show which repetition a reader reads.
    """
    return tuple(_Search(graph).blocks())


@dataclass(frozen=True, slots=True)
class _Bounds:
    """The starts of repetitions for which a layer reads what its counterpart one period earlier reads: after ``after``.

    is_entry: only between the first two repetitions, starting at most at ``upto``. is_exit: only if the later of both
    repetitions is the last.
    """

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
        """The blocks that save the most, until no candidate is left."""
        for run in find_runs(self.signs):
            self._offer(run.first, run.end, run.period)
        blocks = []
        while self.waiting and self.effort > 0:
            _, period, first, end = heappop(self.waiting)
            free = self._free(first, end)
            if free != [(first, end)]:
                for low, high in free:
                    self._offer(low, high, period)
                continue
            block = self._block(first, end, period)
            if block is not None:
                blocks.append(block)
                insort(self.taken, (block.first, block.end))
                self._offer(first, block.first, period)
                self._offer(block.end, end, period)
        return sorted(blocks, key=lambda block: block.first)

    def _offer(self, first: int, end: int, period: int) -> None:
        saved = (end - first) // period * period - period
        if saved >= max(LEAST_SAVED, period):
            # For equal savings, shorter repetitions are simpler.
            heappush(self.waiting, (-saved, period, first, end))

    def _free(self, first: int, end: int) -> list[tuple[int, int]]:
        """The parts of a range without blocks."""
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
        """The best block in a run of equal layers, None if no two repetitions have equal reads."""
        self.effort -= end - first
        bounds: dict[int, _Bounds | None] = {}
        for position in range(first + period, end):
            bound = self._bounds(position, period, first)
            if bound is None or not bound.holds_everywhere():
                bounds[position] = bound
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
        candidates = range(first, min(first + period, latest + 1))
        self.effort -= len(candidates)
        natural = sorted(candidates, key=lambda start: (self.borders[start], self.cuts[start + period], start))
        # Repetitions may also start right after a layer with unequal reads.
        after_odd = [position + step for position in odd[:_MOST_STARTS] for step in (1 - period, 1)]
        wanted = [first, *natural[: _MOST_STARTS // 2], *after_odd]
        return [start for start in dict.fromkeys(wanted) if first <= start <= latest][:_MOST_STARTS]

    def _repetitions(
        self, start: int, end: int, period: int, odd: Sequence[int], bounds: Mapping[int, _Bounds | None]
    ) -> int:
        """Number of equal repetitions from ``start``."""
        for at in range(bisect_left(odd, start + period), len(odd)):
            self.effort -= 1
            position = odd[at]
            if position >= end:
                break
            bound = bounds[position]
            before = (position - start) // period
            if bound is None or start <= bound.after:
                return before
            if bound.is_entry and not (before == 1 and start <= bound.upto):
                return before
            if bound.is_exit:
                end = min(end, start + (before + 1) * period)
        return (end - start) // period

    def _bounds(self, position: int, period: int, first: int) -> _Bounds | None:
        """The starts for which a layer reads what the layer one period earlier reads; None if there are none."""
        later, earlier = self.reads[position], self.reads[position - period]
        self.effort -= len(later)
        if len(later) != len(earlier):
            return None
        after, upto, is_entry = -1, position, False
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
        if not self._have_equal_readers(position - period, position, period):
            return None
        is_exit = not self._have_equal_readers(position, position - period, -period)
        return _Bounds(after, upto, is_entry, is_exit)

    def _have_equal_readers(self, position: int, other: int, shift: int) -> bool:
        """Whether each reader beyond the next repetition, or its counterpart, also reads the other layer."""
        readers, others = self.readers[position], self.readers[other]
        self.effort -= len(readers)
        near = position + 2 * abs(shift)
        return all(
            reader in others or (reader + shift in others and reader < self.count)
            for reader in readers
            if reader >= near
        )

    def _readers(self) -> list[set[int]]:
        """For each layer, the layers that read it; memory nodes as their kind, a number after all nodes."""
        readers: list[set[int]] = [set() for _ in range(self.count)]
        for position, reads in enumerate(self.reads):
            for _, source, _ in reads:
                if source < self.count:
                    readers[source].add(position)
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
        """For each position between layers, the number of layers whose values are read later."""
        last = list(range(self.count))
        for position, reads in enumerate(self.reads):
            for _, source, _ in reads:
                if source < self.count and position > last[source]:
                    last[source] = position
        change = [0] * (self.count + 1)
        for source, reader in enumerate(last):
            if reader > source:
                change[source + 1] += 1
                change[reader + 1 if reader < self.count else reader] -= 1
        cuts, alive = [], 0
        for difference in change:
            alive += difference
            cuts.append(alive)
        return cuts


def reads_of(graph: PlanGraph) -> list[list[tuple[int, int, bool]]]:
    """For each layer, what it reads: (index of the input, source node, carried), in the order of its inputs.

    Memory between layers is replaced by its last writer.
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
    """A number for each layer, the same for equal layers."""
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
    """For each layer, the depth at which it begins another numbered module: 1 for ``/layer1/1/…`` after
    ``/layer1/0/…``; a large number if it begins none."""
    borders = [_NO_BORDER] * len(modules)
    before: Steps = ()
    for position, path in enumerate(map(module_steps, modules)):
        depth = len(shared_steps((path, before)))
        if any(character.isdigit() for step in path[depth:] for character in step):
            borders[position] = depth
        before = path
    return borders

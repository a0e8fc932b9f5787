"""PlanGraph: layers and memory as nodes, data flow as edges between them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median

from trex.core.layer import Layer
from trex.core.tensor import Tensor
from trex.core.timings import LayerTime
from trex.plan.generations import Generation

MEMORY_KINDS = ("input", "output", "constant", "dangling", "merge", "region", "from", "to")
# Kinds of memory that stand between the layers that write it and those that read it.
BETWEEN_KINDS = ("merge", "region")

Latency = Callable[[LayerTime | None], float | None]


def average_ms(time: LayerTime | None) -> float | None:
    """The average time of a record in milliseconds, None when not measured."""
    return None if time is None else time.average_ms


@dataclass(frozen=True, slots=True)
class Layers:
    """Layers that one node stands for, in execution order.

    times: aligned with ``layers``, None where the profile has no record. The numbers are of the average times, in
    milliseconds and over those that are known; None when none is. ``spread`` gives them of any other time.
    """

    layers: tuple[Layer, ...]
    times: tuple[LayerTime | None, ...]

    @property
    def count(self) -> int:
        return len(self.layers)

    @property
    def min_ms(self) -> float | None:
        return self.spread()[0]

    @property
    def median_ms(self) -> float | None:
        return self.spread()[1]

    @property
    def max_ms(self) -> float | None:
        return self.spread()[2]

    @property
    def total_ms(self) -> float | None:
        return self.spread()[3]

    def spread(
        self, latency: Latency = average_ms
    ) -> tuple[float, float, float, float] | tuple[None, None, None, None]:
        """Least, median, greatest and sum of one time of each layer."""
        known = sorted(self.known_ms(latency))
        if not known:
            return (None, None, None, None)
        return (known[0], median(known), known[-1], math.fsum(known))

    def known_ms(self, latency: Latency = average_ms) -> list[float]:
        """One time of each layer that has it, in milliseconds."""
        return [ms for ms in map(latency, self.times) if ms is not None and math.isfinite(ms)]


@dataclass(frozen=True, slots=True)
class Folded(Layers):
    """The layers of a folded step: the same step of each repetition of a block."""


@dataclass(frozen=True, slots=True)
class Closed(Layers):
    """The layers of a group that is drawn as one node. title, kind: those of the group."""

    title: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class LayerNode:
    """A layer that does work. time: None when the profile has no record for it.

    folded: in a graph of folded blocks, the layers it stands for, of which ``layer`` and ``time`` are the first; else
    None. closed: when the node is a closed group, the layers in it; ``layer`` is then no layer of the engine but made
    up for the group (type ``Group``; its name, what it reads and writes), and ``time`` is None.
    """

    id: int
    layer: Layer
    time: LayerTime | None
    folded: Folded | None = None
    closed: Closed | None = None

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The engine's layers that it stands for."""
        several = self.folded or self.closed
        return (self.layer,) if several is None else several.layers

    @property
    def times(self) -> tuple[LayerTime | None, ...]:
        """Their times, None for each that has none."""
        several = self.folded or self.closed
        return (self.time,) if several is None else several.times

    def ms(self, latency: Latency = average_ms) -> float | None:
        """The time of all layers it stands for, in milliseconds; None when none was measured."""
        several = self.folded or self.closed
        return latency(self.time) if several is None else several.spread(latency)[3]


@dataclass(frozen=True, slots=True)
class MemoryNode:
    """Data that is not one layer's own product.

    kind: ``input`` or ``output`` (a binding of the engine), ``constant`` (a Constant layer's data), ``dangling``
    (read, but nothing in the file writes it), ``merge`` (several writers whose data several readers take: the
    outputs of conditional branches) or ``region`` (what layers hand to layers, when asked for); in a part of a graph
    also ``from`` and ``to``: where a value comes from outside the part, or goes there. tensor: None when no layer
    mentions it. origin: for a dangling tensor, the layer left out of the graph that writes it; for ``from`` and ``to``,
    the layer outside; else "". generation: which of the values that lived under the name, from 0. count: how many
    alike it stands for, in a graph of folded blocks.
    """

    id: int
    kind: str
    name: str
    tensor: Tensor | None
    origin: str = ""
    generation: int = 0
    count: int = 1

    @property
    def is_user(self) -> bool:
        """Classic name: True for the engine's inputs and outputs."""
        return self.kind in ("input", "output")

    @property
    def region_gen(self) -> int:
        """Classic name: ``generation``."""
        return self.generation


Node = LayerNode | MemoryNode


@dataclass(frozen=True, slots=True)
class Edge:
    """Data that flows from one node to another.

    source, target: node ids. tensor: as the reader sees it (as the writer does, for an output of the engine).
    generation: which of the values that lived under the tensor's name, from 0.
    carried: True when the reader comes before the writer, so the value is that of the previous iteration or run.
    loops: True (beside ``carried``) when the value goes from one repetition of a folded block to the next.
    """

    source: int
    target: int
    tensor: Tensor
    generation: int = 0
    carried: bool = False
    loops: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Nodes that belong together, drawn in a frame.

    title: what stands on the frame, such as ``layer1/0``. kind: the grouping that made it (``module``, ``block``,
    ``region`` …). nodes: ids of the nodes that lie directly in it, layers first. parent: position in
    ``PlanGraph.groups`` of the group around it, always a lower one; None for an outermost group.
    """

    title: str
    kind: str
    nodes: tuple[int, ...]
    parent: int | None = None


@dataclass(frozen=True)
class PlanGraph:
    """Nodes with ``nodes[i].id == i``: the plan's layers in execution order first, then memory; and their edges.

    Edges are sorted by reader, and a tensor that one node reads several times is one edge.
    name: the plan's name. generations: the values each tensor name held, in order of execution.
    groups: frames around nodes, those around others first; a graph made of this one (a part, a fold) has none. No data
    flows out of a group and back into it, except what is carried over from the iteration before.
    plan: what it was built from, whole, for what a layer alone does not tell; None where it is not known. lint: what
    the floor of the rules says of that plan, where it has been asked already.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    generations: tuple[Generation, ...] = ()
    name: str = ""
    groups: tuple[Group, ...] = ()
    plan: object | None = field(default=None, compare=False, repr=False)
    lint: object | None = field(default=None, compare=False, repr=False)

    @cached_property
    def layer_nodes(self) -> tuple[LayerNode, ...]:
        return tuple(node for node in self.nodes if isinstance(node, LayerNode))

    @cached_property
    def memory_nodes(self) -> tuple[MemoryNode, ...]:
        return tuple(node for node in self.nodes if isinstance(node, MemoryNode))

    @property
    def edges_list(self) -> tuple[Edge, ...]:
        """Classic name of ``edges``."""
        return self.edges

    @cached_property
    def edges_from(self) -> tuple[tuple[Edge, ...], ...]:
        """Edges that leave each node, by node id."""
        return _by_node(len(self.nodes), self.edges, "source")

    @cached_property
    def edges_into(self) -> tuple[tuple[Edge, ...], ...]:
        """Edges that enter each node, by node id."""
        return _by_node(len(self.nodes), self.edges, "target")

    @cached_property
    def group_of(self) -> tuple[int | None, ...]:
        """Position of the innermost group around each node, by node id; None outside of all."""
        found: list[int | None] = [None] * len(self.nodes)
        for position, group in enumerate(self.groups):
            for node in group.nodes:
                found[node] = position
        return tuple(found)


def _by_node(count: int, edges: tuple[Edge, ...], end: str) -> tuple[tuple[Edge, ...], ...]:
    groups: list[list[Edge]] = [[] for _ in range(count)]
    for edge in edges:
        groups[getattr(edge, end)].append(edge)
    return tuple(map(tuple, groups))

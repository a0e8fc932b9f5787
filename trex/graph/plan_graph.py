"""PlanGraph: layers and memory as nodes, data flow as edges between them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median
from typing import Any

from trex.core.layer import Layer
from trex.core.tensor import Tensor
from trex.core.timings import LayerTime
from trex.plan.generations import Generation

# Kinds of memory nodes between writers and readers.
BETWEEN_KINDS = ("merge", "region")

Latency = Callable[[LayerTime | None], float | None]


def average_ms(time: LayerTime | None) -> float | None:
    """The average time of a record in milliseconds, None when not measured."""
    return None if time is None else time.average_ms


@dataclass(frozen=True, slots=True)
class Layers:
    """The layers of one node, in execution order: those of a closed group, or a step in each repetition of a block.

    times: one per layer, None if not profiled. title, kind: of a closed group.
    """

    layers: tuple[Layer, ...]
    times: tuple[LayerTime | None, ...]
    title: str = ""
    kind: str = ""

    @property
    def count(self) -> int:
        return len(self.layers)

    def spread(
        self, latency: Latency = average_ms
    ) -> tuple[float, float, float, float] | tuple[None, None, None, None]:
        """Minimum, median, maximum and sum of the known times, one per layer; None without any."""
        known = sorted(ms for ms in map(latency, self.times) if ms is not None and math.isfinite(ms))
        if not known:
            return (None, None, None, None)
        return (known[0], median(known), known[-1], math.fsum(known))


@dataclass(frozen=True, slots=True)
class LayerNode:
    """A layer that does work. time: None if not profiled.

    folded: in a graph of folded blocks, the layers of the node; ``layer`` and ``time`` are those of the first. closed:
    the layers of a closed group; ``layer`` is then a summary of the group (type ``Group``, with its name, inputs and
    outputs), and ``time`` is None.
    """

    id: int
    layer: Layer
    time: LayerTime | None
    folded: Layers | None = None
    closed: Layers | None = None

    @property
    def several(self) -> Layers | None:
        """The layers of a folded or closed node."""
        return self.folded or self.closed

    @property
    def layers(self) -> tuple[Layer, ...]:
        """The engine's layers in this node."""
        return (self.layer,) if self.several is None else self.several.layers

    @property
    def times(self) -> tuple[LayerTime | None, ...]:
        """Times of ``layers``, None if not profiled."""
        return (self.time,) if self.several is None else self.several.times

    def ms(self, latency: Latency = average_ms) -> float | None:
        """The time of all its layers, in milliseconds; None if none was measured."""
        return latency(self.time) if self.several is None else self.several.spread(latency)[3]


@dataclass(frozen=True, slots=True)
class MemoryNode:
    """Memory as a node.

    kind: ``input`` or ``output`` (a binding of the engine), ``constant`` (data of a Constant layer), ``dangling`` (read
    but never written in the file), ``merge`` (several writers and several readers, as for the outputs of
    conditional branches), ``region`` (memory between layers, optional); in a subgraph also ``from`` and ``to``, for
    values from and to layers outside. tensor: None if no layer mentions it. origin: for a dangling tensor, its writer
    that is no node of the graph; for ``from`` and ``to``, the layer outside; otherwise "". generation: number of the
    value among those with this name, from 0. count: number of equal nodes it replaces, in a graph of folded blocks.
    """

    id: int
    kind: str
    name: str
    tensor: Tensor | None
    origin: str = ""
    generation: int = 0
    count: int = 1

    def __iter__(self) -> Iterator[Any]:
        """TREx's order: name, tensor, region_gen, is_user."""
        return iter((self.name, self.tensor, self.generation, self.is_user))

    @property
    def is_user(self) -> bool:
        """Classic name: whether it is an input or output of the engine."""
        return self.kind in ("input", "output")

    @property
    def region_gen(self) -> int:
        """Classic name: ``generation``."""
        return self.generation


Node = LayerNode | MemoryNode


@dataclass(frozen=True, slots=True)
class Edge:
    """Data that flows from one node to another.

    source, target: node ids. tensor: as the reader (for an output of the engine, the writer) sees it.
    generation: number of the value among those with the tensor's name, from 0.
    carried: whether the reader precedes the writer, so that it reads the value of the previous iteration or run.
    loops: whether the value goes from one repetition of a folded block to the next (``carried`` is then set as well).
    """

    source: int
    target: int
    tensor: Tensor
    generation: int = 0
    carried: bool = False
    loops: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Nodes in a frame.

    title: of the frame, such as ``layer1/0``. kind: the grouping (``module``, ``block``, ``region`` …). nodes: ids of
    the nodes directly in the group, layers first. parent: index in ``PlanGraph.groups`` of the enclosing group, always
    a smaller one; None for an outermost group.
    """

    title: str
    kind: str
    nodes: tuple[int, ...]
    parent: int | None = None


@dataclass(frozen=True)
class PlanGraph:
    """nodes: the plan's layers in execution order, then memory, with ``nodes[i].id == i``.

    edges: sorted by reader; a tensor that one node reads several times is one edge. name: of the plan. generations: the
    values of each tensor name, in execution order.
    groups: frames around nodes, outer ones first; a subgraph or a folded graph has none. No data flows out of a group
    and back into it, except from the previous iteration.
    plan: the whole plan, None if unknown. lint: the lint result of the plan, if it exists already.
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
        """Index of the innermost group of each node, by node id; None outside groups."""
        groups: list[int | None] = [None] * len(self.nodes)
        for position, group in enumerate(self.groups):
            for node in group.nodes:
                groups[node] = position
        return tuple(groups)

    def with_groups(self, groups: Iterable[Group]) -> PlanGraph:
        return PlanGraph(self.nodes, self.edges, self.generations, self.name, tuple(groups), self.plan, self.lint)


def _by_node(count: int, edges: tuple[Edge, ...], end: str) -> tuple[tuple[Edge, ...], ...]:
    groups: list[list[Edge]] = [[] for _ in range(count)]
    for edge in edges:
        groups[getattr(edge, end)].append(edge)
    return tuple(map(tuple, groups))

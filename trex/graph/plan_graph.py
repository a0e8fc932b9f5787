"""PlanGraph: layers and memory as nodes, data flow as edges between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from trex.core.layer import Layer
from trex.core.tensor import Tensor
from trex.core.timings import LayerTime
from trex.graph.generations import Generation

MEMORY_KINDS = ("input", "output", "constant", "dangling", "merge", "region")
# Kinds of memory that stand between the layers that write it and those that read it.
BETWEEN_KINDS = ("merge", "region")


@dataclass(frozen=True, slots=True)
class LayerNode:
    """A layer that does work. time: None when the profile has no record for it."""

    id: int
    layer: Layer
    time: LayerTime | None


@dataclass(frozen=True, slots=True)
class MemoryNode:
    """Data that is not one layer's own product.

    kind: ``input`` or ``output`` (a binding of the engine), ``constant`` (a Constant layer's data), ``dangling``
    (read, but nothing in the file writes it), ``merge`` (several writers whose data several readers take: the
    outputs of conditional branches) or ``region`` (what layers hand to layers, when asked for). tensor: None when no
    layer mentions it. origin: for a dangling tensor, the layer left out of the graph that writes it; else "".
    generation: which of the values that lived under the name, from 0.
    """

    id: int
    kind: str
    name: str
    tensor: Tensor | None
    origin: str = ""
    generation: int = 0

    @property
    def is_user(self) -> bool:
        """Classic name: True for the engine's inputs and outputs."""
        return self.kind in ("input", "output")


Node = LayerNode | MemoryNode


@dataclass(frozen=True, slots=True)
class Edge:
    """Data that flows from one node to another.

    source, target: node ids. tensor: as the reader sees it (as the writer does, for an output of the engine).
    generation: which of the values that lived under the tensor's name, from 0.
    carried: True when the reader comes before the writer, so the value is that of the previous iteration or run.
    """

    source: int
    target: int
    tensor: Tensor
    generation: int = 0
    carried: bool = False


@dataclass(frozen=True)
class PlanGraph:
    """Nodes with ``nodes[i].id == i``: the plan's layers in execution order first, then memory; and their edges.

    Edges are sorted by reader, and a tensor that one node reads several times is one edge.
    name: the plan's name. generations: the values each tensor name held, in order of execution.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    generations: tuple[Generation, ...] = ()
    name: str = ""

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


def _by_node(count: int, edges: tuple[Edge, ...], end: str) -> tuple[tuple[Edge, ...], ...]:
    groups: list[list[Edge]] = [[] for _ in range(count)]
    for edge in edges:
        groups[getattr(edge, end)].append(edge)
    return tuple(map(tuple, groups))

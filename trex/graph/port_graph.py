"""PortGraph: a PlanGraph with TREx's names, edges between ports, and the regions of memory behind tensor names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from trex.core.layer import Layer
from trex.core.tensor import Tensor
from trex.graph.build import build_graph
from trex.graph.plan_graph import LayerNode, PlanGraph
from trex.plan.engine_plan import EnginePlan
from trex.plan.generations import Generation, generations_of


@dataclass(frozen=True, slots=True)
class PortDesc:
    """One end of an edge: a layer's name, or a tensor's if the end is memory.

    port: index among the layer's inputs or, for a writer, its outputs; None for memory.
    """

    layer_name: str
    port: int | None = None

    def __iter__(self) -> Iterator[Any]:
        """TREx's order: layer_name, port."""
        return iter((self.layer_name, self.port))


@dataclass(frozen=True, slots=True)
class PortEdge:
    """Data that flows from port to port. region_gen: number of the value among those with this name, from 0."""

    src: PortDesc
    dst: PortDesc
    tensor: Tensor
    region_gen: int = 0

    def __iter__(self) -> Iterator[Any]:
        """TREx's order: src, dst, tensor, region_gen."""
        return iter((self.src, self.dst, self.tensor, self.region_gen))


@dataclass(slots=True)
class RegionGeneration:
    """One value in a region. is_user: whether it is an input or output of the engine."""

    tensor: Tensor
    id: int
    is_user: bool = False
    is_forked: bool = False
    writers: list[PortDesc] = field(default_factory=list)
    readers: list[PortDesc] = field(default_factory=list)

    def add_writer(self, layer_name: str, port: int) -> None:
        self.writers.append(PortDesc(layer_name, port))

    def add_reader(self, layer_name: str, port: int) -> None:
        self.readers.append(PortDesc(layer_name, port))
        self.is_forked = len(self.readers) > 1


@dataclass(slots=True)
class Region:
    """The memory behind a tensor name: its consecutive values."""

    name: str
    generations: list[RegionGeneration] = field(default_factory=list)

    def add_generation(self, tensor: Tensor, is_user: bool = False) -> RegionGeneration:
        """Adds a value without writers and readers."""
        generation = RegionGeneration(tensor, len(self.generations), is_user)
        self.generations.append(generation)
        return generation

    def add_writer(self, generation_id: int, layer_name: str, port: int) -> None:
        self.generations[generation_id].add_writer(layer_name, port)

    def add_reader(self, generation_id: int, layer_name: str, port: int) -> None:
        self.generations[generation_id].add_reader(layer_name, port)

    def nb_generations(self) -> int:
        return len(self.generations)

    def writers(self, generation_id: int | None = None) -> list[PortDesc]:
        """The writers of one generation, or of all."""
        return [port for generation in self._selected(generation_id) for port in generation.writers]

    def readers(self, generation_id: int | None = None) -> list[PortDesc]:
        """The readers of one generation, or of all."""
        return [port for generation in self._selected(generation_id) for port in generation.readers]

    def is_placeholder(self) -> bool:
        """Whether no layer writes it."""
        return not any(generation.writers for generation in self.generations)

    def _selected(self, generation_id: int | None) -> Sequence[RegionGeneration]:
        return self.generations if generation_id is None else [self.generations[generation_id]]


def regions_of(
    layers: Sequence[Layer], bindings: Iterable[str], generations: Iterable[Generation] | None = None
) -> tuple[Region, ...]:
    """The regions of these layers, in order of first appearance; linear.

    bindings: names of the engine's inputs and outputs. generations: computed if None. A carried reader is a reader of
    its generation.
    """
    user = frozenset(bindings)
    reads, writes = _ports(layers, "inputs"), _ports(layers, "outputs")
    regions: dict[str, Region] = {}
    for value in generations_of(layers, user) if generations is None else generations:
        name = value.name
        generation = regions.setdefault(name, Region(name)).add_generation(value.tensor, name in user)
        for position in value.writers:
            generation.add_writer(layers[position].name, writes[position, name])
        for position in sorted({*value.readers, *value.carried_readers}):
            generation.add_reader(layers[position].name, reads[position, name])
    return tuple(regions.values())


def port_edges(graph: PlanGraph) -> tuple[PortEdge, ...]:
    """The graph's edges as PortEdges, in the same order."""
    layers = [node.layer for node in graph.layer_nodes]
    reads, writes = _ports(layers, "inputs"), _ports(layers, "outputs")

    def end(node_id: int, name: str, ports: dict[tuple[int, str], int]) -> PortDesc:
        node = graph.nodes[node_id]
        if isinstance(node, LayerNode):
            return PortDesc(node.layer.name, ports.get((node_id, name)))
        return PortDesc(node.name)

    return tuple(
        PortEdge(
            end(edge.source, edge.tensor.name, writes),
            end(edge.target, edge.tensor.name, reads),
            edge.tensor,
            edge.generation,
        )
        for edge in graph.edges
    )


def _ports(layers: Sequence[Layer], side: str) -> dict[tuple[int, str], int]:
    """{(position of a layer, tensor name): its first port}."""
    ports: dict[tuple[int, str], int] = {}
    for position, layer in enumerate(layers):
        for port, tensor in enumerate(getattr(layer, side)):
            ports.setdefault((position, tensor.name), port)
    return ports


class PortGraph(PlanGraph):
    """The data flow of a plan.

    include_regions: whether memory between layers is a node; include_forking_regions: only if several layers read it.
    include_constants: whether data of Constant layers are nodes.
    """

    def __init__(
        self,
        plan: EnginePlan,
        include_regions: bool = False,
        include_constants: bool = False,
        include_forking_regions: bool = False,
    ) -> None:
        graph = build_graph(
            plan,
            include_constants,
            include_regions=include_regions,
            include_forking_regions=include_forking_regions,
        )
        super().__init__(graph.nodes, graph.edges, graph.generations, graph.name)
        vars(self).update(
            include_regions=include_regions,
            include_constants=include_constants,
            include_forking_regions=include_forking_regions,
            bindings=tuple(binding.name for binding in plan.engine.bindings),
        )

    include_regions: bool
    include_constants: bool
    include_forking_regions: bool
    bindings: tuple[str, ...]

    @cached_property
    def regions(self) -> tuple[Region, ...]:
        """The memory behind every tensor name, in order of first use."""
        return regions_of([node.layer for node in self.layer_nodes], self.bindings, self.generations)

    @cached_property
    def edges_list(self) -> tuple[PortEdge, ...]:  # type: ignore[override]
        """The edges with their ends by name and port."""
        return port_edges(self)

    def should_include_region(self, region: Region, generation: RegionGeneration, is_constant: bool) -> bool:
        """Whether a value is a node of this graph: inputs and outputs always, others by the options."""
        if is_constant:
            return self.include_constants
        if generation.is_user or self.include_regions:
            return True
        return self.include_forking_regions and generation.is_forked

"""Generations → Regions: the memory behind each tensor name, its users as (layer, port), under TREx's names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from trex.core.layer import Layer
from trex.core.tensor import Tensor
from trex.graph.plan_graph import LayerNode, PlanGraph
from trex.plan.generations import Generation, generations_of


@dataclass(frozen=True, slots=True)
class PortDesc:
    """One end of an edge: a layer's name, or a tensor's where the end is memory (port None).

    port: place among the layer's inputs or, for a writer, its outputs; None when the end has no ports.
    """

    layer_name: str
    port: int | None = None


@dataclass(frozen=True, slots=True)
class PortEdge:
    """Data that flows from port to port. region_gen: which value under the tensor's name, from 0."""

    src: PortDesc
    dst: PortDesc
    tensor: Tensor
    region_gen: int = 0


@dataclass(slots=True)
class RegionGeneration:
    """One value that lived in a region. is_user: it is an input or output of the engine."""

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
    """The memory behind a tensor name, as the values that it held one after the other.

    is_placeholder: no layer writes it, so its data comes from outside.
    """

    name: str
    generations: list[RegionGeneration] = field(default_factory=list)

    def add_generation(self, tensor: Tensor, is_user: bool = False) -> RegionGeneration:
        """Starts a new value, which later writers and readers belong to."""
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
        """Who writes one generation, or any of them."""
        return [port for each in self._chosen(generation_id) for port in each.writers]

    def readers(self, generation_id: int | None = None) -> list[PortDesc]:
        """Who reads one generation, or any of them."""
        return [port for each in self._chosen(generation_id) for port in each.readers]

    def is_placeholder(self) -> bool:
        return not any(generation.writers for generation in self.generations)

    def _chosen(self, generation_id: int | None) -> Sequence[RegionGeneration]:
        return self.generations if generation_id is None else [self.generations[generation_id]]


def regions_of(
    layers: Sequence[Layer], bindings: Iterable[str], generations: Iterable[Generation] | None = None
) -> tuple[Region, ...]:
    """The regions of these layers, in order of first appearance; linear.

    bindings: names of the engine's inputs and outputs. generations: as found before, else found here. A reader of
    the previous iteration's value is a reader of the generation that carries it.
    """
    user = frozenset(bindings)
    reads, writes = _ports(layers, "inputs"), _ports(layers, "outputs")
    regions: dict[str, Region] = {}
    for found in generations_of(layers, user) if generations is None else generations:
        region = regions.get(found.name)
        if region is None:
            region = regions[found.name] = Region(found.name)
        generation = region.add_generation(found.tensor, found.name in user)
        for position in found.writers:
            generation.add_writer(layers[position].name, writes[position, found.name])
        for position in sorted({*found.readers, *found.carried_readers}):
            generation.add_reader(layers[position].name, reads[position, found.name])
    return tuple(regions.values())


def port_edges(graph: PlanGraph) -> tuple[PortEdge, ...]:
    """The graph's edges with their ends by name and port, in the same order."""
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
    """(position of a layer, tensor name) → the first port where it stands."""
    ports: dict[tuple[int, str], int] = {}
    for position, layer in enumerate(layers):
        for port, tensor in enumerate(getattr(layer, side)):
            ports.setdefault((position, tensor.name), port)
    return ports

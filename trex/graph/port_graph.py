"""PortGraph: a PlanGraph as users of TREx know it, with edges between ports and the regions behind the tensors."""

from __future__ import annotations

from functools import cached_property

from trex.graph.build import DrawablePlan, build_graph
from trex.graph.plan_graph import PlanGraph
from trex.graph.regions import PortEdge, Region, RegionGeneration, port_edges, regions_of


class PortGraph(PlanGraph):
    """The data flow of a plan.

    include_regions: memory between layers as nodes; include_forking_regions: only what several layers read.
    include_constants: Constant layers' data as nodes.
    """

    def __init__(
        self,
        plan: DrawablePlan,
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

    @property
    def edges_list(self) -> tuple[PortEdge, ...]:  # type: ignore[override]
        """The edges with their ends by name and port."""
        return self._port_edges

    @cached_property
    def _port_edges(self) -> tuple[PortEdge, ...]:
        return port_edges(self)

    def should_include_region(self, region: Region, generation: RegionGeneration, is_constant: bool) -> bool:
        """Whether a value is a node of this graph: inputs and outputs always, the others when asked for."""
        if is_constant:
            return self.include_constants
        if generation.is_user or self.include_regions:
            return True
        return self.include_forking_regions and generation.is_forked

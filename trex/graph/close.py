"""PlanGraph with groups → graph in which each closed group is one node, with its layers and times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from trex.core.data_type import DataType
from trex.core.layer import NO_PRECISION, Layer, NameParts, Precision, Role
from trex.core.tensor import Tensor
from trex.graph.flow_order import flow_order
from trex.graph.module_steps import module_steps, shared_steps
from trex.graph.plan_graph import Edge, Group, LayerNode, Layers, MemoryNode, Node, PlanGraph
from trex.plan.generations import Generation

CLOSED_TYPE = "Group"


def close_groups(graph: PlanGraph, closing: Iterable[int]) -> PlanGraph:
    """The graph with each group of ``closing`` (indexes in ``graph.groups``) as one node; linear.

    Edges and memory within a closed group disappear. Layers and closed groups are ordered along the data flow; other
    groups stay. Returns the same graph if no group is closed.
    """
    outermost: list[int | None] = []
    wanted = set(closing)
    for position, group in enumerate(graph.groups):
        around = None if group.parent is None else outermost[group.parent]
        outermost.append(position if around is None and position in wanted else around)
    if all(closed is None for closed in outermost):
        return graph
    return _Closing(graph, outermost).closed()


class _Closing:
    def __init__(self, graph: PlanGraph, outermost: Sequence[int | None]) -> None:
        self.graph, self.outermost = graph, outermost
        # For each node: its id, or that of its closed group, which follow the last node's.
        self.replacement = list(range(len(graph.nodes)))
        self.members: dict[int, list[LayerNode]] = {}
        for node in graph.nodes:
            group = graph.group_of[node.id]
            closed = None if group is None else outermost[group]
            if closed is None:
                continue
            self.replacement[node.id] = len(graph.nodes) + closed
            if isinstance(node, LayerNode):
                self.members.setdefault(len(graph.nodes) + closed, []).append(node)

    def closed(self) -> PlanGraph:
        edges = self._edges()
        nodes: dict[int, Node] = {node.id: node for node in self.graph.nodes if self.replacement[node.id] == node.id}
        into: dict[int, list[Edge]] = {}
        out_of: dict[int, list[Edge]] = {}
        for edge in edges:
            into.setdefault(edge.target, []).append(edge)
            out_of.setdefault(edge.source, []).append(edge)
        for number in self.members:
            nodes[number] = self._node(number, into.get(number, ()), out_of.get(number, ()))
        new = {old: number for number, old in enumerate(self._order(nodes, edges))}
        moved = [replace(edge, source=new[edge.source], target=new[edge.target]) for edge in edges]
        moved.sort(key=lambda edge: edge.target)
        return PlanGraph(
            tuple([replace(nodes[old], id=number) for old, number in new.items()]),
            tuple(moved),
            tuple(self._generations(new)),
            self.graph.name,
            tuple(self._groups(new)),
            self.graph.plan,
            self.graph.lint,
        )

    def _edges(self) -> list[Edge]:
        """The edges with replaced ends; a value that several layers of a closed group read or write is one edge."""
        edges: dict[tuple[int, int, str, int, bool], Edge] = {}
        for edge in self.graph.edges:
            source, target = self.replacement[edge.source], self.replacement[edge.target]
            if source == edge.source and target == edge.target:
                edges[source, target, edge.tensor.name, edge.generation, edge.carried] = edge
            elif source != target:
                key = (source, target, edge.tensor.name, edge.generation, edge.carried)
                edges.setdefault(key, replace(edge, source=source, target=target))
        return list(edges.values())

    def _order(self, nodes: dict[int, Node], edges: Sequence[Edge]) -> list[int]:
        """Layers and closed groups in topological, then execution order; then memory. Cycles are in execution order."""
        rank = {number: self.members[number][0].id if number in self.members else number for number in nodes}
        # Memory propagates the order without a rank of its own.
        rank |= {node.id: -1 for node in self.graph.memory_nodes if node.id in nodes}
        ordered = flow_order(rank, [(edge.source, edge.target) for edge in edges if not edge.carried])
        layers = [number for number in ordered if isinstance(nodes[number], LayerNode)]
        return layers + sorted(number for number in ordered if isinstance(nodes[number], MemoryNode))

    # ------------------------------------------------------------------------------------------------------- nodes

    def _node(self, number: int, into: Sequence[Edge], out_of: Sequence[Edge]) -> LayerNode:
        group = self.graph.groups[number - len(self.graph.nodes)]
        members = self.members[number]
        pairs = [pair for node in members for pair in zip(node.layers, node.times)]
        pairs.sort(key=lambda pair: pair[0].index)
        layers, times = tuple([layer for layer, _ in pairs]), tuple([time for _, time in pairs])
        closed = Layers(layers, times, group.title, group.kind)
        return LayerNode(number, _group_layer(closed, _read(into), _written(out_of)), None, closed=closed)

    def _groups(self, new: dict[int, int]) -> Iterable[Group]:
        nodes: dict[int, list[int]] = {}
        new_positions: dict[int, int] = {}
        for position, group in enumerate(self.graph.groups):
            closed = self.outermost[position]
            if closed is None:
                new_positions[position] = len(new_positions)
                nodes[position] = [new[node] for node in group.nodes if node in new]
            elif closed == position and group.parent is not None:
                # A group without layers disappears.
                number = len(self.graph.nodes) + position
                nodes[group.parent] += [new[number]] if number in new else []
        for position in new_positions:
            group = self.graph.groups[position]
            parent = None if group.parent is None else new_positions[group.parent]
            yield replace(group, nodes=tuple(sorted(nodes[position])), parent=parent)

    def _generations(self, new: dict[int, int]) -> Iterable[Generation]:
        def moved(ids: Iterable[int]) -> tuple[int, ...]:
            replaced = (self.replacement[number] for number in ids)
            return tuple(dict.fromkeys([new[number] for number in replaced if number in new]))

        for generation in self.graph.generations:
            writers, readers = moved(generation.writers), moved(generation.readers)
            carried = moved(generation.carried_readers)
            if writers or readers or carried:
                yield replace(generation, writers=writers, readers=readers, carried_readers=carried)


# ------------------------------------------------------------------------------------------ the layer of a closed group


def _read(edges: Iterable[Edge]) -> Iterable[Tensor]:
    return {(edge.source, edge.tensor.name, edge.generation): edge.tensor for edge in edges}.values()


def _written(edges: Iterable[Edge]) -> Iterable[Tensor]:
    return {(edge.tensor.name, edge.generation): edge.tensor for edge in edges}.values()


def _group_layer(closed: Layers, inputs: Iterable[Tensor], outputs: Iterable[Tensor]) -> Layer:
    """A layer with the common attributes of a group's layers; it has no record of its own."""
    layers = closed.layers
    first = layers[0]
    streams = {layer.stream for layer in layers}
    known = [module_steps(layer.module) for layer in layers if layer.module]
    return Layer(
        index=first.index,
        name=closed.title,
        occurrence=0,
        type=CLOSED_TYPE,
        subtype=closed.kind,
        role=Role.KERNEL,
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        weights=tuple([stored for layer in layers for stored in layer.weights]),
        compute=_precision(layers),
        tactic="",
        tactic_value=None,
        stream=streams.pop() if len(streams) == 1 else None,
        profile=first.profile,
        origins=(),
        name_parts=NameParts((closed.title,)),
        module="/" + "/".join(shared_steps(known)) if known else "",
        raw={},
    )


def _precision(layers: Sequence[Layer]) -> Precision:
    """The common precision of the layers with a known one; unknown if they differ."""
    known = Counter(layer.compute.data_type for layer in layers if layer.compute.data_type.is_known)
    if not known:
        return NO_PRECISION
    if len(known) == 1:
        data_type, count = known.popitem()
        return Precision(data_type, 1.0, f"{count:,} of {len(layers):,} layers in the group")
    words = ", ".join(f"{data_type.label} ×{count:,}" for data_type, count in known.most_common())
    return Precision(DataType.UNKNOWN, 0.0, f"several in the group: {words}")

"""PlanGraph and a Selection → the selected subgraph, with stubs at its cut edges; linear in the graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import isfinite

from trex.core.errors import TrexError
from trex.core.layer import Layer, Role
from trex.core.near_names import did_you_mean
from trex.core.options import count, option
from trex.graph.find import find_node, find_pattern, find_tensor, name_of, short_name, split_pair, split_radius
from trex.graph.plan_graph import Edge, Latency, LayerNode, PlanGraph, average_ms
from trex.graph.subgraph import renumbered, subgraph


@dataclass(frozen=True, slots=True)
class Selection:
    """Conditions that selected nodes must all meet; ``hottest`` selects among the matching nodes.

    Empty texts, a negative ``stream`` and a ``hottest`` of 0 are no conditions.
    query: a regular expression, searched in names, metadata (including the origins) and types (including subtypes).
    beam: (node, radius) or ``NODE,RADIUS``: the nodes within ``radius`` steps of a node, along the data flow or
    against it.
    between: two nodes, or ``A,B``: all nodes on data flow paths from one to the other, or back if there are none;
    values of the previous iteration count only if there is no other path.
    hottest: this number of layers with the largest times; with ``neighbors``, adjacent layers as well.
    module: layers in the module or below it: ``/layer1`` contains ``/layer1/0/conv1``, but not ``/layer10``.
    stream: layers on this stream.
    tensor: writers and readers of the tensor and, beyond reformats and NoOps, the layers that wrote what was copied and
    that read the copies.
    A node is given by any word of ``find_node``, a tensor by one of ``find_tensor``. Raises TrexError for ``neighbors``
    without ``hottest``.
    """

    query: str = option("", "only layers in which this regular expression is found", flags=("-q",), metavar="REGEX")
    beam: str | tuple[str | int, int] = option(
        "",
        "only what is within RADIUS steps of a layer (name, operator or index)",
        flags=("-b",),
        metavar="NODE,RADIUS",
    )
    between: str | tuple[str | int, str | int] = option(
        "", "only what data flows through from layer A to layer B", metavar="A,B"
    )
    hottest: int = option(0, "only the N layers that take the most time", metavar="N", convert=count)
    neighbors: bool = option(False, "with --hottest: also the layers next to them")
    module: str = option("", "only the layers of this module: /layer1/0", metavar="PATH")
    stream: int = option(-1, "only the layers on this stream", metavar="N", convert=count)
    tensor: str = option("", "only what writes and reads this tensor, also through copies of it", metavar="NAME")

    def __post_init__(self) -> None:
        if self.neighbors and not self.hottest:
            raise TrexError("neighbors goes with hottest", "for example: --hottest 5 --neighbors")

    @property
    def has_conditions(self) -> bool:
        """Whether there is any condition."""
        texts = (self.query, self.beam, self.between, self.module, self.tensor)
        return any(texts) or self.hottest > 0 or self.stream >= 0


def select(graph: PlanGraph, selection: Selection, latency: Latency = average_ms) -> PlanGraph:
    """The subgraph of the selected nodes; the same graph without conditions.

    Raises TrexError for unknown names, and if no node is left.
    """
    if not selection.has_conditions:
        return graph
    kept: set[int] | None = None
    for nodes in _matches(graph, selection):
        kept = nodes if kept is None else kept & nodes
    if kept is not None and not kept:
        raise TrexError("no layer matches all conditions, although each matches some", "remove one of the conditions")
    if selection.hottest > 0:
        kept = _hottest(graph, selection.hottest, latency, selection.neighbors, kept)
    return subgraph(graph, kept or ())


def _matches(graph: PlanGraph, selection: Selection) -> Iterator[set[int]]:
    if selection.module:
        yield _module(graph, selection.module)
    if selection.stream >= 0:
        yield _stream(graph, selection.stream)
    if selection.query:
        yield _matching(graph, selection.query)
    if selection.tensor:
        yield _tensor_path(graph, selection.tensor)
    if selection.between:
        ends = selection.between
        if isinstance(ends, str):
            yield _on_paths(graph, *split_pair(ends, graph))
        else:
            yield _on_paths(graph, *(find_node(graph, str(end)) for end in ends))
    if selection.beam:
        beam = selection.beam
        yield _around(graph, *(split_radius(beam) if isinstance(beam, str) else beam))


def without_disconnected(graph: PlanGraph) -> PlanGraph:
    """The graph without nodes that no edge touches."""
    touched = {edge.source for edge in graph.edges} | {edge.target for edge in graph.edges}
    if len(touched) == len(graph.nodes):
        return graph
    return renumbered(graph, [node for node in graph.nodes if node.id in touched], graph.edges)


def _around(graph: PlanGraph, node: str | int, radius: int) -> set[int]:
    reached = {find_node(graph, str(node))}
    frontier = list(reached)
    for _ in range(radius):
        beyond = []
        for near in frontier:
            for far in _touching(graph, near):
                if far not in reached:
                    reached.add(far)
                    beyond.append(far)
        if not beyond:
            break
        frontier = beyond
    return reached


def _touching(graph: PlanGraph, node: int) -> Iterator[int]:
    for edge in graph.edges_from[node]:
        yield edge.target
    for edge in graph.edges_into[node]:
        yield edge.source


def _matching(graph: PlanGraph, pattern: str) -> set[int]:
    search = find_pattern(pattern)
    nodes = set[int]()
    for node in graph.layer_nodes:
        layer = node.layer
        if any(map(search, (layer.name, layer.type, layer.subtype, *layer.origins, layer.metadata))):
            nodes.add(node.id)
    if not nodes:
        raise TrexError(
            f"no layer's name, metadata or type matches {pattern!r}",
            "the search is case-sensitive; start the pattern with (?i) to ignore case",
        )
    return nodes


def _on_paths(graph: PlanGraph, a: int, b: int) -> set[int]:
    for carried in (False, True):
        for start, end in ((a, b), (b, a)):
            onward = _reached(start, graph.edges_from, "target", carried)
            if end in onward:
                return onward & _reached(end, graph.edges_into, "source", carried)
    raise TrexError(
        f"no data flows between {_title(graph, a)} and {_title(graph, b)}",
        "--beam NODE,RADIUS shows the neighbors of each",
    )


def _title(graph: PlanGraph, node: int) -> str:
    return short_name(name_of(graph.nodes[node]))


def _reached(start: int, edges: tuple[tuple[Edge, ...], ...], end: str, carried: bool) -> set[int]:
    reached, waiting = {start}, [start]
    while waiting:
        for edge in edges[waiting.pop()]:
            far = getattr(edge, end)
            if far not in reached and (carried or not edge.carried):
                reached.add(far)
                waiting.append(far)
    return reached


def _hottest(graph: PlanGraph, count: int, latency: Latency, neighbors: bool, among: set[int] | None) -> set[int]:
    timed = []
    for node in graph.layer_nodes:
        ms = node.ms(latency)
        if ms is not None and isfinite(ms) and (among is None or node.id in among):
            timed.append((-ms, node.id))
    if not timed:
        raise TrexError(
            "can't select the hottest layers: no layer has a time", "measure: trex doctor PATH explains how"
        )
    timed.sort()
    nodes = {number for _, number in timed[:count]}
    if neighbors:
        nodes |= {
            far for near in tuple(nodes) for far in _touching(graph, near) if isinstance(graph.nodes[far], LayerNode)
        }
    return nodes


def _module(graph: PlanGraph, module: str) -> set[int]:
    wanted = _steps(module)
    if not wanted:
        raise TrexError(f"{module!r} is not a module", "for example: --module /layer1/0")
    nodes = {node.id for node in graph.layer_nodes if _steps(node.layer.module)[: len(wanted)] == wanted}
    if not nodes:
        known = dict.fromkeys(prefix for node in graph.layer_nodes for prefix in _prefixes(node.layer.module))
        otherwise = f"the modules here: {', '.join(list(known)[:8])}" if known else "the layers have no modules"
        raise TrexError(f"there is no module {module!r}", did_you_mean(module, known, otherwise))
    return nodes


def _steps(module: str) -> list[str]:
    return [step for step in module.split("/") if step]


def _prefixes(module: str) -> Iterator[str]:
    path = ""
    # Deeper modules are too many for an error message.
    for step in _steps(module)[:6]:
        path += f"/{step}"
        yield path


def _stream(graph: PlanGraph, stream: int) -> set[int]:
    nodes = {node.id for node in graph.layer_nodes if node.layer.stream == stream}
    if not nodes:
        known = sorted({node.layer.stream for node in graph.layer_nodes if node.layer.stream is not None})
        listed = ", ".join(map(str, known[:20]))
        raise TrexError(
            f"no layer runs on stream {stream}",
            f"the streams here: {listed}"
            if known
            else "the file contains no streams: TensorRT 10 and later write them",
        )
    return nodes


def is_copy(layer: Layer) -> bool:
    """Whether a layer only moves or renames data: reformats and NoOps."""
    return layer.role is Role.NOOP or "reformat" in layer.type.lower()


def _tensor_path(graph: PlanGraph, tensor: str) -> set[int]:
    name = find_tensor(graph, tensor)
    carrying = [edge for edge in graph.edges if edge.tensor.name == name]
    nodes = {edge.source for edge in carrying} | {edge.target for edge in carrying}
    _follow(graph, (edge.target for edge in carrying), graph.edges_from, "target", nodes)
    _follow(graph, (edge.source for edge in carrying), graph.edges_into, "source", nodes)
    return nodes


def _follow(
    graph: PlanGraph, starts: Iterable[int], edges: tuple[tuple[Edge, ...], ...], end: str, nodes: set[int]
) -> None:
    """Adds the nodes beyond copies to ``nodes``."""
    waiting, seen = list(starts), set[int]()
    while waiting:
        near = waiting.pop()
        node = graph.nodes[near]
        passes = is_copy(node.layer) if isinstance(node, LayerNode) else node.kind == "merge"
        if near in seen or not passes:
            continue
        seen.add(near)
        for edge in edges[near]:
            far = getattr(edge, end)
            nodes.add(far)
            waiting.append(far)

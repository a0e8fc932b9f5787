"""PlanGraph → a smaller PlanGraph: the part of it that one question is about.

Every selection returns a new graph whose cut edges end in stubs (``part.part_of``); all are linear in the graph.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import isfinite

from trex.core.errors import TrexError
from trex.core.layer import Layer, Role
from trex.core.near_names import did_you_mean
from trex.graph.find import find_node, find_tensor, split_pair
from trex.graph.part import part_of, renumbered
from trex.graph.plan_graph import Edge, Latency, LayerNode, MemoryNode, PlanGraph, average_ms

QUERY_FIELDS = ("any", "name", "metadata", "type")


@dataclass(frozen=True, slots=True)
class Selection:
    """Several questions at once: a node is kept when each that is asked keeps it; ``hottest`` chooses among those.

    An empty word, a negative ``stream`` and a ``hottest`` of 0 ask nothing. beam: (node, radius). between: two
    nodes, or ``A,B``. query: a regular expression, searched in ``query_in``.
    """

    beam: tuple[str, int] | None = None
    between: str | tuple[str | int, str | int] | None = None
    query: str = ""
    query_in: str = "any"
    module: str = ""
    stream: int = -1
    tensor: str = ""
    hottest: int = 0
    neighbors: bool = False

    @property
    def asks(self) -> bool:
        """True when anything is asked."""
        return self != Selection(query_in=self.query_in, neighbors=self.neighbors)


def select(graph: PlanGraph, selection: Selection, latency: Latency = average_ms, stubs: bool = True) -> PlanGraph:
    """The part of the graph that everything in ``selection`` agrees on; the graph itself when it asks nothing.

    Raises TrexError for a word that names nothing here, and when nothing is left.
    """
    if not selection.asks:
        return graph
    kept: set[int] | None = None
    for found in _answers(graph, selection):
        kept = found if kept is None else kept & found
    if kept is not None and not kept:
        raise TrexError(
            "each of the selections keeps something, but none keeps the same layer", "leave one of them out"
        )
    if selection.hottest > 0:
        kept = _hottest(graph, selection.hottest, latency, selection.neighbors, kept)
    return part_of(graph, kept or (), stubs)


def _answers(graph: PlanGraph, selection: Selection) -> Iterator[set[int]]:
    if selection.module:
        yield _module(graph, selection.module)
    if selection.stream >= 0:
        yield _stream(graph, selection.stream)
    if selection.query:
        yield _matching(graph, selection.query, selection.query_in)
    if selection.tensor:
        yield _tensor_path(graph, selection.tensor)
    if selection.between is not None:
        ends = selection.between
        yield _between(graph, *ends) if isinstance(ends, tuple) else _on_paths(graph, *split_pair(ends, graph))
    if selection.beam is not None:
        yield _around(graph, *selection.beam)


def around(graph: PlanGraph, node: str | int, radius: int, stubs: bool = True) -> PlanGraph:
    """What can be reached from a node in at most ``radius`` steps, along the data or against it.

    node: a name, a part of one name only, or a layer's index (see ``find.find_node``). Raises TrexError.
    """
    return part_of(graph, _around(graph, node, radius), stubs)


def matching(graph: PlanGraph, pattern: str, where: str = "any", stubs: bool = True) -> PlanGraph:
    """The layers in which a regular expression is found.

    where: ``name``, ``metadata`` (also the origins taken from it), ``type`` (also the subtype), or ``any`` of them.
    Raises TrexError for a pattern that is none, and when no layer matches.
    """
    return part_of(graph, _matching(graph, pattern, where), stubs)


def between(graph: PlanGraph, first: str | int, second: str | int, stubs: bool = True) -> PlanGraph:
    """All nodes on some path along the data from ``first`` to ``second``, both included; or back, if none leads there.

    Values carried over from the iteration before are followed only when nothing else connects the two.
    Raises TrexError when no path does.
    """
    return part_of(graph, _between(graph, first, second), stubs)


def hottest(
    graph: PlanGraph, count: int, latency: Latency = average_ms, neighbors: bool = False, stubs: bool = True
) -> PlanGraph:
    """The ``count`` layers that take the most time. neighbors: also the layers next to them.

    Raises TrexError when no layer has a time.
    """
    return part_of(graph, _hottest(graph, count, latency, neighbors, None), stubs)


def in_module(graph: PlanGraph, module: str, stubs: bool = True) -> PlanGraph:
    """The layers of a module and of those in it: ``/layer1`` has ``/layer1/0/conv1``, not ``/layer10``.

    Raises TrexError, with the modules that come near, when there are none.
    """
    return part_of(graph, _module(graph, module), stubs)


def on_stream(graph: PlanGraph, stream: int, stubs: bool = True) -> PlanGraph:
    """The layers that run on one stream. Raises TrexError, with the streams there are, when none does."""
    return part_of(graph, _stream(graph, stream), stubs)


def tensor_path(graph: PlanGraph, tensor: str, stubs: bool = True) -> PlanGraph:
    """Where a tensor comes from and goes to: its writers and readers, and beyond copies (reformats, NoOps) the layers
    that made what was copied and that read the copies.

    tensor: its name, or a part of no other's. Raises TrexError for a name that no drawn tensor carries.
    """
    return part_of(graph, _tensor_path(graph, tensor), stubs)


def without_disconnected(graph: PlanGraph) -> PlanGraph:
    """The graph without nodes that no edge touches."""
    touched = {edge.source for edge in graph.edges} | {edge.target for edge in graph.edges}
    if len(touched) == len(graph.nodes):
        return graph
    return renumbered(graph, [node for node in graph.nodes if node.id in touched], graph.edges)


# ---------------------------------------------------------------------------------------------------------- which nodes


def _resolved(graph: PlanGraph, node: str | int) -> int:
    return find_node(graph, str(node))


def _around(graph: PlanGraph, node: str | int, radius: int) -> set[int]:
    reached = {_resolved(graph, node)}
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


def _matching(graph: PlanGraph, pattern: str, where: str) -> set[int]:
    if where not in QUERY_FIELDS:
        raise TrexError(f"{where!r} is nothing to search in", f"one of {', '.join(QUERY_FIELDS)}")
    try:
        search = re.compile(pattern).search
    except (re.error, OverflowError, RecursionError) as error:
        raise TrexError(
            f"not a regular expression: {error}", "write \\ before ( ) [ ] { } + * ? . | that stand for themselves",
            excerpt=pattern,
        ) from error  # fmt: skip
    found = {node.id for node in graph.layer_nodes if any(map(search, _texts(node.layer, where)))}
    if not found:
        raise TrexError(
            f"no layer's {'name, metadata or type' if where == 'any' else where} matches {pattern!r}",
            "letters are taken as written; (?i) in front takes them in any case",
        )
    return found


def _texts(layer: Layer, where: str) -> Iterator[str]:
    if where in ("any", "name"):
        yield layer.name
    if where in ("any", "type"):
        yield layer.type
        yield layer.subtype
    if where in ("any", "metadata"):
        yield from layer.origins
        yield layer.metadata


def _between(graph: PlanGraph, first: str | int, second: str | int) -> set[int]:
    return _on_paths(graph, _resolved(graph, first), _resolved(graph, second))


def _on_paths(graph: PlanGraph, a: int, b: int) -> set[int]:
    for carried in (False, True):
        for start, end in ((a, b), (b, a)):
            onward = _reached(start, graph.edges_from, "target", carried)
            if end in onward:
                return onward & _reached(end, graph.edges_into, "source", carried)
    raise TrexError(
        f"no data flows between {_title(graph, a)} and {_title(graph, b)}",
        "--beam NODE,RADIUS shows what is around each of them",
    )


def _title(graph: PlanGraph, node: int) -> str:
    there = graph.nodes[node]
    name = there.layer.name if isinstance(there, LayerNode) else there.name
    return name if len(name) <= 80 else f"{name[:40]}…{name[-40:]}"


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
        raise TrexError("no layer has a time, so none is the hottest", "measure: trex doctor PATH says how")
    timed.sort()
    found = {number for _, number in timed[:count]}
    if neighbors:
        found |= {
            far for near in tuple(found) for far in _touching(graph, near) if isinstance(graph.nodes[far], LayerNode)
        }
    return found


def _module(graph: PlanGraph, module: str) -> set[int]:
    wanted = _steps(module)
    if not wanted:
        raise TrexError(f"{module!r} names no module", "for example: --module /layer1/0")
    found = {node.id for node in graph.layer_nodes if _steps(node.layer.module)[: len(wanted)] == wanted}
    if not found:
        known = dict.fromkeys(prefix for node in graph.layer_nodes for prefix in _prefixes(node.layer.module))
        otherwise = f"the modules here: {', '.join(list(known)[:8])}" if known else "the names here tell no modules"
        raise TrexError(f"there is no module {module!r}", did_you_mean(module, known, otherwise))
    return found


def _steps(module: str) -> list[str]:
    return [step for step in module.split("/") if step]


def _prefixes(module: str) -> Iterator[str]:
    path = ""
    # Deeper modules are too many to be named in an error.
    for step in _steps(module)[:6]:
        path += f"/{step}"
        yield path


def _stream(graph: PlanGraph, stream: int) -> set[int]:
    found = {node.id for node in graph.layer_nodes if node.layer.stream == stream}
    if not found:
        known = sorted({node.layer.stream for node in graph.layer_nodes if node.layer.stream is not None})
        listed = ", ".join(map(str, known[:20]))
        raise TrexError(
            f"no layer runs on stream {stream}",
            f"the streams here: {listed}" if known else "the file tells no streams: TensorRT 10 and later write them",
        )
    return found


def is_copy(layer: Layer) -> bool:
    """True for what only moves or renames data: reformats and NoOps."""
    return layer.role is Role.NOOP or "reformat" in layer.type.lower()


def _tensor_path(graph: PlanGraph, tensor: str) -> set[int]:
    name = find_tensor(graph, tensor)
    carrying = [edge for edge in graph.edges if edge.tensor.name == name]
    found = {edge.source for edge in carrying} | {edge.target for edge in carrying}
    _follow(graph, (edge.target for edge in carrying), graph.edges_from, "target", found)
    _follow(graph, (edge.source for edge in carrying), graph.edges_into, "source", found)
    return found


def _follow(
    graph: PlanGraph, starts: Iterable[int], edges: tuple[tuple[Edge, ...], ...], end: str, found: set[int]
) -> None:
    """Adds what lies beyond copies."""
    waiting, seen = list(starts), set[int]()
    while waiting:
        near = waiting.pop()
        node = graph.nodes[near]
        passes = is_copy(node.layer) if isinstance(node, LayerNode) else _is_merge(node)
        if near in seen or not passes:
            continue
        seen.add(near)
        for edge in edges[near]:
            far = getattr(edge, end)
            found.add(far)
            waiting.append(far)


def _is_merge(node: MemoryNode) -> bool:
    return node.kind == "merge"

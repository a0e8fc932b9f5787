"""GraphFacts → JSON in node-link form: the graph as data, one node or edge a line, everything else an object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trex.core.collector import collector_paused
from trex.export.frame import json_text, plain_value
from trex.export.graph_facts import GraphFacts, finite
from trex.graph.plan_graph import LayerNode

FORMAT = "trex-graph"
VERSION = 1


def graph_json(facts: GraphFacts) -> str:
    """JSON: ``format``, ``version``, ``graph`` (facts of the whole), ``nodes``, ``edges`` and ``groups``.

    Nodes have an ``id``, edges a ``source`` and a ``target``, which are ids; groups a ``title``, a ``kind``, the ids
    of the ``nodes`` directly in them and a ``parent``, the place in the list of the group around them or null.
    ``networkx.node_link_graph`` reads it as it is (versions before 3.6: with ``edges="edges"``). What is not known is
    null, NaN is nowhere, and every text is valid Unicode without control characters that are not escaped. Layers that
    one node stands for are a list in it, each with its index, name and time.
    """
    with collector_paused():
        return "".join(_document(facts))


def _document(facts: GraphFacts) -> Iterator[str]:
    graph = facts.graph
    head = {"format": FORMAT, "version": VERSION, "directed": True, "multigraph": True, "graph": facts.of_graph()}
    yield "{\n"
    for key, value in head.items():
        yield f"{json_text(key)}: {json_text(plain_value(value))},\n"
    yield '"nodes": ['
    yield from _rows(_node(facts, node) for node in graph.nodes)
    yield '],\n"edges": ['
    yield from _rows({"source": edge.source, "target": edge.target, **facts.of_edge(edge)} for edge in graph.edges)
    yield '],\n"groups": ['
    yield from _rows(
        {"title": group.title, "kind": group.kind, "parent": group.parent, "nodes": list(group.nodes)}
        for group in graph.groups
    )
    yield "]\n}\n"


def _rows(rows: Iterator[dict[str, Any]]) -> Iterator[str]:
    separator = "\n"
    for row in rows:
        yield f"{separator}{json_text(plain_value(row))}"
        separator = ",\n"
    if separator != "\n":
        yield "\n"


def _node(facts: GraphFacts, node: Any) -> dict[str, Any]:
    values = facts.of_node(node)
    if isinstance(node, LayerNode) and (node.folded or node.closed):
        times = map(facts.style.latency_ms, node.times)
        values["layers"] = [
            {"index": layer.index, "name": layer.name, "latency_ms": finite(ms)}
            for layer, ms in zip(node.layers, times)
        ]
    return {"id": node.id, **values}

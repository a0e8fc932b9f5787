"""GraphFacts → GraphML 1.0: the graph for networkx, Gephi, yEd and Cytoscape; valid XML whatever the names are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from trex.core.collector import collector_paused
from trex.core.shape import shape_text
from trex.export.escape import xml_text
from trex.export.graph_facts import EDGE_FACTS, GRAPH_FACTS, NODE_FACTS, GraphFact, GraphFacts

_NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_HEAD = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="{_NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
 xsi:schemaLocation="{_NAMESPACE} {_NAMESPACE}/1.0/graphml.xsd">
"""
_TYPES = {"number": "double", "whole": "long", "flag": "boolean"}
# Gephi knows its own columns by the ids of their keys, so those of nodes are bare names: ``label``.
_PREFIXES = {"graph": "graph.", "node": "", "edge": "edge."}

_Values = dict[str, Any]


def graphml_text(facts: GraphFacts) -> str:
    """GraphML: facts are typed ``data`` with their units in their names; of what is not known there is none.

    Lists are one item a line, shapes ``1x3x?x224``. Only keys that are used are declared, with their meaning.
    """
    with collector_paused():
        return "".join(_document(facts))


def _document(facts: GraphFacts) -> Iterator[str]:
    graph = facts.graph
    whole = facts.of_graph()
    nodes = [facts.of_node(node) for node in graph.nodes]
    edges = [facts.of_edge(edge) for edge in graph.edges]
    keys = {
        "graph": _keys(GRAPH_FACTS, [whole], "graph"),
        "node": _keys(NODE_FACTS, nodes, "node"),
        "edge": _keys(EDGE_FACTS, edges, "edge"),
    }
    yield _HEAD
    for holder, facts_of in keys.items():
        for key, fact in facts_of.items():
            yield (
                f'<key id="{key}" for="{holder}" attr.name="{xml_text(fact.name)}"'
                f' attr.type="{_TYPES.get(fact.kind, "string")}"><desc>{xml_text(fact.meaning)}</desc></key>\n'
            )
    yield '<graph id="engine" edgedefault="directed">\n'
    yield _data(whole, keys["graph"])
    for node, values in zip(graph.nodes, nodes):
        yield f'<node id="n{node.id}">{_data(values, keys["node"])}</node>\n'
    for number, (edge, values) in enumerate(zip(graph.edges, edges)):
        ends = f'id="e{number}" source="n{edge.source}" target="n{edge.target}"'
        yield f"<edge {ends}>{_data(values, keys['edge'])}</edge>\n"
    yield "</graph>\n</graphml>\n"


def _keys(known: Sequence[GraphFact], rows: Iterable[_Values], holder: str) -> dict[str, GraphFact]:
    """The facts that at least one row has, by the ids of their keys."""
    kinds = {fact.name: fact.kind for fact in known}
    used: set[str] = set()
    for row in rows:
        used.update([name for name, value in row.items() if name not in used and _text(value, kinds[name]) is not None])
    return {_PREFIXES[holder] + fact.name: fact for fact in known if fact.name in used}


def _data(values: _Values, keys: dict[str, GraphFact]) -> str:
    texts = ((key, _text(values.get(fact.name), fact.kind)) for key, fact in keys.items())
    return "".join([f'<data key="{key}">{xml_text(text)}</data>' for key, text in texts if text is not None])


def _text(value: Any, kind: str = "") -> str | None:
    """A value as the content of its element, None to leave it out."""
    if value is None or (isinstance(value, list | dict) and not value and kind != "shape"):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if kind == "shape":
        return shape_text(tuple(value))
    if isinstance(value, list):
        return "\n".join(str(item) for item in value)
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    return repr(value) if isinstance(value, float) else str(value)

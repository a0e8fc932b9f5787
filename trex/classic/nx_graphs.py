"""DOT documents as networkx graphs: parts of them, and their pictures."""

from __future__ import annotations

import html
import os
import re
from typing import Any

from trex.core.errors import TrexError, missing_extra
from trex.core.whole_file import write_whole
from trex.export.dot import document
from trex.export.dot_pictures import library_broken, picture_of
from trex.export.dot_text import dot_attributes, dot_string, is_html_like
from trex.graph.find import find_pattern
from trex.ingest.source import read_source

_KINDS = ("graph", "node", "edge")
_ESCAPES = {"n": "\n", "l": "\n", "r": "\n"}
# Where the names of layers are: our nodes are called n0, n1 …
_TEXTS = ("label", "tooltip")


def nx_from_dot(dot_fname: str | os.PathLike[str]) -> Any:
    """A DOT file as ``networkx.MultiDiGraph``: its nodes, edges and their attributes as text, without clusters.

    Raises TrexError if networkx or pygraphviz is not installed, and for a file that is no DOT document.
    """
    networkx = _networkx()
    try:
        import pygraphviz
    except ModuleNotFoundError:
        raise missing_extra("pygraphviz", "graphviz", "reading DOT") from None
    except ImportError as error:
        raise library_broken(str(error)) from None
    try:
        read = networkx.nx_agraph.from_agraph(pygraphviz.AGraph(string=_text_of(dot_fname)))
    except ValueError as error:
        raise TrexError(
            f"this is no DOT document: {error}", "draw_engine(…, output_format='dot') writes one", str(dot_fname)
        ) from error
    graph = networkx.MultiDiGraph(name=read.name, **{kind: _shown(read.graph[kind]) for kind in _KINDS})
    graph.add_nodes_from((node, _shown(look)) for node, look in read.nodes(data=True))
    graph.add_edges_from((tail, head, _shown(look)) for tail, head, look in read.edges(data=True))
    return graph


def create_directed_subgraph(G: Any, center_node: Any, radius: int) -> Any:
    """A copy of the part of a directed networkx graph within ``radius`` steps of a node, along its edges or against.

    center_node: a node, or the name of its layer, with which its tooltip begins. Raises TrexError for an unknown one.
    """
    reached = frontier = {_node_of(G, center_node)}
    for _ in range(radius):
        frontier = {far for near in frontier for far in (*G.successors(near), *G.predecessors(near))} - reached
        if not frontier:
            break
        reached = reached | frontier
    part = G.copy()
    part.remove_nodes_from([node for node in G if node not in reached])
    return part


def query_layers(G: Any, query: str) -> list[Any]:
    """Nodes in whose name, label or tooltip a regular expression is found. Raises TrexError for one that is none."""
    search = find_pattern(query)
    return [
        node
        for node, look in G.nodes(data=True)
        if search(str(node)) or any(search(str(look.get(name, ""))) for name in _TEXTS)
    ]


def nx_to_svg(G: Any, svg_fname: str | os.PathLike[str]) -> str:
    """Draws a networkx graph by its DOT attributes and returns the path. Raises TrexError without Graphviz."""
    body = [f"\t{kind} {dot_attributes(G.graph[kind])}\n" for kind in _KINDS if G.graph.get(kind)]
    body += [f"\t{dot_string(str(node))} {dot_attributes(look)}\n" for node, look in G.nodes(data=True)]
    body += [
        f"\t{dot_string(str(tail))} -> {dot_string(str(head))} {dot_attributes(look)}\n"
        for tail, head, look in G.edges(data=True)
    ]
    return str(write_whole(svg_fname, picture_of(document(G.name, body), "svg")))


def convert_dot_to_svg(dot_fname: str | os.PathLike[str]) -> str:
    """Writes DOT_FNAME.svg and returns its path. Raises TrexError for an unusable file and without Graphviz."""
    return str(write_whole(f"{dot_fname}.svg", picture_of(_text_of(dot_fname), "svg")))


def _node_of(G: Any, center: Any) -> Any:
    if center in G:
        return center
    named = [node for node, look in G.nodes(data=True) if look.get("tooltip", "").split("\n", 1)[0] == center]
    if len(named) != 1:
        raise TrexError(
            f"{len(named)} nodes of the graph are named {center!r}", "query_layers(G, REGEX) finds nodes by their text"
        )
    return named[0]


def _text_of(dot_fname: str | os.PathLike[str]) -> str:
    return read_source(dot_fname).data.decode("utf-8", "replace")


def _networkx() -> Any:
    try:
        import networkx
    except ImportError:
        raise TrexError("graphs as objects need the package 'networkx'", "pip install networkx") from None
    return networkx


def _shown(look: dict[str, str]) -> dict[str, str]:
    """Attributes as Graphviz shows them: escapes and entities resolved, HTML-like text in its brackets."""
    return {name: _plain(value) for name, value in look.items() if value}


def _plain(value: str) -> str:
    bracketed = f"<{value}>"
    if is_html_like(bracketed):
        return bracketed
    return html.unescape(re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), value))

"""Files of the engine graph as a reader of each format takes them: what is not valid raises an AssertionError.

``READERS`` has one for each format whose file can be read with what the tests need; SVG and HTML are in
``tests/fuzz/doors.py``.
"""

from __future__ import annotations

import importlib.util
import json
import re
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from tests.dot_parser import Dot, parse_dot
from trex.core.whole_file import write_whole
from trex.export.diagram import Drawing, format_of, render_diagram
from trex.export.html import render_html
from trex.views.diagram.style import DiagramStyle

GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"
_NMTOKEN = re.compile(r"[\w.:-]+")
_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_GRAPHML_TYPES: dict[str, Callable[[str], Any]] = {
    "string": str,
    "double": lambda text: _number(float(text)),
    "long": lambda text: _long(int(text)),
    "boolean": lambda text: {"true": True, "false": False}[text],
}

# The fields of Model Explorer 0.1.34: those of graph_builder.py and node_data_builder.py.
GRAPH_FIELDS = {"id", "nodes", "groupNodeAttributes", "groupNodeConfigs", "nodeLabelsToHide", "tasksData"}
NODE_FIELDS = {
    "id", "label", "namespace", "subgraphIds", "attrs", "incomingEdges", "outputsMetadata", "inputsMetadata", "style",
    "config",
}  # fmt: skip
EDGE_FIELDS = {"sourceNodeId", "sourceNodeOutputId", "targetNodeInputId"}
STYLE_FIELDS = {"backgroundColor", "borderColor", "hoveredBorderColor"}


@dataclass
class ReadGraph:
    """A graph as it was read: facts of the whole, nodes by id, and edges with their ends."""

    facts: dict[str, Any] = field(default_factory=dict)
    nodes: dict[str, dict[str, Any]] = field(default_factory=dict)
    edges: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)
    groups: list[dict[str, Any]] = field(default_factory=list)


def read_graphml(data: bytes) -> ReadGraph:
    """GraphML 1.0: elements in the schema's order, ids that are unique tokens, values of their declared types."""
    _check_inert(data)
    root = ElementTree.fromstring(data)
    assert root.tag == f"{GRAPHML}graphml"
    *keys, graph = list(root)
    assert {key.tag for key in keys} <= {f"{GRAPHML}key"}
    assert graph.tag == f"{GRAPHML}graph"
    assert graph.get("edgedefault") == "directed"
    ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    assert len(set(ids)) == len(ids)
    assert all(_NMTOKEN.fullmatch(name) for name in ids)
    declared = {key.attrib["id"]: key.attrib for key in keys}
    names = [(key["for"], key["attr.name"]) for key in declared.values()]
    assert len(set(names)) == len(names)

    def values(element: ElementTree.Element, holder: str) -> dict[str, Any]:
        values = {}
        for item in element.findall(f"{GRAPHML}data"):
            key = declared[item.attrib["key"]]
            assert key["for"] == holder
            assert len(item) == 0
            assert key["attr.name"] not in values
            values[key["attr.name"]] = _GRAPHML_TYPES[key["attr.type"]](item.text or "")
        return values

    read = ReadGraph(values(graph, "graph"))
    for element in graph:
        if element.tag == f"{GRAPHML}node":
            read.nodes[element.attrib["id"]] = values(element, "node")
        elif element.tag == f"{GRAPHML}edge":
            ends = element.attrib["source"], element.attrib["target"]
            read.edges.append((*ends, values(element, "edge")))
        else:
            assert element.tag == f"{GRAPHML}data", element.tag
    assert all(end in read.nodes for edge in read.edges for end in edge[:2])
    return read


def read_json(data: bytes) -> Any:
    """Strict JSON: no NaN, no key twice in an object, nothing in its texts that is better not shown."""
    _check_inert(data)

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        table = dict(pairs)
        assert len(table) == len(pairs), "a key is repeated"
        return table

    return json.loads(data.decode("utf-8"), parse_constant=refuse, object_pairs_hook=once)


def read_graph_json(data: bytes) -> ReadGraph:
    """The form of node-link data: ids are numbers, ends of edges are ids."""
    document = read_json(data)
    assert (document["format"], document["version"]) == ("trex-graph", 1)
    assert document["directed"] is document["multigraph"] is True
    assert set(document) == {"format", "version", "directed", "multigraph", "graph", "nodes", "edges", "groups"}
    for index, group in enumerate(document["groups"]):
        assert set(group) == {"title", "kind", "parent", "nodes"}
        assert group["parent"] is None or group["parent"] < index
    read = ReadGraph(document["graph"], groups=document["groups"])
    for node in document["nodes"]:
        read.nodes[f"n{node['id']}"] = node
    assert len(read.nodes) == len(document["nodes"])
    for edge in document["edges"]:
        read.edges.append((f"n{edge['source']}", f"n{edge['target']}", edge))
    assert all(end in read.nodes for edge in read.edges for end in edge[:2])
    return read


def read_model_explorer(data: bytes) -> ReadGraph:
    """The collection of one graph that Model Explorer's reader takes, its attributes all texts."""
    document = read_json(data)
    assert set(document) == {"label", "graphs"}
    (graph,) = document["graphs"]
    assert set(graph) <= GRAPH_FIELDS
    assert all(isinstance(text, str) for group in graph["groupNodeAttributes"].values() for text in group.values())
    read = ReadGraph({"id": graph["id"], "groups": graph["groupNodeAttributes"]})
    for node in graph["nodes"]:
        assert set(node) <= NODE_FIELDS
        assert node["label"]
        assert not set(node["namespace"]) & set(";\\")
        assert node["id"] not in read.nodes
        read.nodes[node["id"]] = node | {"attrs": _pairs(node["attrs"])}
        for side in ("inputsMetadata", "outputsMetadata"):
            read.nodes[node["id"]][side] = {item["id"]: _pairs(item["attrs"]) for item in node[side]}
            assert len(read.nodes[node["id"]][side]) == len(node[side])
        assert set(node.get("style", {})) <= STYLE_FIELDS
    for node in graph["nodes"]:
        for edge in node["incomingEdges"]:
            assert set(edge) == EDGE_FIELDS
            assert edge["sourceNodeId"] in read.nodes
            assert edge["sourceNodeOutputId"] in read.nodes[edge["sourceNodeId"]]["outputsMetadata"]
            assert edge["targetNodeInputId"] in read.nodes[node["id"]]["inputsMetadata"]
            read.edges.append((edge["sourceNodeId"], node["id"], edge))
    return read


def read_node_data(data: bytes) -> ReadGraph:
    """Values and colors by node, for one graph."""
    ((graph, record),) = read_json(data).items()
    assert set(record) == {"name", "results"}
    for result in record["results"].values():
        assert set(result) == {"value", "bgColor", "textColor"}
        assert isinstance(result["value"], str | int | float)
        assert re.fullmatch("#[0-9a-f]{6}", result["bgColor"], re.IGNORECASE)
    return ReadGraph({"id": graph, "name": record["name"]}, record["results"])


def read_dot(data: bytes) -> Dot:
    _check_inert(data)
    return parse_dot(data.decode("utf-8"))


def read_onnx(data: bytes) -> Any:
    """The model, written whole: names of values once each."""
    import onnx

    model = onnx.load_model_from_string(data)
    written = [name for node in model.graph.node for name in node.output if name]
    assert len(set(written)) == len(written)
    return model


def read_png(data: bytes) -> tuple[int, int]:
    """Width and height of a picture whose every part is whole."""
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    offset, size, kinds = 8, (0, 0), []
    while offset < len(data):
        length, kind = struct.unpack_from(">I4s", data, offset)
        body = data[offset + 8 : offset + 8 + length]
        assert struct.unpack_from(">I", data, offset + 8 + length)[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            size = struct.unpack_from(">II", body)
        kinds.append(kind)
        offset += length + 12
    assert kinds[0] == b"IHDR" and kinds[-1] == b"IEND"
    return size


def read_pdf(data: bytes) -> bytes:
    assert data.startswith(b"%PDF-")
    assert data.rstrip().endswith(b"%%EOF")
    return data


READERS: dict[str, Callable[[bytes], Any]] = {
    "dot": read_dot,
    "graphml": read_graphml,
    "json": read_graph_json,
    "model-explorer": read_model_explorer,
    "node-data": read_node_data,
    **({"onnx": read_onnx} if importlib.util.find_spec("onnx") else {}),
}


def _pairs(pairs: list[dict[str, str]]) -> dict[str, str]:
    table = {pair["key"]: pair["value"] for pair in pairs}
    assert len(table) == len(pairs), "an attribute is repeated"
    assert all(isinstance(value, str) for value in table.values())
    return table


def _check_inert(data: bytes) -> None:
    match = _UNSAFE.search(text := data.decode("utf-8"))
    assert match is None, repr(text[max(0, match.start() - 40) : match.end() + 40])


def _number(value: float) -> float:
    assert value == value and abs(value) != float("inf")
    return value


def _long(value: int) -> int:
    assert -(1 << 63) <= value < 1 << 63
    return value


def write_html(scene, graph, path, plan=None):
    """The viewer's page of a scene as a file; returns its path."""
    return write_whole(path, render_html(scene, graph, plan))


def write_diagram(plan, path, style=None):
    """The plan's graph in the format that the file's ending names; returns the path."""
    return write_whole(path, render_diagram(Drawing(plan, style or DiagramStyle(), Path(path)), format_of(path)))

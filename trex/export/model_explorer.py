"""GraphFacts → Google Model Explorer: its graph JSON, whose boxes are the model's modules, and its node data JSON.

The graph is a collection, ``{label, graphs: [{id, nodes}]}``, the form that Model Explorer's own JSON reader takes;
node data is ``{graph id: {name, results: {node id: {value, bgColor, textColor}}}}``. Both name nodes ``n0``, ``n1`` …
as DOT and GraphML do, and the graph by its title. Source: ``graph_builder.py`` and ``node_data_builder.py`` of
google-ai-edge/model-explorer 0.1.34.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from trex.core.collector import collector_paused
from trex.core.counted import counted
from trex.core.printable import clipped
from trex.core.shape import shape_text
from trex.export.frame import json_text, plain_value
from trex.export.graph_facts import MAX_LABEL, GraphFacts, finite, hex_color, tensor_facts
from trex.graph.groupings.module import module_paths
from trex.graph.module_steps import shared_steps
from trex.graph.plan_graph import Edge, LayerNode, PlanGraph
from trex.views.palette import UNKNOWN_COLOR, ink_on
from trex.views.table import milliseconds

_KINDS = {"input": "Input", "output": "Output", "from": "From", "to": "To"}
# Boxes are lettered from an atlas without these signs of ours.
_LETTERS = {"×": "x", "·": "-", "…": "..."}
_LABEL = str.maketrans(_LETTERS)
# ``;`` is taken for the end of one namespace and the beginning of another, ``\`` for an escape.
_STEP = str.maketrans(_LETTERS | {";": ",", "\\": "|"})
_INK = "#000000"
_UNKNOWN = hex_color(UNKNOWN_COLOR)
_BORDERS = ("input", "output")
# Each box is an element of its own there; a path of more, or of longer, steps than people write is cut.
MAX_STEPS = 24
MAX_STEP = 120
MAX_LISTED = 40
_WITHOUT_LABEL = frozenset(("label", "kind", "color", "color_meaning"))


def model_explorer_json(facts: GraphFacts) -> str:
    """The graph: layers in boxes of their modules, facts and tensors of each, colors as the style wants them.

    A box shows how many layers it holds and how long they take.
    """
    with collector_paused():
        whole, namespaces = facts.of_graph(), _namespaces(facts)
        graph = {
            "id": whole["title"],
            "nodes": _nodes(facts, namespaces),
            "groupNodeAttributes": _boxes(facts, namespaces) | {"": _texts(whole)},
            "nodeLabelsToHide": [],
        }
        return _one_a_line({"label": whole["name"], "graphs": [graph]})


def node_data_json(facts: GraphFacts) -> str:
    """A value and a color for each layer: its time in milliseconds, or the value of the style's coloring.

    The coloring by type, which the graph has already, stands for time. Layers without a time have no value.
    """
    style = facts.style
    by_time = style.color_by in ("type", "latency")
    nodes = facts.graph.layer_nodes
    results: dict[str, Any] = {}
    for node, paint in zip(nodes, facts.painted_by("latency" if by_time else style.color_by)):
        value = finite(node.ms(style.latency_ms)) if by_time else clipped(paint.text, MAX_LABEL)
        if value is not None:
            color = hex_color(paint.color)
            results[f"n{node.id}"] = {"value": value, "bgColor": color, "textColor": ink_on(color)}
    whole = facts.of_graph()
    name = f"latency_ms ({whole['latency_of']})" if by_time else style.color_by
    if by_time and whole["problems"]:
        name += f" · {counted(len(whole['problems']), 'problem')} of the engine's files"
    return json_text(plain_value({whole["title"]: {"name": name, "results": results}}), indent=1) + "\n"


def _nodes(facts: GraphFacts, namespaces: list[str]) -> list[dict[str, Any]]:
    graph = facts.graph
    ports = _Ports(graph)
    nodes = []
    for node in graph.nodes:
        values = facts.of_node(node)
        incoming = graph.edges_into[node.id]
        entry: dict[str, Any] = {
            "id": f"n{node.id}",
            "label": _label(values),
            "namespace": namespaces[node.id],
            "attrs": _pairs({key: value for key, value in values.items() if key not in _WITHOUT_LABEL}),
            "incomingEdges": [
                {
                    "sourceNodeId": f"n{edge.source}",
                    "sourceNodeOutputId": ports.out_of(edge),
                    "targetNodeInputId": ports.into(edge),
                }
                for edge in incoming
            ],
            "inputsMetadata": _metadata((ports.into(edge), edge) for edge in incoming),
            "outputsMetadata": _metadata((ports.out_of(edge), edge) for edge in graph.edges_from[node.id]),
        }
        color = values.get("color")
        if color and color != _UNKNOWN:
            # Labels are black there, whatever the background.
            entry["style"] = {"backgroundColor" if ink_on(color) == _INK else "borderColor": color}
        nodes.append(entry)
    return nodes


def _label(values: dict[str, Any]) -> str:
    kind = values["kind"]
    name = values["name"] if kind == "group" else values.get("type") or _KINDS.get(kind) or kind.capitalize()
    name = clipped(str(name or "?"), MAX_LABEL)
    return (f"{name} ×{values['repeats']:,}" if values.get("repeats") else name).translate(_LABEL)


def _namespaces(facts: GraphFacts) -> list[str]:
    """The box of each node, by its id: its module's, or its group's where the style names another grouping.

    Memory is in the smallest box around the layers that write and read it.
    """
    graph = facts.graph
    if facts.style.group_by not in ("auto", "module"):
        boxes = _group_namespaces(graph)
        return [boxes[group] if group is not None else "" for group in graph.group_of]
    namespaces = ["/".join(map(_step, path[:MAX_STEPS])) for path in module_paths(graph)]
    namespaces += [""] * (len(graph.nodes) - len(namespaces))
    for node in graph.memory_nodes:
        if node.kind not in _BORDERS:
            near = {edge.source for edge in graph.edges_into[node.id]}
            near |= {edge.target for edge in graph.edges_from[node.id]}
            namespaces[node.id] = _common(
                [namespaces[index] for index in near if isinstance(graph.nodes[index], LayerNode)]
            )
    return namespaces


def _group_namespaces(graph: PlanGraph) -> list[str]:
    """The box of each group, in that of the group around it; ``layer1/0/conv`` in ``layer1/0`` is ``conv`` there."""
    boxes: list[str] = []
    for group in graph.groups:
        if group.parent is None:
            boxes.append(_namespace(group.title))
        else:
            own = group.title.removeprefix(f"{graph.groups[group.parent].title}/")
            boxes.append(f"{boxes[group.parent]}/{_namespace(own)}")
    return boxes


def _common(namespaces: list[str]) -> str:
    return "/".join(shared_steps([tuple(namespace.split("/")) for namespace in namespaces]))


def _namespace(path: str) -> str:
    return "/".join(_step(step) for step in path.split("/")[:MAX_STEPS] if step)


def _step(text: str) -> str:
    return clipped(text, MAX_STEP).translate(_STEP)


def _pairs(values: dict[str, Any]) -> list[dict[str, str]]:
    return [{"key": key, "value": text} for key, text in _texts(values).items()]


def _texts(values: dict[str, Any]) -> dict[str, str]:
    """What is known, as the texts that Model Explorer's panel shows; a record's entries next to the others."""
    texts: dict[str, str] = {}
    records: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            records |= value
        elif isinstance(value, bool):
            texts[key] = "yes" if value else "no"
        elif key == "shape" and value is not None:
            texts[key] = shape_text(tuple(value))
        elif isinstance(value, list):
            more = f" and {len(value) - MAX_LISTED} more" if len(value) > MAX_LISTED else ""
            texts[key] = ", ".join(map(str, value[:MAX_LISTED])) + more
        elif value is not None:
            texts[key] = str(value)
    for key, value in records.items():
        texts.setdefault(key, json.dumps(value) if isinstance(value, bool | None) else str(value))
    return {key: text for key, text in texts.items() if text}


def _metadata(ends: Iterable[tuple[str, Edge]]) -> list[dict[str, Any]]:
    """What flows through each of a node's ends; ``tensor_shape`` is what Model Explorer writes next to edges."""
    metadata: dict[str, Any] = {}
    for port, edge in ends:
        if port not in metadata:
            facts = tensor_facts(edge.tensor)
            values = {"__tensor_tag": edge.tensor.name, "tensor_shape": None, **facts}
            values["tensor_shape"] = None if facts["shape"] is None else shape_text(tuple(values.pop("shape")))
            if edge.carried:
                values["carried"] = True
            metadata[port] = {"id": port, "attrs": _pairs(values)}
    return list(metadata.values())


class _Ports:
    """The number of each tensor among what a node reads, or writes: its own order for layers, else that of edges."""

    def __init__(self, graph: PlanGraph) -> None:
        self._into: dict[int, dict[str, str]] = {}
        self._out_of: dict[int, dict[str, str]] = {}
        for node in graph.layer_nodes:
            self._into[node.id] = _numbered(tensor.name for tensor in node.layer.inputs)
            self._out_of[node.id] = _numbered(tensor.name for tensor in node.layer.outputs)

    def into(self, edge: Edge) -> str:
        return self._port(self._into, edge.target, edge.tensor.name)

    def out_of(self, edge: Edge) -> str:
        return self._port(self._out_of, edge.source, edge.tensor.name)

    def _port(self, ports: dict[int, dict[str, str]], node: int, name: str) -> str:
        known = ports.setdefault(node, {})
        return known.setdefault(name, str(len(known)))


def _numbered(names: Iterable[str]) -> dict[str, str]:
    return {name: str(number) for number, name in enumerate(dict.fromkeys(names))}


def _boxes(facts: GraphFacts, namespaces: list[str]) -> dict[str, dict[str, str]]:
    """What each box and all in it hold, by namespace."""
    layers: dict[str, int] = defaultdict(int)
    times: dict[str, list[float]] = defaultdict(list)
    for node in facts.graph.layer_nodes:
        steps = namespaces[node.id].split("/")
        ms = node.ms(facts.style.latency_ms)
        for depth in range(1, len(steps) + 1):
            name = "/".join(steps[:depth])
            layers[name] += len(node.layers)
            if ms is not None and math.isfinite(ms):
                times[name].append(ms)
    return {name: _box(count, times.get(name), facts.total_ms) for name, count in layers.items() if name}


def _box(count: int, times: list[float] | None, total_ms: float | None) -> dict[str, str]:
    facts = {"layers": f"{count:,}"}
    if times:
        facts["latency_ms"] = milliseconds(math.fsum(times))
        if total_ms:
            facts["share_pct"] = f"{100 * math.fsum(times) / total_ms:.1f}"
    return facts


def _one_a_line(collection: dict[str, Any]) -> str:
    """The document, a node a line."""
    (graph,) = collection["graphs"]
    nodes = ",\n".join(json_text(plain_value(node)) for node in graph.pop("nodes"))
    head = json_text(plain_value(graph))[:-1]
    return f'{{"label": {json_text(plain_value(collection["label"]))}, "graphs": [{head}, "nodes": [\n{nodes}\n]}}]}}\n'

"""PlanGraph → the facts of its nodes and edges, under the names and in the units that every graph file uses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from trex.core.layer import Layer
from trex.core.printable import clipped
from trex.core.provenance import Provenance
from trex.core.tensor import Tensor
from trex.graph.plan_graph import Edge, LayerNode, MemoryNode, Node, PlanGraph
from trex.plan.engine_plan import EnginePlan
from trex.views.diagram.coloring import Paint, coloring
from trex.views.diagram.details import short_text
from trex.views.diagram.doubts import problems_of
from trex.views.diagram.explanations import is_reformat, reformat_reason
from trex.views.diagram.style import LATENCY_WORDS, DiagramStyle

# Names that distinguish nodes in pictures of other tools are cut to this; ``name`` is whole.
MAX_LABEL = 80
# Many nodes may have the same groups around them, or the same layer outside of the graph: each contains so many
# characters of a title or name.
MAX_REPEATED = 1000
MAX_ATTRIBUTES = 60
MAX_ATTRIBUTE = 400

_TOLD_BY_FACTS = frozenset(("Name", "LayerType", "ParameterType", "Inputs", "Outputs", "Metadata"))
_LARGEST = 1 << 63


@dataclass(frozen=True, slots=True)
class GraphFact:
    """One fact in graph files. kind: ``text``, ``texts`` (a list), ``number``, ``whole`` (number), ``flag``,
    ``shape`` (dimensions, None for an unknown one) or ``record`` (names and values). What is not known has the value
    None; numbers are finite, and whole numbers have 64 bits.
    """

    name: str
    kind: str
    meaning: str


NODE_FACTS = (
    GraphFact(
        "kind",
        "text",
        "layer; group, a closed one; or memory: input, output, constant, dangling, merge, region, from, to",
    ),
    GraphFact("label", "text", f"the name, at most {MAX_LABEL} characters of it"),
    GraphFact("name", "text", "the layer's or the tensor's name; may repeat"),
    GraphFact("type", "text", "what the layer does"),
    GraphFact("subtype", "text", "TensorRT's LayerType"),
    GraphFact("precision", "text", "the type the layer computes in"),
    GraphFact("precision_from", "text", "what the precision was found by"),
    GraphFact("latency_ms", "number", "time in milliseconds; of all layers that the node stands for"),
    GraphFact("share_pct", "number", "that time's part of the whole engine's, in percent"),
    GraphFact("repeats", "whole", "how many layers, or memories, the node stands for, where they are several"),
    GraphFact("min_ms", "number", "the shortest time of these layers"),
    GraphFact("median_ms", "number", "their median time"),
    GraphFact("max_ms", "number", "their longest time"),
    GraphFact("tactic", "text", "name of the kernel"),
    GraphFact("module", "text", "place in the model's module tree"),
    GraphFact("stream", "whole", "the stream it runs on"),
    GraphFact("index", "whole", "place in the engine's execution order"),
    GraphFact("role", "text", "kernel, noop, constant, sync, shape or train station"),
    GraphFact("origins", "texts", "the ONNX nodes it came from"),
    GraphFact("reason", "texts", "why a Reformat exists"),
    GraphFact("weights_bytes", "whole", "bytes of stored weights, biases and constants"),
    GraphFact("color", "text", "color in the pictures, as #rrggbb"),
    GraphFact("color_meaning", "text", "what the color says, in the words of the legend"),
    GraphFact("dtype", "text", "data type of a memory's tensor"),
    GraphFact("shape", "shape", "its dimensions"),
    GraphFact("format", "text", "its memory layout"),
    GraphFact("bytes", "whole", "its size, padding included"),
    GraphFact("generation", "whole", "which of the values that lived under the name, from 0"),
    GraphFact("outside_layer", "text", "the layer that writes or reads the data and is not in the graph"),
    GraphFact("groups", "texts", "titles of the groups around it, the outermost first"),
    GraphFact(
        "layers", "texts", "names of the layers that the node stands for, where blocks are folded or groups closed"
    ),
    GraphFact("attributes", "record", "the layer's own attributes, with --expand-layer-details"),
)

EDGE_FACTS = (
    GraphFact("tensor", "text", "name of the tensor"),
    GraphFact("dtype", "text", "its data type"),
    GraphFact("shape", "shape", "its dimensions"),
    GraphFact("format", "text", "its memory layout"),
    GraphFact("bytes", "whole", "its size, padding included"),
    GraphFact("generation", "whole", "which of the values that lived under the tensor's name, from 0"),
    GraphFact("carried", "flag", "the reader comes before the writer: the value is the previous iteration's or run's"),
    GraphFact("loops", "flag", "the value goes from one repetition of a folded block to the next"),
)

GRAPH_FACTS = (
    GraphFact("title", "text", "name of the engine; says so where nothing was measured"),
    GraphFact("name", "text", "name of the engine"),
    GraphFact("synthetic", "flag", "the data was made up or predicted, nothing was measured"),
    GraphFact("tensorrt_version", "text", "TensorRT's version, if the files contain it"),
    GraphFact("profile", "whole", "number of the optimization profile, if the engine has several"),
    GraphFact("latency_of", "text", "which time it is: average, median or all iterations"),
    GraphFact("total_ms", "number", "sum of the layers' times over the whole engine, of those that have one"),
    GraphFact("total_layers", "whole", "layers of the whole engine; the graph may show a part"),
    GraphFact("timed_layers", "whole", "those with a time"),
    GraphFact("problems", "texts", "why the times can't be trusted, or which layers are missing"),
)


class GraphFacts:
    """The facts of a graph; each method's keys are names of the table above it. Linear in the graph."""

    def __init__(self, graph: PlanGraph, plan: EnginePlan, style: DiagramStyle | None = None) -> None:
        self.graph, self.plan, self.style = graph, plan, style or DiagramStyle()

    @cached_property
    def total_ms(self) -> float | None:
        """Sum of the known times of the whole plan; None when none is known."""
        return self.style.total_ms(self.plan.times)

    @cached_property
    def paints(self) -> dict[int, Paint]:
        """The color of each layer, by node id."""
        nodes = self.graph.layer_nodes
        return {node.id: paint for node, paint in zip(nodes, self.painted_by(self.style.color_by))}

    @cached_property
    def groups_around(self) -> list[list[str]]:
        """Titles of the groups around each node, by its id, the outermost first."""
        titles: list[list[str]] = []
        for group in self.graph.groups:
            outer = titles[group.parent] if group.parent is not None else ()
            titles.append([*outer, clipped(group.title, MAX_REPEATED)])
        return [titles[group] if group is not None else [] for group in self.graph.group_of]

    def painted_by(self, name: str) -> list[Paint]:
        """What a coloring makes of the graph's layers, in their order."""
        return coloring(name).paint(self.graph, self.style.latency_ms)

    def of_graph(self) -> dict[str, Any]:
        """GRAPH_FACTS."""
        plan = self.plan
        name = plan.name or "engine"
        return {
            "title": plan.provenance.titled(name),
            "name": name,
            "synthetic": plan.provenance is not Provenance.MEASURED,
            "tensorrt_version": plan.engine.tensorrt_version or None,
            "profile": plan.profile,
            "latency_of": LATENCY_WORDS[self.style.latency_type],
            "total_ms": finite(self.total_ms),
            "total_layers": len(plan.working_layers),
            "timed_layers": len(self.style.known_ms(plan.times)),
            "problems": list(problems_of(plan)),
        }

    def of_node(self, node: Node) -> dict[str, Any]:
        """NODE_FACTS."""
        facts = self._layer(node) if isinstance(node, LayerNode) else _memory(node)
        around = self.groups_around[node.id]
        if around:
            facts["groups"] = around
        return _in_order(facts)

    def of_edge(self, edge: Edge) -> dict[str, Any]:
        """EDGE_FACTS."""
        return {
            "tensor": edge.tensor.name,
            **tensor_facts(edge.tensor),
            "generation": whole(edge.generation),
            "carried": edge.carried,
            "loops": edge.loops,
        }

    # ------------------------------------------------------------------------------------------------------- pieces

    def _layer(self, node: LayerNode) -> dict[str, Any]:
        layer = node.layer
        known = layer.compute.data_type.is_known
        paint = self.paints[node.id]
        facts = {
            "kind": "layer" if node.closed is None else "group",
            "label": clipped(layer.name, MAX_LABEL),
            "name": layer.name,
            "type": layer.type,
            "subtype": layer.subtype,
            "precision": layer.precision if known else None,
            "precision_from": layer.compute.evidence if known else None,
            **self._times(node),
            "tactic": layer.tactic or None,
            "module": layer.module or None,
            "stream": whole(layer.stream),
            "index": whole(layer.index),
            "role": layer.role.value,
            "origins": list(layer.origins),
            "reason": list(reformat_reason(layer)) if is_reformat(layer) else [],
            "weights_bytes": whole(layer.weights_size_bytes),
            "color": hex_color(paint.color),
            "color_meaning": paint.text,
        }
        if node.several:
            facts["layers"] = [layer.name for layer in node.layers]
        if self.style.expand_layer_details:
            facts["attributes"] = dict(_attributes(layer))
        return facts

    def _times(self, node: LayerNode) -> dict[str, Any]:
        latency, total = finite(node.ms(self.style.latency_ms)), self.total_ms
        share = finite(100 * latency / total) if latency is not None and total else None
        facts = {"latency_ms": latency, "share_pct": share}
        if node.several is not None:
            least, middle, most, _ = map(finite, node.several.spread(self.style.latency_ms))
            facts |= {"repeats": node.several.count, "min_ms": least, "median_ms": middle, "max_ms": most}
        return facts


def _in_order(facts: dict[str, Any]) -> dict[str, Any]:
    return {fact.name: facts[fact.name] for fact in NODE_FACTS if fact.name in facts}


def _memory(node: MemoryNode) -> dict[str, Any]:
    facts = {
        "kind": node.kind,
        "label": clipped(node.name, MAX_LABEL),
        "name": node.name,
        **(tensor_facts(node.tensor) if node.tensor is not None else {}),
        "generation": whole(node.generation),
    }
    if node.origin:
        facts["outside_layer"] = clipped(node.origin, MAX_REPEATED)
    if node.count > 1:
        facts["repeats"] = whole(node.count)
    return facts


def tensor_facts(tensor: Tensor) -> dict[str, Any]:
    """Type, dimensions, layout and size of a tensor."""
    shape = None if tensor.shape is None else [whole(dim) for dim in tensor.shape]
    return {
        "dtype": tensor.precision if tensor.data_type.is_known else None,
        "shape": shape,
        "format": tensor.format.label if tensor.format.is_known else None,
        "bytes": whole(tensor.size_bytes),
    }


def _attributes(layer: Layer) -> Iterator[tuple[str, Any]]:
    """The record's own keys and values; lists and records in few words, what is long is cut."""
    keys = sorted(str(key) for key in layer.raw if key not in _TOLD_BY_FACTS)
    for key in keys[:MAX_ATTRIBUTES]:
        value = layer.raw.get(key)
        if value is None or (isinstance(value, bool | int) and whole(value) is not None):
            yield key, value
        elif isinstance(value, float):
            yield key, finite(value)
        else:
            yield clipped(key, MAX_ATTRIBUTE), clipped(short_text(value), MAX_ATTRIBUTE)
    if len(keys) > MAX_ATTRIBUTES:
        yield "…", f"{len(keys) - MAX_ATTRIBUTES} more"


def finite(value: float | None) -> float | None:
    """The number with six digits, which is more than any clock has; None for one that is none or endless."""
    return None if value is None or not math.isfinite(value) else float(f"{value:.6g}")


def whole(value: int | None) -> int | None:
    """The number; None for one that does not fit 64 bits, which no reader takes and nothing real has."""
    return value if value is not None and -_LARGEST <= value < _LARGEST else None


def hex_color(color: str) -> str:
    return "#808080" if color == "gray" else color

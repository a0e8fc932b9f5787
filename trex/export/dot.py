"""PlanGraph → DOT: the graph in Graphviz's language, safe for any name, the same text every time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from math import isfinite

from trex.export.dot_looks import Attributes, DotLooks, filled
from trex.export.dot_text import MAX_BYTES, dot_attributes, dot_string
from trex.export.escape import xml_text
from trex.graph.plan_graph import Edge, LayerNode, MemoryNode, Node, PlanGraph
from trex.plan.engine_plan import EnginePlan
from trex.views.diagram.coloring import Paint, coloring
from trex.views.diagram.colors import DANGLING_COLOR, FRAME_COLOR, MEMORY_COLOR, STUB_COLOR, wire_color
from trex.views.diagram.doubts import doubt_of
from trex.views.diagram.group_words import frame_tooltips
from trex.views.diagram.labels import layer_label, layer_tooltip, memory_label, wire_text, wire_tooltip
from trex.views.diagram.legend import Legend, make_legend
from trex.views.diagram.style import DiagramStyle

_NODE = {"shape": "box", "style": "filled", "color": "#8b949e", "fontname": "Helvetica", "fontsize": "11"}
_COLORS = {"dangling": DANGLING_COLOR, "from": STUB_COLOR, "to": STUB_COLOR}
_CLUSTER = {"labeljust": "l", "style": "rounded,filled", "color": FRAME_COLOR, "fillcolor": "#7f95b212"}
_EDGE = {"fontname": "Helvetica", "fontsize": "9", "penwidth": "2"}


def render_dot_text(
    graph: PlanGraph,
    style: DiagramStyle | None = None,
    looks: DotLooks | None = None,
    plan: EnginePlan | None = None,
) -> str:
    """The statements of ``dot_body`` as a DOT document."""
    return document(graph.name, dot_body(graph, style, looks, plan))


def document(name: str, body: Iterable[str]) -> str:
    """Statements as a directed graph."""
    return "".join((f"digraph {dot_string(name or 'engine')} {{\n", *body, "}\n"))


def dot_body(
    graph: PlanGraph,
    style: DiagramStyle | None = None,
    looks: DotLooks | None = None,
    plan: EnginePlan | None = None,
) -> list[str]:
    """The statements of a DOT document, a line each. Node ids are ``n`` and the number of the node in the graph.

    looks: a user's functions; without them, ours in the colors that the style wants. plan: where the graph is from,
    of whose whole time shares are, and whose provenance the title says.
    Every string has at most about 12 000 bytes; what is left out is counted in it. Linear in the graph.
    """
    return list(_DotWriter(graph, style or DiagramStyle(), looks, plan).lines())


class _DotWriter:
    def __init__(self, graph: PlanGraph, style: DiagramStyle, looks: DotLooks | None, plan: EnginePlan | None) -> None:
        self.graph, self.style, self.looks = graph, style, looks or DotLooks()
        self.paints: dict[int, Paint] | None = None
        if looks is None:
            self.paints = self._paints(style.color_by)
        self.title = graph.name or "engine"
        times = [time for node in graph.layer_nodes for time in node.times]
        if plan is not None:
            facts = (plan.provenance.titled(plan.name or "engine"), plan.profile_words, doubt_of(plan))
            self.title = "\n".join(filter(None, facts))
            times = list(plan.times)
        self.total_ms = style.total_ms(times) or 0.0
        self.highlighted = frozenset(style.highlight_layers)

    def _paints(self, color_by: str) -> dict[int, Paint]:
        paints = coloring(color_by).paint(self.graph, self.style.latency_ms)
        return {node.id: paint for node, paint in zip(self.graph.layer_nodes, paints)}

    def lines(self) -> Iterator[str]:
        nodes = self.graph.nodes
        yield f"\tgraph {dot_attributes(self._header())}\n"
        yield f"\tnode {dot_attributes(_NODE)}\n"
        yield f"\tedge {dot_attributes(_EDGE)}\n"
        yield from self._legend()
        for node in nodes:
            if isinstance(node, LayerNode):
                yield self._layer(node)
            else:
                yield self._memory(node)
        for edge in self.graph.edges:
            yield self._edge(edge)
        if self.style.display_region_reuse:
            yield from self._reuse(nodes)
        if self.graph.groups:
            yield from self._groups(nodes)

    def _header(self) -> Attributes:
        return {"label": self.title, "labelloc": "t", "fontname": "Helvetica", "rankdir": "TB"}

    # ------------------------------------------------------------------------------------------------------- nodes

    def _layer(self, node: LayerNode) -> str:
        style, layer = self.style, node.layer
        latency = node.ms(style.latency_ms)
        if latency is not None and not isfinite(latency):
            latency = None
        share = 100 * latency / self.total_ms if latency is not None and self.total_ms > 0 else None
        if node.folded is not None or node.closed is not None:
            label = layer_label(node, share, style)
            words = "\n".join((f"{label.kind} {label.badge}".rstrip(), *(text for _, text in label.lines)))
            tooltip = label.tooltip
        else:
            words = self.looks.words(layer, latency, style)
            tooltip = layer_tooltip(layer, node.time, share)
        attributes = {"label": words, "tooltip": tooltip}
        attributes |= self.looks.formatter(layer) if self.paints is None else filled(self.paints[node.id].color)
        attributes |= self.looks.highlighter(layer.name, self.highlighted)
        return _node(node.id, attributes)

    def _memory(self, node: MemoryNode) -> str:
        label = memory_label((node,), self.style)
        words = "\n".join((label.kind, *(text for _, text in label.lines)))
        color = _COLORS.get(node.kind, MEMORY_COLOR)
        attributes: dict[str, object] = {"label": words, "tooltip": label.tooltip, "fillcolor": color}
        if node.tensor is not None and (node.is_user or node.kind == "region"):
            attributes |= self.looks.region_formatter(node.tensor, node.is_user)
        else:
            attributes["style"] = "filled,rounded"
        return _node(node.id, attributes)

    # ------------------------------------------------------------------------------------------------------- edges

    def _edge(self, edge: Edge) -> str:
        nodes = self.graph.nodes
        attributes: dict[str, object] = {"color": wire_color(edge.tensor)}
        words = wire_text(edge.tensor, self.style)
        if words:
            attributes["label"] = words
        attributes["tooltip"] = wire_tooltip(
            edge.tensor, _name(nodes[edge.source]), _name(nodes[edge.target]), edge.carried, edge.loops
        )
        if edge.carried:
            attributes |= {"style": "dashed", "constraint": "false"}
        return f"\tn{edge.source} -> n{edge.target} {dot_attributes(attributes)}\n"

    def _reuse(self, nodes: Iterable[Node]) -> Iterator[str]:
        """From each value of a region to the next that lives in it, where both are nodes."""
        generations: dict[str, list[MemoryNode]] = defaultdict(list)
        for node in nodes:
            if isinstance(node, MemoryNode) and (node.is_user or node.kind == "region"):
                generations[node.name].append(node)
        look = dot_attributes({"style": "dotted", "color": "#8b949e", "constraint": "false", "tooltip": "used again"})
        for same in generations.values():
            same.sort(key=lambda node: (node.kind != "input", node.generation))
            for first, second in pairwise(same):
                yield f"\tn{first.id} -> n{second.id} {look}\n"

    def _groups(self, nodes: Iterable[Node]) -> Iterator[str]:
        """A cluster for each group that has something in it, within that of the group around it."""
        groups = self.graph.groups
        tooltips = frame_tooltips(self.graph, self.style, self.total_ms)
        inside: list[list[str]] = [[] for _ in groups]
        for node in nodes:
            innermost = self.graph.group_of[node.id]
            if innermost is not None:
                inside[innermost].append(f"n{node.id};")
        outermost: list[str] = []
        for position in range(len(groups) - 1, -1, -1):
            group, lines = groups[position], inside[position]
            if not lines:
                continue
            look = {"label": group.title, "tooltip": tooltips[position], **_CLUSTER}
            text = f"subgraph cluster_{position} {{ graph {dot_attributes(look)}; {' '.join(lines)} }}"
            (outermost if group.parent is None else inside[group.parent]).append(text)
        yield from (f"\t{text}\n" for text in reversed(outermost))

    # ------------------------------------------------------------------------------------------------------ legend

    def _legend(self) -> Iterator[str]:
        """What the colors mean, as a table; colors of a user's formatter are not ours to explain."""
        style, paints = self.style, self.paints
        if paints is None and self.looks.color_by:
            style = replace(style, color_by=self.looks.color_by)
            paints = self._paints(style.color_by)
        groups = make_legend(self.graph, style, paints)
        rows = "".join(_legend_rows(groups))
        if rows:
            table = f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="2">{rows}</TABLE>'
            yield f'\tlegend [shape="plaintext", style="", tooltip="legend", label=<{table}>]\n'


def _legend_rows(groups: Legend) -> Iterator[str]:
    written = 0
    for group in groups:
        rows = [f'<TR><TD COLSPAN="2" ALIGN="LEFT"><B>{xml_text(group.title)}</B></TD></TR>']
        rows += [
            f'<TR><TD BGCOLOR="{xml_text(entry.color)}">{"- -" if entry.shape == "dashed wire" else "    "}</TD>'
            f'<TD ALIGN="LEFT">{xml_text(entry.text)}</TD></TR>'
            for entry in group.entries
        ]
        for row in rows:
            written += len(row.encode("utf-8", "replace"))
            if written > MAX_BYTES:
                return
            yield row


def _node(number: int, attributes: Attributes) -> str:
    shown = {name: value for name, value in attributes.items() if _NODE.get(name) != value}
    return f"\tn{number} {dot_attributes(shown)}\n"


def _name(node: Node) -> str:
    return node.layer.name if isinstance(node, LayerNode) else node.name

"""PlanGraph → Scene: boxes, wires, words, legend and facts with positions and colors; no renderer in sight."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from trex.core.collector import collector_paused
from trex.core.counted import counted
from trex.core.tensor import Tensor
from trex.core.timings import LayerTime
from trex.graph.plan_graph import BETWEEN_KINDS, Edge, LayerNode, PlanGraph
from trex.plan.engine_plan import EnginePlan
from trex.views.diagram.cells import Cell, Link
from trex.views.diagram.coloring import Paint, coloring
from trex.views.diagram.colors import DANGLING_COLOR, MEMORY_COLOR, STUB_COLOR, wire_color
from trex.views.diagram.doubts import doubt_of
from trex.views.diagram.drawn_graph import lacks_groups
from trex.views.diagram.frames import Frame, lay_out_frames
from trex.views.diagram.hot_path import hottest_path
from trex.views.diagram.items import Item, items_of
from trex.views.diagram.labels import (
    MAX_WIDTH,
    WIRE_TEXT_SIZE,
    NodeLabel,
    layer_label,
    memory_label,
    wire_text,
    wire_tooltip,
)
from trex.views.diagram.layout import Layout, WirePort
from trex.views.diagram.legend import Legend, make_legend
from trex.views.diagram.lettering import text_width
from trex.views.diagram.routes import LABEL_LINE, LABEL_ROWS, Path
from trex.views.diagram.style import DiagramStyle
from trex.views.table import milliseconds

HEAD_HEIGHT = 21.0
LINE_HEIGHT = 14.0
BODY_PADDING = 6.0
BAR_HEIGHT = 4.0
# Between a wire and its label.
GAP = 5.0


@dataclass(frozen=True, slots=True)
class Box:
    """A node of the graph at its place; positions and sizes in pixels.

    node: id in the PlanGraph (the first of several dangling tensors that share the box). kind: ``layer``, ``group`` (a
    closed one) or a memory kind. color: of its head. heat: its time as a part of the hottest layer's, 0 … 1, None
    when not measured. frame: position in ``Scene.frames`` of the innermost frame around it, None outside of all.
    """

    node: int
    kind: str
    x: float
    y: float
    width: float
    height: float
    color: str
    label: NodeLabel
    heat: float | None = None
    is_highlighted: bool = False
    frame: int | None = None


@dataclass(frozen=True, slots=True)
class Wire:
    """An edge of the graph as a path. source, target: positions in ``Scene.boxes``. See ``routes.Path``.

    is_hot: on the hottest path; a page finds it by itself.
    """

    source: int
    target: int
    path: Path
    color: str
    is_dashed: bool
    tooltip: str
    tensor: Tensor
    is_hot: bool = False


@dataclass(frozen=True, slots=True)
class Caption:
    """The label of a wire; x, y: where its base line starts or, if ``is_left`` of the wire, ends.

    source: position in ``Scene.boxes`` of the box that the wire leaves.
    """

    x: float
    y: float
    text: str
    color: str
    is_left: bool = False
    source: int = -1


@dataclass(frozen=True)
class Scene:
    """A diagram as data. Boxes are in order of execution; the diagram spans 0 … width and 0 … height."""

    title: str
    facts: tuple[str, ...]
    legend: Legend
    boxes: tuple[Box, ...]
    wires: tuple[Wire, ...]
    captions: tuple[Caption, ...]
    width: float
    height: float
    style: DiagramStyle = field(default_factory=DiagramStyle)
    frames: tuple[Frame, ...] = ()


_KIND_COLORS = {"dangling": DANGLING_COLOR, "from": STUB_COLOR, "to": STUB_COLOR}


Dress = Callable[[LayerNode, NodeLabel], tuple[NodeLabel, Paint | None]]


def build_scene(
    graph: PlanGraph,
    plan: EnginePlan | None = None,
    style: DiagramStyle | None = None,
    *,
    title: str = "",
    dress: Dress | None = None,
    for_page: bool = False,
) -> Scene:
    """Lays out a graph and writes its labels, in time close to linear.

    plan: where the graph is from, for the line of facts; the percentages are of its time, also where the graph is a
    part of it. title: the plan's name unless given.
    dress: gives layers labels and colors other than ours, None for a color that stays. for_page: leaves out the
    tooltips of single layers, frames and wires, whose facts a page has in its data.
    """
    known: list[str] = []
    if plan is not None:
        version = plan.engine.tensorrt_version
        known = [doubt_of(plan), plan.provenance.label, f"TensorRT {version}" if version else "", plan.profile_words]
    with collector_paused():
        whole = None if plan is None else plan.times
        builder = _SceneBuilder(graph, style or DiagramStyle(), whole)
        builder.dress, builder.for_page = dress, for_page
        return builder.build(title, tuple(filter(None, known)))


class _SceneBuilder:
    dress: Dress | None = None
    for_page = False

    def __init__(self, graph: PlanGraph, style: DiagramStyle, whole: Sequence[LayerTime | None] | None) -> None:
        self.graph, self.style = graph, style
        shown = [time for node in graph.layer_nodes for time in node.times]
        self.layer_count = len(shown)
        self.whole_count = self.layer_count if whole is None else len(whole)
        self.ms_of = {node.id: node.ms(style.latency_ms) for node in graph.layer_nodes}
        self.shown_ms = style.total_ms(shown)
        self.total_ms = (self.shown_ms if whole is None else style.total_ms(whole)) or 0.0
        self.hottest_ms = max((ms for ms in self.ms_of.values() if ms is not None and math.isfinite(ms)), default=0.0)
        self.unmeasured = len(shown) - len(style.known_ms(shown))
        self.coloring = coloring(style.color_by)
        self.paints = dict(zip(self.ms_of, self.coloring.paint(graph, style.latency_ms)))

    def build(self, title: str, first_facts: tuple[str, ...]) -> Scene:
        items, index, edges = items_of(self.graph)
        links, nets = self._links(edges, index)
        labels = [self._label(item) for item in items]
        cells = self._cells(items, labels, nets)
        layout, frames, frame_of = lay_out_frames(
            self.graph, self.style, self.total_ms, cells, links, [item.group for item in items], not self.for_page
        )
        boxes = tuple([self._box(i, item, labels[i], cells[i], layout, frame_of[i]) for i, item in enumerate(items)])
        wires = []
        hot_ms, hot = self._hottest(items, links, [edge for edge, _ in edges])
        for position, ((edge, _), link, path) in enumerate(zip(edges, links, layout.paths)):
            tooltip = ""
            if not self.for_page:
                names = items[link.source].name, items[link.target].name
                tooltip = wire_tooltip(edge.tensor, *names, edge.carried, edge.loops)
            color, is_hot = wire_color(edge.tensor), position in hot
            wires.append(Wire(link.source, link.target, path, color, edge.carried, tooltip, edge.tensor, is_hot))
        hot_pct = 100 * hot_ms / self.total_ms if hot and self.total_ms > 0 else None
        legend = make_legend(self.graph, self.style, self.paints, any(box.heat is not None for box in boxes), hot_pct)
        return Scene(
            title=title or self.graph.name or "engine",
            facts=(*first_facts, *self._facts()),
            legend=legend,
            boxes=boxes,
            wires=tuple(wires),
            captions=tuple(self._captions(items, nets, layout)),
            width=layout.width,
            height=layout.height,
            style=self.style,
            frames=frames,
        )

    def _hottest(
        self, items: Sequence[Item], links: Sequence[Link], edges: Sequence[Edge]
    ) -> tuple[float, frozenset[int]]:
        """As ``hottest_path``; none where times are not shown, and for a page."""
        if self.for_page or not self.style.display_latency:
            return 0.0, frozenset()
        known = [None if item.layer is None else self.ms_of[item.layer.id] for item in items]
        times = [ms if ms is not None and math.isfinite(ms) else 0.0 for ms in known]
        ends = [
            None if edge.carried or link.source >= link.target else (link.source, link.target)
            for edge, link in zip(edges, links)
        ]
        return hottest_path(times, ends)

    # ------------------------------------------------------------------------------------------------------- boxes

    def _label(self, item: Item) -> NodeLabel:
        if item.layer is None:
            return memory_label(item.memory, self.style)
        label = layer_label(item.layer, self._share_pct(item.layer), self.style, not self.for_page)
        if self.dress is None or item.layer.folded is not None or item.layer.closed is not None:
            return label
        label, paint = self.dress(item.layer, label)
        if paint is not None:
            self.paints[item.layer.id] = paint
        return label

    def _share_pct(self, node: LayerNode) -> float | None:
        latency = self.ms_of[node.id]
        if latency is None or not math.isfinite(latency) or self.total_ms <= 0:
            return None
        return 100 * latency / self.total_ms

    def _cells(
        self, items: Sequence[Item], labels: Sequence[NodeLabel], nets: dict[tuple[int, int], Tensor]
    ) -> list[Cell]:
        texts: list[Counter[str]] = [Counter() for _ in items]
        for (source, _), tensor in nets.items():
            text = self._words(items[source], tensor)
            if text:
                texts[source][text] += 1
        cells = []
        for i, (item, label) in enumerate(zip(items, labels)):
            width = 2 * round(min(label.width, MAX_WIDTH) / 2)
            cells.append(
                Cell(
                    width=width,
                    height=self._height(item, label),
                    is_minor=item.layer is None and item.memory[0].kind not in BETWEEN_KINDS,
                    label_rows=min(LABEL_ROWS, len(texts[i])),
                    # Words for several wires stand at the rightmost of them.
                    label_width=max(
                        (
                            text_width(_counted(text, count), WIRE_TEXT_SIZE) + (width / 2 if count > 1 else 0)
                            for text, count in texts[i].items()
                        ),
                        default=0.0,
                    ),
                )
            )
        return cells

    def _words(self, item: Item, tensor: Tensor) -> str:
        """The label of a wire; empty when it would describe only one of several tensors."""
        return "" if len(item.memory) > 1 else wire_text(tensor, self.style)

    def _height(self, item: Item, label: NodeLabel) -> float:
        body = len(label.lines) * LINE_HEIGHT + BODY_PADDING if label.lines else 0.0
        return HEAD_HEIGHT + body + (BAR_HEIGHT if item.layer is not None and self.style.display_latency else 0.0)

    def _box(self, position: int, item: Item, label: NodeLabel, cell: Cell, layout: Layout, frame: int | None) -> Box:
        heat = None
        if item.layer is not None:
            kind, color = "group" if item.layer.closed else "layer", self.paints[item.layer.id].color
            latency = self.ms_of[item.layer.id]
            if self.style.display_latency and latency is not None and math.isfinite(latency) and self.hottest_ms > 0:
                heat = latency / self.hottest_ms
        else:
            kind = item.memory[0].kind
            color = _KIND_COLORS.get(kind, MEMORY_COLOR)
        x, y = layout.x[position], layout.y[position]
        highlighted = any(name in self.style.highlight_layers for name in item.layer_names)
        return Box(item.id, kind, x, y, cell.width, cell.height, color, label, heat, highlighted, frame)

    # ------------------------------------------------------------------------------------------------------- wires

    def _links(
        self, edges: Sequence[tuple[Edge, int]], index: dict[int, int]
    ) -> tuple[list[Link], dict[tuple[int, int], Tensor]]:
        """Links between boxes; and for each value that leaves a box, by (box, net), its tensor."""
        numbers: dict[tuple[int, str, int], int] = {}
        nets: dict[tuple[int, int], Tensor] = {}
        links = []
        for edge, source in edges:
            net = numbers.setdefault((source, edge.tensor.name, edge.generation), len(numbers))
            target = index[edge.target]
            links.append(Link(source, target, net, is_back=source >= target))
            nets.setdefault((source, net), edge.tensor)
        return links, nets

    def _captions(
        self, items: Sequence[Item], nets: dict[tuple[int, int], Tensor], layout: Layout
    ) -> Iterator[Caption]:
        """Labels of the wires; equal ones at a box become one, with their number."""
        ports_of: dict[tuple[int, str], list[WirePort]] = {}
        colors: dict[tuple[int, str], str] = {}
        for (source, net), tensor in nets.items():
            text = self._words(items[source], tensor)
            if text:
                ports_of.setdefault((source, text), []).append(layout.ports[source, net])
                colors[source, text] = wire_color(tensor)
        rows: dict[int, int] = {}
        # From right to left, a line each: so few words cross another wire.
        for (source, text), ports in sorted(ports_of.items(), key=lambda one: (one[0][0], -max(p.x for p in one[1]))):
            row = rows[source] = rows.get(source, -1) + 1
            if row >= LABEL_ROWS:
                continue
            port = max(ports, key=lambda port: port.x)
            # Words of a wire that leaves near the right corner stand below their own box, not their neighbor's.
            is_left = len(ports) == 1 and port.offset > 0.25
            x, y = port.x + (-GAP if is_left else GAP), port.y + LABEL_LINE * (row + 1) - 2
            yield Caption(x, y, _counted(text, len(ports)), colors[source, text], is_left, source)

    def _facts(self) -> tuple[str, ...]:
        count = self.layer_count
        of_all = f" of {self.whole_count:,}" if self.whole_count > count else ""
        facts = [f"{count:,}{of_all} layer{'' if max(count, self.whole_count) == 1 else 's'}"]
        folded = [node.folded.count for node in self.graph.layer_nodes if node.folded is not None]
        if folded:
            facts.append(f"{sum(folded):,} of them in repeated blocks, folded to {len(folded):,}")
        closed = [node.closed.count for node in self.graph.layer_nodes if node.closed is not None]
        if closed:
            facts.append(f"{sum(closed):,} of them in {counted(len(closed), 'closed group')}")
        if self.style.fold and not folded:
            facts.append("no repeated blocks to fold")
        if lacks_groups(self.graph, self.style):
            facts.append(
                "no groups to close" if self.style.group_by == "auto" else f"no {self.style.group_by} groups to frame"
            )
        if (folded or closed) and 0 < self.style.fold_from <= count:
            facts.append(f"graphs of {self.style.fold_from:,} layers are not drawn whole: --fold-from 0 draws all")
        if self.shown_ms is not None:
            facts.append(f"{milliseconds(self.shown_ms)} ms (sum of the layers)")
            if self.unmeasured:
                facts.append(f"{self.unmeasured:,} without a time")
        elif count:
            facts.append("no times measured")
        return tuple(facts)


def _counted(text: str, count: int) -> str:
    return f"{text} (×{count})" if count > 1 else text

"""Layers and tensors in a diagram → Legend: what its colors and lines mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from trex.graph.plan_graph import PlanGraph
from trex.views.diagram.coloring import Paint, coloring
from trex.views.diagram.colors import (
    DANGLING_COLOR,
    FRAME_COLOR,
    HOT_COLOR,
    MEMORY_COLOR,
    STUB_COLOR,
    TIME_COLOR,
    wire_color,
)
from trex.views.diagram.group_words import kind_words
from trex.views.diagram.lettering import elided
from trex.views.diagram.style import DiagramStyle

# Kinds of box or wire beyond this many share one entry; the commonest come first.
MAX_ENTRIES = 24
_ENTRY_WIDTH = 220
_ENTRY_SIZE = 11


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """shape: ``box``, ``frame``, ``wire``, ``dashed wire``, ``bar`` or ``path``."""

    shape: str
    color: str
    text: str


@dataclass(frozen=True, slots=True)
class LegendGroup:
    title: str
    entries: tuple[LegendEntry, ...]


Legend = tuple[LegendGroup, ...]


def make_legend(
    graph: PlanGraph,
    style: DiagramStyle,
    paints: Mapping[int, Paint] | None,
    has_times: bool = False,
    hot_pct: float | None = None,
) -> Legend:
    """Only what the diagram uses, the commonest first, scales in their order; empty groups are left out.

    paints: of the layers, by their nodes' ids; None for colors of others, which are not explained. hot_pct: how much of
    the time the hottest path takes, None where it is not marked.
    """
    used = coloring(style.color_by)
    ranked: Counter[Paint] = Counter()
    if paints is not None:
        for node in graph.layer_nodes:
            ranked[paints[node.id]] += 1 if used.is_of_boxes else len(node.layers)
    boxes: Counter[tuple[str, str]] = Counter()
    for paint, count in sorted(ranked.items(), key=lambda one: one[0].rank):
        boxes[paint.color, paint.text] += count
    wires = Counter((wire_color(edge.tensor), edge.tensor.precision) for edge in graph.edges)
    entries = _entries("box", boxes, in_order=any(paint.rank for paint in ranked))
    if has_times:
        entries += (LegendEntry("bar", TIME_COLOR, "time, against the slowest layer"),)
    if hot_pct is not None:
        entries += (LegendEntry("path", HOT_COLOR, f"hottest path: {hot_pct:.0f} % of the time"),)
    memory_kinds = {node.kind for node in graph.memory_nodes}
    data = [LegendEntry("box", color, text) for kind, color, text in _MEMORY if kind in memory_kinds]
    lines = list(_entries("wire", wires))
    if any(edge.carried and not edge.loops for edge in graph.edges):
        lines.append(
            LegendEntry("dashed wire", "#555555", "read before it is written: carried over from the run before")
        )
    if any(edge.loops for edge in graph.edges):
        lines.append(LegendEntry("dashed wire", "#555555", "goes on to the next repetition of a folded block"))
    frame_kinds = dict.fromkeys(group.kind for group in graph.groups)
    frames = [LegendEntry("frame", FRAME_COLOR, f"frame: {kind_words(kind)}") for kind in frame_kinds]
    groups = (
        LegendGroup(used.titled(graph), entries),
        LegendGroup("Data", tuple(data)),
        LegendGroup("Groups", tuple(frames)),
        LegendGroup("Tensors by precision", tuple(lines)),
    )
    return tuple(group for group in groups if group.entries)


_MEMORY = (
    ("input", MEMORY_COLOR, "input of the engine"),
    ("output", MEMORY_COLOR, "output of the engine"),
    ("constant", MEMORY_COLOR, "constant"),
    ("merge", MEMORY_COLOR, "one of several writers"),
    ("region", MEMORY_COLOR, "memory region"),
    ("dangling", DANGLING_COLOR, "read, but no writer reported"),
    ("from", STUB_COLOR, "from a layer that is not shown"),
    ("to", STUB_COLOR, "to layers that are not shown"),
)


def _entries(shape: str, counts: Counter[tuple[str, str]], in_order: bool = False) -> tuple[LegendEntry, ...]:
    ranked = list(counts.items()) if in_order else sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    entries = [
        LegendEntry(shape, color, f"{elided(text, _ENTRY_WIDTH, _ENTRY_SIZE)} ({count:,})" if shape == "box" else text)
        for (color, text), count in ranked[:MAX_ENTRIES]
    ]
    if len(ranked) > MAX_ENTRIES:
        rest = sum(count for _, count in ranked[MAX_ENTRIES:])
        entries.append(LegendEntry(shape, "gray", f"{len(ranked) - MAX_ENTRIES} more ({rest:,})"))
    return tuple(entries)

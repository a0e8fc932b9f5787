"""The module a layer comes from: the first step of its path at which the layers differ."""

from __future__ import annotations

from collections import Counter

from trex.graph.module_steps import module_steps, shared_steps
from trex.graph.plan_graph import PlanGraph
from trex.views.diagram.coloring import Coloring, Latency, Paint
from trex.views.palette import SERIES_COLORS, UNKNOWN_COLOR, colors_of

_OTHERS = "#dddddd"


def paint(graph: PlanGraph, latency: Latency) -> list[Paint]:
    paths = [module_steps(node.layer.module) for node in graph.layer_nodes]
    known = [path for path in paths if path]
    # One step is left of the shortest.
    depth = min(len(shared_steps(known)), min(map(len, known), default=1) - 1)
    heads = ["/" + "/".join(path[: depth + 1]) if path else "" for path in paths]
    counts = Counter(head for head in heads if head)
    # Colors are few; the largest modules have them.
    chosen = {head for head, _ in counts.most_common(len(SERIES_COLORS))}
    colors = colors_of(list(dict.fromkeys(head for head in heads if head in chosen)))
    others = f"{len(counts) - len(chosen)} other modules"
    return [
        Paint(UNKNOWN_COLOR, "not reported", 2)
        if not head
        else Paint(colors[head], head)
        if head in chosen
        else Paint(_OTHERS, others, 1)
        for head in heads
    ]


COLORING = Coloring("Layers by module", paint)

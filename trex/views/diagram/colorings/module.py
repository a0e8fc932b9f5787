"""The module a layer comes from: the first step of its path at which the layers differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from trex.graph.plan_graph import LayerNode
from trex.views.diagram.coloring import Coloring, Latency, Paint
from trex.views.palette import SERIES_COLORS, UNKNOWN_COLOR, colors_of

_OTHERS = "#dddddd"


def paint(nodes: Sequence[LayerNode], latency: Latency) -> list[Paint]:
    paths = [tuple(step for step in node.layer.module.split("/") if step) for node in nodes]
    known = [path for path in paths if path]
    depth = _common(known)
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


def _common(paths: Sequence[tuple[str, ...]]) -> int:
    """How many steps all paths share, with one left of the shortest."""
    shortest = min(map(len, paths), default=1) - 1
    return next((depth for depth in range(shortest) if len({path[depth] for path in paths}) > 1), shortest)


COLORING = Coloring("Layers by module", paint)

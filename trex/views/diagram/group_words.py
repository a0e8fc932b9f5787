"""Groups of layers → words: how many layers, how long they take, of what types they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from trex.core.counted import counted
from trex.core.timings import LayerTime
from trex.graph.plan_graph import LayerNode, PlanGraph
from trex.views.diagram.lettering import elided
from trex.views.diagram.style import LATENCY_WORDS, DiagramStyle
from trex.views.table import milliseconds

_KIND_WORDS = {
    "module": "module",
    "block": "repeated block",
    "region": "region compiled by Myelin",
    "segment": "segment of consecutive layers",
}
_MOST_TYPES = 8
_ROOM = 600
_SIZE = 11


def kind_words(kind: str) -> str:
    """What a kind of group is called; that of another's grouping by its own name."""
    return _KIND_WORDS.get(kind, kind)


def type_words(nodes: Sequence[LayerNode], most: int = _MOST_TYPES) -> str:
    """``Convolution ×8, Pooling``, the commonest first."""
    types = Counter(layer.type for node in nodes for layer in node.layers)
    words = [
        f"{elided(name, 160, _SIZE)} ×{count:,}" if count > 1 else elided(name, 160, _SIZE)
        for name, count in types.most_common(most)
    ]
    if len(types) > most:
        words.append(f"{len(types) - most:,} more types")
    return ", ".join(words)


def count_words(nodes: Sequence[LayerNode]) -> str:
    return counted(sum(len(node.layers) for node in nodes), "layer")


def missing_words(nodes: Sequence[LayerNode], style: DiagramStyle) -> str:
    """How many of the layers have no time; "" if all or none have."""
    times = _times(nodes)
    missing = len(times) - len(style.known_ms(times))
    return f"{missing:,} without a time" if 0 < missing < len(times) else ""


def _times(nodes: Sequence[LayerNode]) -> list[LayerTime | None]:
    return [time for node in nodes for time in node.times]


def group_facts(
    title: str, kind: str, nodes: Sequence[LayerNode], style: DiagramStyle, share_pct: float | None
) -> Iterator[str]:
    """Lines about a group of layers. share_pct: of the whole engine's time."""
    yield elided(title, _ROOM, _SIZE)
    yield f"{kind_words(kind)}: {count_words(nodes)}"
    ms = style.total_ms(_times(nodes))
    if ms is None:
        yield "time: not measured"
    else:
        share = f"{share_pct:.2f} % of the layers' sum" if share_pct is not None else ""
        words = (f"{LATENCY_WORDS[style.latency_type]} {milliseconds(ms)} ms", share, missing_words(nodes, style))
        yield f"time: {', '.join(filter(None, words))}"
    yield f"within: {type_words(nodes)}"


def frame_tooltips(graph: PlanGraph, style: DiagramStyle, total_ms: float) -> Sequence[str]:
    """The text about each group of the graph, with all that is in it at any depth.

    total_ms: what shares of time are of, 0 where nothing was measured.
    """
    inside: list[list[LayerNode]] = []
    for group in graph.groups:
        inside.append([node for node in map(graph.nodes.__getitem__, group.nodes) if isinstance(node, LayerNode)])
    for group, nodes in zip(reversed(graph.groups), reversed(inside)):
        if group.parent is not None:
            inside[group.parent] += nodes
    results = []
    for group, nodes in zip(graph.groups, inside):
        share_pct = 100 * (style.total_ms(_times(nodes)) or 0.0) / total_ms if total_ms > 0 else None
        results.append("\n".join(group_facts(group.title, group.kind, nodes, style, share_pct)))
    return results

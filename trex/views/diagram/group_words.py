"""Groups of layers → words: how many layers, how long they take, of what types they are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from trex.core.counted import counted
from trex.core.timings import LayerTime
from trex.graph.plan_graph import LayerNode, PlanGraph
from trex.views.diagram.lettering import elided
from trex.views.table import milliseconds

Latency = Callable[[LayerTime | None], float | None]
_KIND_WORDS = {
    "module": "module",
    "block": "repeated block",
    "region": "region compiled by Myelin",
    "segment": "segment of consecutive layers",
}
_MOST_TYPES = 8
_ROOM = 600
_SIZE = 11


@dataclass(slots=True)
class Tally:
    """What layers are together. ms: sum over those measured."""

    layers: int = 0
    unmeasured: int = 0
    ms: float = 0.0
    types: Counter[str] = field(default_factory=Counter)

    def add(self, node: LayerNode, latency: Latency) -> None:
        times = [latency(time) for time in node.times]
        known = [ms for ms in times if ms is not None and math.isfinite(ms)]
        self.layers += len(times)
        self.unmeasured += len(times) - len(known)
        self.ms += math.fsum(known)
        self.types.update([layer.type for layer in node.layers])

    def include(self, other: Tally) -> None:
        self.layers += other.layers
        self.unmeasured += other.unmeasured
        self.ms += other.ms
        self.types.update(other.types)


def tally_of(nodes: Iterable[LayerNode], latency: Latency) -> Tally:
    tally = Tally()
    for node in nodes:
        tally.add(node, latency)
    return tally


def group_tallies(graph: PlanGraph, latency: Latency) -> list[Tally]:
    """Of each group of the graph, with all that is in it at any depth."""
    tallies = [Tally() for _ in graph.groups]
    for position in range(len(tallies) - 1, -1, -1):
        group = graph.groups[position]
        for number in group.nodes:
            node = graph.nodes[number]
            if isinstance(node, LayerNode):
                tallies[position].add(node, latency)
        if group.parent is not None:
            tallies[group.parent].include(tallies[position])
    return tallies


def kind_words(kind: str) -> str:
    """What a kind of group is called; that of another's grouping by its own name."""
    return _KIND_WORDS.get(kind, kind)


def count_words(tally: Tally) -> str:
    return counted(tally.layers, "layer")


def type_words(types: Counter[str], most: int = _MOST_TYPES) -> str:
    """``Convolution ×8, Pooling``, the commonest first."""
    common = types.most_common(most)
    words = [
        f"{elided(name, 160, _SIZE)} ×{count:,}" if count > 1 else elided(name, 160, _SIZE) for name, count in common
    ]
    if len(types) > most:
        words.append(f"{len(types) - most:,} more types")
    return ", ".join(words)


def group_facts(title: str, kind: str, tally: Tally, time: str) -> Iterator[str]:
    """Lines about a group. time: see ``time_words``."""
    yield elided(title, _ROOM, _SIZE)
    yield f"{kind_words(kind)}: {count_words(tally)}"
    yield f"time: {time}"
    yield f"within: {type_words(tally.types)}"


def time_words(tally: Tally, share_pct: float | None, time_word: str) -> str:
    """share_pct: of the whole engine's time; time_word: which time of the layers was added up."""
    if tally.unmeasured == tally.layers:
        return "not measured"
    share = f", {share_pct:.2f} % of the layers' sum" if share_pct is not None else ""
    missing = f", {tally.unmeasured:,} without a time" if tally.unmeasured else ""
    return f"{time_word} {milliseconds(tally.ms)} ms{share}{missing}"


def frame_tooltips(graph: PlanGraph, latency: Latency, total_ms: float, time_word: str) -> Sequence[str]:
    """The text about each group of the graph. total_ms: what shares are of, 0 where nothing was measured."""
    results = []
    for group, tally in zip(graph.groups, group_tallies(graph, latency)):
        share_pct = 100 * tally.ms / total_ms if total_ms > 0 else None
        results.append("\n".join(group_facts(group.title, group.kind, tally, time_words(tally, share_pct, time_word))))
    return results

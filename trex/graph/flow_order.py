"""Items and the flows between them → the items along the flows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import heapify, heappop, heappush


def flow_order(ranks: Mapping[int, int], flows: Iterable[tuple[int, int]]) -> list[int]:
    """The keys of ``ranks`` such that flows (from, to) run onwards, else by rank; in a cycle, the lowest rank first."""
    after: dict[int, list[int]] = {}
    waits = dict.fromkeys(ranks, 0)
    for source, target in flows:
        if source != target:
            after.setdefault(source, []).append(target)
            waits[target] += 1
    ready = [(ranks[item], item) for item, count in waits.items() if not count]
    heapify(ready)
    rest = iter(sorted(ranks, key=lambda item: (ranks[item], item)))
    ordered: dict[int, None] = {}
    while len(ordered) < len(ranks):
        item = heappop(ready)[1] if ready else next(rest)
        if item in ordered:
            continue
        ordered[item] = None
        for other in after.get(item, ()):
            waits[other] -= 1
            if not waits[other] and other not in ordered:
                heappush(ready, (ranks[other], other))
    return list(ordered)

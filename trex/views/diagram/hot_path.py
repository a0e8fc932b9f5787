"""Boxes and wires → the hottest path: the way along the data on which the layers take most time."""

from __future__ import annotations

from collections.abc import Sequence

Ends = tuple[int, int]


def hottest_path(times_ms: Sequence[float], wires: Sequence[Ends | None]) -> tuple[float, frozenset[int]]:
    """(its time, positions of its wires); no wires where nothing takes time. Linear.

    times_ms: of each box, 0 where unknown. wires: (source, target), None for one that goes to an earlier box. Of two
    ways that take the same time, the first one.
    """
    leaving: list[list[int]] = [[] for _ in times_ms]
    waits = [0] * len(times_ms)
    for position, ends in enumerate(wires):
        if ends is not None:
            leaving[ends[0]].append(position)
            waits[ends[1]] += 1
    best, via = list(times_ms), [-1] * len(times_ms)
    free = [box for box, count in enumerate(waits) if not count]
    last = -1
    while free:
        box = free.pop()
        if last < 0 or best[box] > best[last]:
            last = box
        for position in leaving[box]:
            ends = wires[position]
            assert ends is not None
            target = ends[1]
            if best[box] + times_ms[target] > best[target]:
                best[target], via[target] = best[box] + times_ms[target], position
            waits[target] -= 1
            if not waits[target]:
                free.append(target)
    if last < 0 or best[last] <= 0:
        return 0.0, frozenset()
    path, box = set[int](), last
    while via[box] >= 0:
        path.add(via[box])
        ends = wires[via[box]]
        assert ends is not None
        box = ends[0]
    return best[last], frozenset(path)

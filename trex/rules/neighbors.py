"""Layers → Neighbors: which layers write what a layer reads, and read what it writes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trex.core.layer import Layer

_MAX_HOPS = 6
_MAX_VISITED = 32


class Neighbors:
    """Positions of neighboring layers; of a tensor name that is written twice, the last writer before counts."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        writers: dict[str, int] = {}
        before: list[tuple[int, ...]] = []
        after: list[dict[int, None]] = [{} for _ in layers]
        for position, layer in enumerate(layers):
            sources = dict.fromkeys(writers[tensor.name] for tensor in layer.inputs if tensor.name in writers)
            for writer in sources:
                after[writer][position] = None
            before.append(tuple(sources))
            for tensor in layer.outputs:
                if tensor.name:
                    writers[tensor.name] = position
        self.before = tuple(before)
        """Per position: the layers that write what this one reads."""
        self.after = tuple(map(tuple, after))
        """Per position: the layers that read what this one writes."""


def shortest_path(
    start: int,
    following: Callable[[int], Sequence[int]],
    is_wanted: Callable[[int], bool],
    may_pass: Callable[[int], bool],
) -> list[int]:
    """Positions after ``start`` up to the first wanted layer, through layers that it may pass; [] without one."""
    previous: dict[int, int] = {start: -1}
    level = [start]
    for _ in range(_MAX_HOPS):
        next_level: list[int] = []
        for position in level:
            for neighbor in following(position):
                if neighbor in previous:
                    continue
                if len(previous) > _MAX_VISITED:
                    return []
                previous[neighbor] = position
                if is_wanted(neighbor):
                    path = [neighbor]
                    while previous[path[-1]] != start:
                        path.append(previous[path[-1]])
                    return list(reversed(path))
                if may_pass(neighbor):
                    next_level.append(neighbor)
        level = next_level
    return []

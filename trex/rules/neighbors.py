"""Layers → Neighbors: which layers write what a layer reads, and read what it writes."""

from __future__ import annotations

from collections.abc import Sequence

from trex.core.layer import Layer


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

"""Layers of both sides → Dataflow: who writes what whom reads, and an order that follows from that alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trex.compare.aligning.witnesses import is_conversion
from trex.core.layer import Layer

POINTWISE = frozenset(("PointWise", "ElementWise", "Activation", "Scale", "Unary"))
SMALL = POINTWISE | {"kgen"}
"""Types of layers that another may take in; what is generated may be more than work by elements."""
_BETWEEN = SMALL | {"Pooling", "NoOp", "Shuffle", "Reduce", "SoftMax", "Concat", "Slice", "Resize"}


class Dataflow:
    """before: places of the writers of each layer's inputs, in the order of the inputs; after: of its readers. Both are
    of the layer's own side. slots: at which of a reader's inputs each reader takes it, beside ``after``.
    rank: the place of each layer in its side's order of data. is_told: False where a side tells names alone, so that
    what is executed before a layer stands for what it reads.
    """

    def __init__(self, layers: Sequence[Layer], start: int) -> None:
        self.before: list[list[int]] = [[] for _ in layers]
        self.after: list[list[int]] = [[] for _ in layers]
        self.slots: list[list[int]] = [[] for _ in layers]
        writers: dict[str, int] = {}
        for place, layer in enumerate(layers):
            if place == start:
                writers = {}
            for slot, name in enumerate(dict.fromkeys(tensor.name for tensor in layer.inputs)):
                if name in writers:
                    self.before[place].append(writers[name])
                    self.after[writers[name]].append(place)
                    self.slots[writers[name]].append(slot)
            for tensor in layer.outputs:
                if tensor.name:
                    writers[tensor.name] = place
        self.is_told = True
        for low, high in ((0, start), (start, len(layers))):
            if not any(layer.inputs or layer.outputs for layer in layers[low:high]):
                self._link(low, high)
                self.is_told = False
        self._depth = self._depths(layers)
        self.order = [*self._ordered(0, start), *self._ordered(start, len(layers))]
        self.rank = [0] * len(layers)
        for rank, place in enumerate(self.order):
            self.rank[place] = rank

    def _link(self, low: int, high: int) -> None:
        """Where only names are told, what is executed before a layer stands for what it reads."""
        for place in range(low + 1, high):
            self.before[place].append(place - 1)
            self.after[place - 1].append(place)
            self.slots[place - 1].append(0)

    def _ordered(self, low: int, high: int) -> list[int]:
        """Each layer behind what it reads, the longest history of an input first, then in the order of the inputs.

        Where branches do not wait for one another TensorRT may execute them in any order; this one is the same for the
        same graph. Layers whose data is not told stay where they are executed.
        """
        found: list[int] = []
        seen = [False] * (high - low)
        for sink in range(low, high):
            if self.after[sink] or seen[sink - low]:
                continue
            stack = [(sink, self._sources(sink))]
            seen[sink - low] = True
            while stack:
                place, sources = stack[-1]
                source = next(sources, None)
                if source is None:
                    found.append(place)
                    stack.pop()
                elif not seen[source - low]:
                    seen[source - low] = True
                    stack.append((source, self._sources(source)))
        return found

    def _sources(self, place: int) -> Iterator[int]:
        sources = self.before[place]
        return iter(sources if len(sources) < 2 else sorted(sources, key=lambda each: -self._depth[each]))

    def _depths(self, layers: Sequence[Layer]) -> list[int]:
        """Of each layer, how many products lie behind one another on the longest way to it: no fusion changes that."""
        found: list[int] = []
        for layer, sources in zip(layers, self.before, strict=True):
            own = layer.type not in _BETWEEN and not is_conversion(layer)
            found.append(own + max((found[source] for source in sources), default=0))
        return found

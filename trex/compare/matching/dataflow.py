"""Dataflow: which layer writes what another reads, and an execution order that depends on the data alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trex.compare.matching.name_evidence import is_conversion
from trex.core.layer import Layer

POINTWISE = frozenset(("PointWise", "ElementWise", "Activation", "Scale", "Unary"))
SMALL = POINTWISE | {"kgen"}
"""Types of layers that can be fused into a neighbor. Generated kernels (kgen) may do more than pointwise work."""
_BETWEEN_GEMMS = SMALL | {"Pooling", "NoOp", "Shuffle", "Reduce", "SoftMax", "Concat", "Slice", "Resize"}


class Dataflow:
    """The layers of both sides; those from ``start`` on belong to the right side.

    before: indexes of the writers of each layer's inputs, in input order. after: indexes of the readers of its outputs.
    slots: at which input each reader reads it, parallel to ``after``. order: all layers, sorted by data dependencies,
    and rank: each layer's position in it. has_tensors: False if a side has layer names only, so that the previously
    executed layer counts as the writer.
    """

    def __init__(self, layers: Sequence[Layer], start: int) -> None:
        self.before: list[list[int]] = [[] for _ in layers]
        self.after: list[list[int]] = [[] for _ in layers]
        self.slots: list[list[int]] = [[] for _ in layers]
        writers: dict[str, int] = {}
        for index, layer in enumerate(layers):
            if index == start:
                writers = {}
            for slot, name in enumerate(dict.fromkeys(tensor.name for tensor in layer.inputs)):
                if name in writers:
                    self._connect(writers[name], index, slot)
            for tensor in layer.outputs:
                if tensor.name:
                    writers[tensor.name] = index
        self.has_tensors = True
        for low, high in ((0, start), (start, len(layers))):
            if not any(layer.inputs or layer.outputs for layer in layers[low:high]):
                self.has_tensors = False
                for index in range(low + 1, high):
                    self._connect(index - 1, index, 0)
        self._depth = self._depths(layers)
        self.order = [*self._ordered(0, start), *self._ordered(start, len(layers))]
        self.rank = [0] * len(layers)
        for rank, index in enumerate(self.order):
            self.rank[index] = rank

    def _connect(self, writer: int, reader: int, slot: int) -> None:
        self.before[reader].append(writer)
        self.after[writer].append(reader)
        self.slots[writer].append(slot)

    def _ordered(self, low: int, high: int) -> list[int]:
        """Depth-first: each layer after its writers, the deepest writer first, then in input order.

        TensorRT may execute independent branches in any order; this order is the same for the same graph.
        """
        order: list[int] = []
        seen = [False] * (high - low)
        for sink in range(low, high):
            if self.after[sink] or seen[sink - low]:
                continue
            stack = [(sink, self._sources(sink))]
            seen[sink - low] = True
            while stack:
                index, sources = stack[-1]
                source = next(sources, None)
                if source is None:
                    order.append(index)
                    stack.pop()
                elif not seen[source - low]:
                    seen[source - low] = True
                    stack.append((source, self._sources(source)))
        return order

    def _sources(self, index: int) -> Iterator[int]:
        sources = self.before[index]
        return iter(sources if len(sources) < 2 else sorted(sources, key=lambda source: -self._depth[source]))

    def _depths(self, layers: Sequence[Layer]) -> list[int]:
        """Per layer the number of GEMMs on the longest path to it, which no fusion changes."""
        depths: list[int] = []
        for layer, sources in zip(layers, self.before, strict=True):
            own = layer.type not in _BETWEEN_GEMMS and not is_conversion(layer)
            depths.append(own + max((depths[source] for source in sources), default=0))
        return depths

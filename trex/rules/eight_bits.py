"""EightBits: what a layer saves if its float tensors have 8 bits, as other layers of the engine show."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from trex.core.data_type import DataType
from trex.core.tensor import Tensor
from trex.plan.listed_operands import product_type
from trex.rules.operators import GEMMS
from trex.rules.type_flow import FLOATS, QUANTIZED, saved_bytes

if TYPE_CHECKING:
    from trex.rules.analyzed_engine import AnalyzedEngine

FORMULA = (
    "of a quantized convolution or GEMM that writes floats: layer time − the shortest time of those in this engine "
    "that write 8 bits and have at least as many MACs and bytes; else, and of other layers: (layer time − time of its "
    "arithmetic at the GPU's peak) × float bytes · (1 − 8 / bits) / (input + output + weight bytes)"
)
_Demand = tuple[float, float, float, int]
"""MACs, bytes, milliseconds and position of a layer."""


class EightBits:
    """Shares of layers' times that are saved, by position, from their prices; see FORMULA."""

    def __init__(self, engine: AnalyzedEngine) -> None:
        self._layers, self._times = engine.layers, engine.prices
        self._compute_ms = engine.performance.roofline.compute_ms.tolist()
        self._example_ms: dict[int, float] = {}
        flow, works = engine.flow, engine.performance.works
        by_type: dict[DataType, tuple[list[_Demand], list[_Demand]]] = {}
        for position in flow.quantized_positions:
            layer, macs, time = self._layers[position], works[position].macs, self._times[position]
            moved = layer.total_footprint_bytes
            if product_type(layer) not in GEMMS or macs is None or moved is None or not time > 0.0:
                continue
            writers, examples = by_type.setdefault(flow.reads[position], ([], []))
            if flow.writes[position] in FLOATS:
                left = moved - saved_bytes((*layer.inputs, *layer.outputs))
                writers.append((macs, left, time, position))
            elif flow.writes[position] in QUANTIZED:
                examples.append((macs, moved, time, position))
        self._moved: dict[int, int | None] = {}
        self._of_outputs: dict[int, tuple[float, float]] = {}
        for writers, examples in by_type.values():
            self._example_ms |= _shortest(writers, examples)

    def share(self, position: int, tensors: Iterable[Tensor]) -> float:
        """Share of the layer's time that is gone if these tensors have 8 bits; 0 where sizes are unknown."""
        if position not in self._moved:
            self._moved[position] = self._layers[position].total_footprint_bytes
        moved = self._moved[position]
        saved = saved_bytes(tensors)
        if not moved or not saved > 0.0:
            return 0.0
        if position in self._example_ms and self._example_ms[position] < self._times[position]:
            return 1.0 - self._example_ms[position] / self._times[position]
        return self.share_of_bytes(position, saved / moved)

    def shares_of_outputs(self, position: int) -> tuple[float, float]:
        """Shares of the layer's time that are gone if its outputs have 8 bits, and if it does not write them.

        Kept: many layers may read one with many outputs.
        """
        if position not in self._of_outputs:
            layer = self._layers[position]
            narrow = self.share(position, layer.outputs)
            written, moved = layer.outputs_size_bytes, self._moved[position]
            unwritten = self.share_of_bytes(position, written / moved) if written is not None and moved else 0.0
            self._of_outputs[position] = narrow, unwritten
        return self._of_outputs[position]

    def share_of_bytes(self, position: int, part: float) -> float:
        """Share of the layer's time that is gone with this part of its bytes: nothing of what its arithmetic needs."""
        time, compute = self._times[position], self._compute_ms[position]
        if time > 0.0 and compute > 0.0:
            part *= max(0.0, 1.0 - compute / time)
        return min(1.0, max(0.0, part))


def _shortest(wanted: Sequence[_Demand], examples: Sequence[_Demand]) -> dict[int, float]:
    """{position: shortest time of the examples with at least its MACs and bytes}, without those that have none.

    Examples are added by falling MACs to a list that ascends in bytes and in time: what has fewer bytes and takes
    longer than another one is of no use.
    """
    left = sorted(examples, key=lambda example: -example[0])
    next_example = 0
    sizes: list[float] = []
    times: list[float] = []
    result: dict[int, float] = {}
    for macs, moved, _, position in sorted(wanted, key=lambda item: -item[0]):
        while next_example < len(left) and left[next_example][0] >= macs:
            _, size, time, _ = left[next_example]
            next_example += 1
            at = bisect_left(sizes, size)
            if at < len(times) and times[at] <= time:
                continue
            behind = at + (at < len(sizes) and sizes[at] == size)
            first = bisect_left(times, time, 0, at)
            sizes[first:behind], times[first:behind] = [size], [time]
        at = bisect_left(sizes, moved)
        if at < len(times):
            result[position] = times[at]
    return result

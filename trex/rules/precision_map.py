"""PrecisionMap: where data change their type, what the conversions cost, and float layers between quantized ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trex.core.data_type import DataType
from trex.rules.neighbors import Neighbors
from trex.rules.type_flow import FLOATS, TypeFlow


@dataclass(frozen=True, slots=True)
class Conversion:
    """All layers that read one type and write another, by position.

    copies: layers that do nothing else, so their whole time is the cost. fused: layers that convert on the way.
    cost_ms: time of the copies, NaN if unknown.
    """

    reads: DataType
    writes: DataType
    copies: tuple[int, ...]
    fused: tuple[int, ...]
    cost_ms: float

    @property
    def label(self) -> str:
        return f"{self.reads.label} → {self.writes.label}"


@dataclass(frozen=True, slots=True)
class FloatIsland:
    """Layers that run in floats although quantized ones come before and after, by position.

    layers: the float layers. copies: copies between them that change layout or float type. entering, leaving: copies
    that dequantize before and quantize after. writers: quantized layers that write floats into the island.
    """

    layers: tuple[int, ...]
    copies: tuple[int, ...]
    entering: tuple[int, ...]
    leaving: tuple[int, ...]
    writers: tuple[int, ...]

    @property
    def conversions(self) -> tuple[int, ...]:
        return (*self.entering, *self.copies, *self.leaving)


@dataclass(frozen=True, slots=True)
class PrecisionMap:
    """conversions: by cost, the most expensive first, those without a copy last. islands: in execution order."""

    conversions: tuple[Conversion, ...]
    islands: tuple[FloatIsland, ...]

    @property
    def converting_copies(self) -> tuple[int, ...]:
        """Positions of all copies that change a type, in execution order."""
        return tuple(sorted(position for conversion in self.conversions for position in conversion.copies))


def precision_map(flow: TypeFlow, neighbors: Neighbors, sum_ms: Callable[[Sequence[int]], float]) -> PrecisionMap:
    """Conversions and float islands; layers of unknown type are in neither. sum_ms: time of layers by position."""
    return PrecisionMap(_conversions(flow, sum_ms), _islands(flow, neighbors))


def _conversions(flow: TypeFlow, sum_ms: Callable[[Sequence[int]], float]) -> tuple[Conversion, ...]:
    layers: dict[tuple[DataType, DataType], tuple[list[int], list[int]]] = {}
    for position, (reads, writes) in enumerate(zip(flow.reads, flow.writes)):
        if reads is writes or not reads.is_known or not writes.is_known:
            continue
        copies, fused = layers.setdefault((reads, writes), ([], []))
        (copies if flow.is_copy(position) else fused).append(position)
    conversions = [
        Conversion(reads, writes, tuple(copies), tuple(fused), sum_ms(copies))
        for (reads, writes), (copies, fused) in layers.items()
    ]
    conversions.sort(key=lambda item: (item.cost_ms != item.cost_ms, -item.cost_ms, -len(item.copies)))
    return tuple(conversions)


def _islands(flow: TypeFlow, neighbors: Neighbors) -> tuple[FloatIsland, ...]:
    if not flow.quantized_positions:
        return ()
    members = [reads in FLOATS and writes in FLOATS for reads, writes in zip(flow.reads, flow.writes)]
    root = list(range(len(members)))

    def top(position: int) -> int:
        while root[position] != position:
            root[position] = root[root[position]]
            position = root[position]
        return position

    for position, is_member in enumerate(members):
        if is_member:
            for before in neighbors.before[position]:
                if members[before]:
                    root[top(before)] = top(position)
    groups: dict[int, list[int]] = {}
    for position, is_member in enumerate(members):
        if is_member:
            groups.setdefault(top(position), []).append(position)
    islands = [island for group in groups.values() if (island := _island(flow, neighbors, group)) is not None]
    return tuple(sorted(islands, key=lambda island: island.layers))


def _island(flow: TypeFlow, neighbors: Neighbors, positions: list[int]) -> FloatIsland | None:
    """The island of these connected float layers; None if no quantized layer comes before, or none after."""
    layers = tuple(position for position in positions if not flow.is_copy(position))
    if not layers:
        return None
    entering: dict[int, None] = {}
    leaving: dict[int, None] = {}
    writers: dict[int, None] = {}
    for position in positions:
        for before in neighbors.before[position]:
            if flow.dequantizes(before):
                entering[before] = None
            elif flow.is_quantized(before):
                writers[before] = None
        for after in neighbors.after[position]:
            # what reads several layers is no copy of one tensor: many islands would share it and its readers
            if len(neighbors.before[after]) < 2 and flow.quantizes(after):
                leaving[after] = None
    if not (entering or writers) or not leaving:
        return None
    copies = tuple(position for position in positions if flow.is_copy(position))
    return FloatIsland(layers, copies, tuple(entering), tuple(leaving), tuple(writers))

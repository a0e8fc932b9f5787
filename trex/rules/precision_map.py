"""Precision map: where data change their type, what the crossings cost, and the floats between quantized layers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trex.core.data_type import DataType
from trex.rules.type_flow import FLOATS, POOLINGS, PRODUCTS, Flow

if TYPE_CHECKING:
    from trex.rules.analyzed_engine import Inspected


@dataclass(frozen=True, slots=True)
class Crossing:
    """All layers that read one type and write another.

    copies: places of those that do nothing else, and cost their whole time. fused: of those that convert on the way.
    cost_ms: time of the copies, NaN where none of it is known.
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
class Island:
    """Layers that run in floats although quantized ones come before and after. All are places.

    layers: that work in floats. copies: that change their layout or float type in between. entering, leaving: copies
    that dequantize for it and quantize again behind it. writers: quantized layers that write floats for it.
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
    """crossings: by cost, the dearest first; those without a copy last. islands: in execution order."""

    crossings: tuple[Crossing, ...]
    islands: tuple[Island, ...]

    @property
    def conversions(self) -> tuple[int, ...]:
        """Places of all copies that change a type, in execution order."""
        return tuple(sorted(place for crossing in self.crossings for place in crossing.copies))


def precision_map(seen: Inspected) -> PrecisionMap:
    """The crossings and islands of an engine; layers whose types are unknown are in neither."""
    return PrecisionMap(_crossings(seen), _islands(seen))


def is_of_poolings(seen: Inspected, island: Island) -> bool:
    return all(seen.layers[place].type in POOLINGS for place in island.layers)


def island_stake(seen: Inspected, island: Island) -> dict[int, float]:
    """What could be saved if the island were quantized, {layer.index: milliseconds}.

    Formula: the conversions' whole time; of products time · (1 − 8 / bits), as quantized products are at best so much
    faster; of all other layers, and of the writers, the part of their bytes that would be gone.
    """
    flow = seen.flow
    stake = seen.stake(island.conversions)
    for place in island.layers:
        layer = seen.layers[place]
        bits = flow.reads[place].bits
        if layer.type in PRODUCTS and bits:
            stake |= seen.stake([place], 1 - 8 / bits)
        else:
            stake |= seen.stake([place], flow.saved_share(place, (*layer.inputs, *layer.outputs)))
    for place in island.writers:
        stake |= seen.stake([place], flow.saved_share(place, seen.layers[place].outputs))
    return stake


ISLAND_FORMULA = (
    "time of the conversions + products' time · (1 − 8 / bits) "
    "+ other layers' time × bytes of floats · (1 − 8 / bits) / bytes moved"
)


def _crossings(seen: Inspected) -> tuple[Crossing, ...]:
    flow = seen.flow
    found: dict[tuple[DataType, DataType], tuple[list[int], list[int]]] = {}
    for place, (reads, writes) in enumerate(zip(flow.reads, flow.writes)):
        if reads is writes or not reads.is_known or not writes.is_known:
            continue
        copies, fused = found.setdefault((reads, writes), ([], []))
        (copies if flow.is_copy(place) else fused).append(place)
    made = [
        Crossing(reads, writes, tuple(copies), tuple(fused), known_ms(seen, copies))
        for (reads, writes), (copies, fused) in found.items()
    ]
    return tuple(sorted(made, key=lambda each: (each.cost_ms != each.cost_ms, -each.cost_ms, -len(each.copies))))


def known_ms(seen: Inspected, places: Sequence[int]) -> float:
    """Sum of those times that are known, NaN without any."""
    times = seen.times
    known = [times[place] for place in places if times[place] == times[place]]
    return sum(known) if known else float("nan")


def _islands(seen: Inspected) -> tuple[Island, ...]:
    flow = seen.flow
    if not flow.quantized_places:
        return ()
    members = [reads in FLOATS and writes in FLOATS for reads, writes in zip(flow.reads, flow.writes)]
    root = list(range(len(members)))

    def top(place: int) -> int:
        while root[place] != place:
            root[place] = root[root[place]]
            place = root[place]
        return place

    for place, is_member in enumerate(members):
        if is_member:
            for before in seen.before(place):
                if members[before]:
                    root[top(before)] = top(place)
    groups: dict[int, list[int]] = {}
    for place, is_member in enumerate(members):
        if is_member:
            groups.setdefault(top(place), []).append(place)
    islands = [_island(seen, flow, places) for places in groups.values()]
    return tuple(sorted((each for each in islands if each is not None), key=lambda each: each.layers))


def _island(seen: Inspected, flow: Flow, places: list[int]) -> Island | None:
    """The island of these connected floats; None where no quantized layer comes before or none after."""
    layers = tuple(place for place in places if not flow.is_copy(place))
    if not layers:
        return None
    entering: dict[int, None] = {}
    leaving: dict[int, None] = {}
    writers: dict[int, None] = {}
    for place in places:
        for before in seen.before(place):
            if flow.dequantizes(before):
                entering[before] = None
            elif flow.is_quantized(before):
                writers[before] = None
        leaving |= dict.fromkeys(after for after in seen.after(place) if flow.quantizes(after))
    if not (entering or writers) or not leaving:
        return None
    copies = tuple(place for place in places if flow.is_copy(place))
    return Island(layers, copies, tuple(entering), tuple(leaving), tuple(writers))

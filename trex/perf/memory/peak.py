"""Timeline → Peak: where the most is held, by which values, and what would lower it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trex.core.data_type import DataType
from trex.core.engine import Engine
from trex.core.frozen import frozen
from trex.core.layer import Layer
from trex.perf.memory.timeline import Timeline
from trex.plan.lifetimes import Lifetimes, TensorLifetime

_HALF = {
    DataType.FP64: "FP32",
    DataType.FP32: "FP16",
    DataType.FP16: "FP8 or INT8",
    DataType.BF16: "FP8 or INT8",
}


@frozen
class Held:
    """A value that is live at the peak.

    size_bytes: as it counts, rounded up where an alignment was asked for. first, last: the layers between which it is
    kept. is_used: the layer at the peak reads or writes it; else it only waits there for a later one, as a skip
    connection does. peak_without_bytes: the peak if it were not there at all (fused away, or made again when needed).
    peak_halved_bytes: the peak if it took half the bytes, None where its type has no half that one would store
    activations in.
    """

    value: TensorLifetime
    size_bytes: int
    first: Layer
    last: Layer
    is_used: bool
    peak_without_bytes: int
    peak_halved_bytes: int | None


@frozen
class Relief:
    """One thing that would lower the peak. what: in words. peak_bytes: the peak then, made up anew from all values.
    formula: how. It says what the bytes would be, not whether it can be done.
    """

    what: str
    peak_bytes: int
    saved_bytes: int
    formula: str


@dataclass(frozen=True, slots=True)
class Peak:
    """size_bytes: the most that is live at once. position: of the first layer at which that is so, in
    ``engine.layers``; stretches: (first, last) position of all of them. held: what is live there, the largest first.
    reliefs: what would lower it, the most first.
    """

    size_bytes: int
    position: int
    layer: Layer
    stretches: tuple[tuple[int, int], ...]
    held: tuple[Held, ...]
    reliefs: tuple[Relief, ...]

    @property
    def used_bytes(self) -> int:
        """What the layer at the peak itself reads and writes."""
        return sum(each.size_bytes for each in self.held if each.is_used)

    @property
    def waiting_bytes(self) -> int:
        """What is only kept for later layers."""
        return self.size_bytes - self.used_bytes


def peak_of(
    engine: Engine, values: Lifetimes, numbers: Sequence[int], timeline: Timeline, batch: int | None
) -> Peak | None:
    """The peak of a timeline; None without layers.

    numbers: of the values (places in ``values.all``) that the timeline is made of. batch: the first dimension that the
    engine's inputs share, None when they share none or it is 1.
    """
    position = timeline.peak_position
    if position is None:
        return None
    used = values.used_at(engine.layers[position], position)
    places = timeline.alive_at(position)
    held = []
    for place in places:
        value, size = values.all[numbers[place]], timeline.sizes[place]
        is_loose = not value.name and value.first == position
        half = timeline.peak_if(place, -(-size // 2)) if value.tensor.data_type in _HALF else None
        held.append(
            Held(
                value,
                size,
                engine.layers[timeline.firsts[place]],
                engine.layers[timeline.lasts[place]],
                numbers[place] in used or is_loose,
                timeline.peak_if(place, 0),
                half,
            )
        )
    scenarios = _Scenarios(timeline, places, [values.all[number] for number in numbers], held, batch)
    peak = timeline.peak_bytes
    return Peak(peak, position, engine.layers[position], timeline.peak_stretches, tuple(held), scenarios.reliefs())


class _Scenarios:
    """Changes of several values at once; each is one pass over all values."""

    def __init__(
        self, timeline: Timeline, places: list[int], values: list[TensorLifetime], held: list[Held], batch: int | None
    ) -> None:
        self.timeline, self.places, self.values, self.held, self.batch = timeline, places, values, held, batch

    def reliefs(self) -> tuple[Relief, ...]:
        """Those that lower the peak."""
        found = [*self._waiting(), *self._halved(), *self._batches()]
        return tuple(sorted((each for each in found if each.saved_bytes > 0), key=lambda each: -each.saved_bytes))

    def _relief(self, what: str, sizes: list[int], formula: str) -> Relief:
        peak = self.timeline.peak_with(sizes)
        return Relief(what, peak, self.timeline.peak_bytes - peak, formula)

    def _changed(self, places: Sequence[int], change: Callable[[int], int]) -> list[int]:
        sizes = list(self.timeline.sizes)
        for place in places:
            sizes[place] = change(sizes[place])
        return sizes

    def _waiting(self) -> list[Relief]:
        waiting = [place for place, each in zip(self.places, self.held) if not each.is_used and each.size_bytes]
        if len(waiting) < 2:  # one alone is told in its own row
            return []
        what = f"without the {len(waiting)} tensors that only wait at the peak"
        formula = "max over layers of Σ sizes, those that the layer at the peak neither reads nor writes left out"
        return [self._relief(what, self._changed(waiting, lambda size: 0), formula)]

    def _halved(self) -> list[Relief]:
        """Every tensor of a type that is held at the peak, anywhere, in half the bytes."""
        reliefs = []
        for data_type in dict.fromkeys(each.value.tensor.data_type for each in self.held):
            narrow = _HALF.get(data_type)
            places = [place for place, value in enumerate(self.values) if value.tensor.data_type is data_type]
            if narrow is None or not any(self.timeline.sizes[place] for place in places):
                continue
            what = f"{data_type.label} activations in {narrow}"
            formula = f"max over layers of Σ sizes, those of {data_type.label} halved"
            reliefs.append(self._relief(what, self._changed(places, lambda size: -(-size // 2)), formula))
        return reliefs

    def _batches(self) -> list[Relief]:
        batch = self.batch
        if batch is None:
            return []
        scaled = [place for place, value in enumerate(self.values) if (value.tensor.shape or (None,))[0] == batch]
        reliefs = []
        for smaller in dict.fromkeys((batch // 2, 1)):
            if scaled:
                what = f"batch {smaller} instead of {batch}"
                formula = (
                    f"max over layers of Σ sizes, those of the {len(scaled)} of {len(self.values)} tensors with first "
                    f"dimension {batch} · {smaller}/{batch}; the layers taken as they are"
                )
                sizes = list(self.timeline.sizes)
                for place in scaled:
                    sizes[place] = -(-sizes[place] * smaller // batch)
                reliefs.append(self._relief(what, sizes, formula))
        return reliefs
